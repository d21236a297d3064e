"""README.md: it names what there is, and nothing else."""

import re
from pathlib import Path

import click

from validator.cli import SUMMARIES, cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_verbs_is_the_command_line_s() -> None:
    assert isinstance(cli, click.Group)
    rows = re.findall(r"^\| `([a-z]+)` \| (.+) \|$", README, flags=re.MULTILINE)
    verbs = cli.list_commands(click.Context(cli))
    assert rows == [(verb, SUMMARIES[verb]) for verb in verbs]


def test_every_make_target_that_it_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert named >= {"check", "test"}
    assert named <= set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))


def test_every_file_that_it_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_it_counts_the_captures_rightly() -> None:
    assert f"with {len(list((ROOT / 'captures').iterdir()))} captures" in README


def test_the_script_of_the_build_runs_the_readme_s_own_commands() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for command in re.findall(r"^    (make [a-z]+)", README, flags=re.MULTILINE):
        assert any(line.split(" 2>")[0] == command for line in script), command
