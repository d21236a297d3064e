"""``[tool.validator]`` of pyproject.toml sets defaults; the command line wins; what it does not know is an error."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.commandline import run
from validator.cli import cli
from validator.configuration import KEYS, VERBS, ConfigurationError, find

ROOT = Path(__file__).parent.parent
CAPTURE = str(ROOT / "captures" / "0.19.0-edit-review")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the command line runs, and in which to write a configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def configure(folder: Path, *lines: str) -> None:
    (folder / "pyproject.toml").write_text("\n".join(["[tool.validator]", *lines, ""]), encoding="utf-8")


def test_an_option_may_be_configured_and_the_command_line_wins(project: Path) -> None:
    configure(project, 'format = "json"')
    assert json.loads(run("check", CAPTURE).out)["exit"] == 0
    assert run("check", CAPTURE, "--format", "github").out.startswith("::notice")
    configure(project, 'format = ["github", "markdown=summary.md"]')
    assert json.loads(run("check", CAPTURE, "--json").out)["exit"] == 0
    assert (project / "summary.md").read_text(encoding="utf-8").startswith("# ")


def test_targets_may_be_configured_and_the_command_line_wins(project: Path) -> None:
    shutil.copytree(CAPTURE, project / "mine")
    configure(project, 'targets = ["mine"]')
    report = json.loads(run("check", "--json").out)
    assert [entry["capture"] for entry in report["captures"]] == ["0.19.0-edit-review"]
    other = json.loads(run("check", str(ROOT / "captures" / "0.14.0-text"), "--json").out)
    assert [entry["capture"] for entry in other["captures"]] == ["0.14.0-text"]


def test_a_converter_is_found_from_the_folder_of_the_configuration(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "tests" / "fakes" / "prints_nothing.py", project / "convert.py")
    configure(project, f'converter = "{sys.executable} convert.py"')
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    result = run("check", CAPTURE, "--json")
    assert (result.code, json.loads(result.out)["verdict"]) == (4, "converter failed")


def test_a_baseline_is_found_from_the_folder_of_the_configuration(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, 'baseline = "gate.json"', "jobs = 1", 'fail-on = "error"')
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert run("gate", CAPTURE, "--update").code == 0
    assert (project / "gate.json").is_file()
    assert run("gate", CAPTURE).code == 0


def test_the_nearest_configuration_counts_and_others_are_passed_over(project: Path) -> None:
    configure(project, "jobs = 7")
    below = project / "a" / "b"
    below.mkdir(parents=True)
    (project / "a" / "pyproject.toml").write_text("[project]\nname = 'validator-user'\n", encoding="utf-8")
    found = find(below)
    assert found is not None
    assert (found.folder, found.values) == (project, {"jobs": 7})


def test_a_file_that_is_none_of_ours_is_no_concern(project: Path) -> None:
    (project / "pyproject.toml").write_text("validator [[[ broken", encoding="utf-8")
    assert run("check", CAPTURE).code == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("job = 2", "unknown key 'job'; did you mean 'jobs'?"),
        ('fail_on = "error"', "did you mean 'fail-on'?"),
        ("moods = 1", "unknown key 'moods'; there are"),
        ("twice = 1", "tool.validator.twice: write true or false"),
        ("timeout = true", "tool.validator.timeout: write a whole number or a number"),
        ("format = [1]", "tool.validator.format: write a text or a list of texts"),
        ('timeout = "x', "is not TOML"),
        ('engine = "diesel"', "'diesel' is not one of"),
        ("memory = 1", "memory"),
        ('jobs = "many"', "--jobs 'many'"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_says_what_to_write(line: str, message: str, project: Path) -> None:
    configure(project, line)
    result = run("check", CAPTURE)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_a_table_that_is_none_is_an_error(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool]\nvalidator = 3\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is no table"):
        find(project)


def test_every_key_is_a_parameter_of_a_verb_that_takes_it() -> None:
    import click

    assert isinstance(cli, click.Group)
    known: set[str] = set()
    for verb in VERBS:
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        known |= {name for parameter in command.params for name in (parameter.name, *parameter.opts) if name}
    assert {key for key in KEYS if f"--{key}" not in known} == {"targets"}
    assert "targets" in known
