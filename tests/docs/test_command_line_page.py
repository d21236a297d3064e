"""docs/command-line.md and docs/ci.md: every verb, option, format and exit code is there, and nothing else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from tests.docs.command_line import PAGE, commands, up_to_date
from validator.cli import SUMMARIES, cli
from validator.configuration import KEYS
from validator.report.formats import FORMATS
from validator.verdict import EXIT

TEXT = PAGE.read_text(encoding="utf-8")
CI = (PAGE.parent / "ci.md").read_text(encoding="utf-8")
VERBS = dict(commands())


def test_the_page_is_up_to_date() -> None:
    assert up_to_date(TEXT) == TEXT, "run: python -m tests.docs.command_line"


def test_every_verb_and_every_option_is_on_the_page() -> None:
    assert isinstance(cli, click.Group)
    assert set(SUMMARIES) == set(cli.list_commands(click.Context(cli)))
    for name, command in VERBS.items():
        part = TEXT.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                if not isinstance(command, click.Group):
                    assert f"{option}" in part, (name, option)


@pytest.mark.parametrize("name", [name for name, command in VERBS.items() if not isinstance(command, click.Group)])
def test_every_option_says_what_it_is(name: str) -> None:
    for parameter in VERBS[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"


def test_every_format_is_on_the_page() -> None:
    part = TEXT.split("## Formats")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([a-z]+)` \|", part, re.MULTILINE) == list(FORMATS)


def test_every_verdict_stands_beside_its_exit_code() -> None:
    rows = dict(re.findall(r"^\| ([0-4]) \| (.+) \|$", TEXT, re.MULTILINE))
    for verdict, code in EXIT.items():
        assert f"`{verdict}`" in rows[str(code)]


def test_the_examples_about_ci_are_sound() -> None:
    for block in re.findall(r"```yaml\n(.*?)```", CI, re.DOTALL):
        assert yaml.safe_load(block)
    (configuration,) = re.findall(r"```toml\n(.*?)```", CI, re.DOTALL)
    assert set(tomllib.loads(configuration)["tool"]["validator"]) <= set(KEYS)
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    inputs = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", CI, re.DOTALL)[0])["jobs"]["converter"]["steps"][1]["with"]
    assert set(inputs) <= set(action["inputs"])
    for block in re.findall(r"```python\n(.*?)```", CI, re.DOTALL):
        compile(block, "docs/ci.md", "exec")


def test_every_command_about_ci_exists() -> None:
    for line in re.findall(r"^    (validator .+)$", CI, re.MULTILINE):
        words = line.split()
        command = VERBS[words[1]]
        options = {option for parameter in command.params for option in parameter.opts}
        for word in words[2:]:
            if word.startswith("--"):
                assert word.split("=")[0] in options, line
