"""The GitHub Action and the pre-commit hooks: they name what there is, and what they are given cannot run by itself."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from validator.cli import cli

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
CHECK = ACTION["runs"]["steps"][-1]
CAPTURE = str(ROOT / "captures" / "0.19.0-edit-review")


def command_of(verb: str) -> click.Command:
    assert isinstance(cli, click.Group)
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None, verb
    return command


def options_of(verb: str) -> set[str]:
    return {name for parameter in command_of(verb).params for name in parameter.opts}


def test_every_input_is_described_and_handed_on() -> None:
    handed = {re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value) for value in CHECK["env"].values()}
    assert {match[1] for match in handed if match} == set(ACTION["inputs"])
    assert None not in handed
    for given in ACTION["inputs"].values():
        assert given["description"]
        assert isinstance(given["default"], str)


def test_every_input_is_an_option_an_argument_or_a_format() -> None:
    formats = {"junit", "sarif", "json"}
    for name in ACTION["inputs"]:
        if name not in formats | {"targets"}:
            assert f"--{name}" in options_of("gate"), name


def test_every_option_in_the_script_exists() -> None:
    for option in set(re.findall(r"--[a-z-]{3,}", CHECK["run"])):
        assert option in options_of("gate"), option


def test_no_script_holds_an_expression() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_the_hooks_run_verbs_that_exist_and_take_no_files() -> None:
    assert {hook["id"] for hook in HOOKS} == {"validator-gate", "validator-check", "validator-lint"}
    for hook in HOOKS:
        program, verb = hook["entry"].split()
        assert program == "validator"
        assert command_of(verb)
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder such as a runner has, in which the validator is installed."""
    program = tmp_path / "validator" / "bin" / "validator"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m validator "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def act(runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the action as a runner does."""
    given = {name: value["default"] for name, value in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    variables = {f"VALIDATOR_{name.upper().replace('-', '_')}": value for name, value in given.items()}
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(runner), "CI": "true",
        "GITHUB_STEP_SUMMARY": str(runner / "summary"), **variables,
    }  # fmt: skip
    return subprocess.run(
        ["bash", "-c", CHECK["run"]], cwd=runner, env=environment, capture_output=True, text=True, check=False
    )


def test_the_script_checks_and_writes_the_summary(runner: Path) -> None:
    done = act(runner, targets=f"{CAPTURE}\n{ROOT / 'captures' / '0.14.0-text'}\n", junit="junit.xml", jobs="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("::notice ")
    assert "2 captures" in (runner / "summary").read_text(encoding="utf-8")
    assert (runner / "junit.xml").is_file()


def test_the_script_ends_with_the_exit_code_and_the_summary_is_there_all_the_same(runner: Path) -> None:
    fake = f"{sys.executable} {ROOT / 'tests' / 'fakes' / 'renumbers.py'}"
    done = act(runner, targets=CAPTURE, converter=fake, jobs="1")
    assert done.returncode == 1
    assert "::error " in done.stdout
    assert "does not conform" in (runner / "summary").read_text(encoding="utf-8")


def test_an_input_cannot_run_a_command(runner: Path) -> None:
    for name in ("targets", "converter", "descriptor", "namespace", "baseline"):
        done = act(runner, **{name: '"; touch owned; $(touch owned) `touch owned` #'})
        assert done.returncode != 0
    assert not (runner / "owned").exists()
