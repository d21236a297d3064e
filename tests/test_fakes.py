"""Converters that misbehave, each in its own way, get the verdict and the exit that are written down for them."""

import ast
import json
import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from validator.cli import cli

FAKES = Path(__file__).parent / "fakes"
CAPTURE = Path(__file__).parents[1] / "captures" / "0.19.0-edit-review"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FAKES / "expected.toml").read_text(encoding="utf-8"))


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A copy of the capture: a fake may try to change it."""
    return Path(shutil.copytree(CAPTURE, tmp_path / CAPTURE.name))


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the validator makes its temporary ones."""
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def processes_that_mention(word: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in text and int(entry.name) != os.getpid():
            found.append(entry.name)
    return found


def check(fake: str, capture: Path, options: list[str]) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of a check of the fake."""
    command = f"{sys.executable} {FAKES / fake}.py"
    outcome = CliRunner().invoke(cli, ["check", str(capture), "--json", "--converter", command, *options])
    assert outcome.stdout, outcome.output
    return outcome.exit_code, json.loads(outcome.stdout)


@pytest.mark.parametrize("fake", EXPECTED)
def test_a_fake_gets_its_verdict(fake: str, capture: Path, private: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = EXPECTED[fake]
    monkeypatch.chdir(capture.parent)
    for name in ("HERMES_HOME", "VALIDATOR_NAMESPACE", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "not for converters")
    before = contents(capture)
    code, report = check(fake, capture, expected.get("options", []))
    entry = report["captures"][0]
    told = "\n".join([entry.get("message", ""), *entry.get("stderr", [])])
    assert (code, report["exit"], entry["verdict"]) == (expected["exit"], expected["exit"], expected["verdict"]), told
    assert set(expected.get("claims", [])) <= {finding["claim"] for finding in entry["findings"]}
    assert re.search(expected.get("message", ""), told), told
    assert bool(entry["findings"]) == (expected["exit"] == 1), "a converter that failed is no finding"
    assert contents(capture) == before, "a capture was changed"
    assert processes_that_mention(str(private)) == [], "a process was left behind"
    assert list(private.iterdir()) == [], "a file was left behind"
    for place in (capture.parent, private, FAKES):
        assert str(place) not in json.dumps(report), "the report tells of this machine"


def test_every_fake_has_an_expectation_and_says_its_lie_in_a_sentence() -> None:
    scripts = {path.stem: path.read_text(encoding="utf-8") for path in FAKES.glob("*.py")}
    assert set(scripts) == set(EXPECTED)
    assert len(scripts) >= 14
    for name, text in scripts.items():
        lie = ast.get_docstring(ast.parse(text))
        assert lie is not None, name
        assert lie.splitlines()[0].endswith((".", ")")), name


def test_expectations_follow_the_table_of_verdicts() -> None:
    exits = {"conforms": 0, "does not conform": 1, "not checked": 3, "capture unusable": 3, "converter failed": 4}
    for name, expected in EXPECTED.items():
        assert exits[expected["verdict"]] == expected["exit"], name
        assert ("message" in expected) == (expected["exit"] == 4), name
        assert ("claims" in expected) == (expected["exit"] == 1), name
