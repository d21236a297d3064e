"""Where reports go, and that the exit code is the verdict's whatever the format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from tests.stores.construct import build
from validator import schemas
from validator.check import check
from validator.converter import convert
from validator.replay import Options
from validator.report.formats import FORMATS
from validator.verdict import EXIT

ROOT = Path(__file__).parents[2]
CAPTURE = str(ROOT / "captures" / "0.19.0-edit-review")


def fake(name: str) -> list[str]:
    return ["--converter", f"{sys.executable} {ROOT / 'tests' / 'fakes' / name}.py"]


@pytest.fixture
def ways(tmp_path: Path) -> dict[str, list[str]]:
    """For each verdict the arguments that come to it."""
    build(tmp_path / "empty.db", rows={})
    build(tmp_path / "state.db", rows={"sessions": [{"id": "s"}]})
    (tmp_path / "nothing").mkdir()
    return {
        "conforms": [CAPTURE],
        "does not conform": [CAPTURE, *fake("renumbers")],
        "not checked": [str(tmp_path / "empty.db"), "--namespace", "n"],
        "capture unusable": [str(tmp_path / "nothing")],
        "converter failed": [CAPTURE, *fake("prints_nothing")],
        "wrong usage": [str(tmp_path / "state.db")],
    }


@pytest.mark.parametrize("verdict", EXIT)
def test_the_exit_code_is_the_verdict_s_in_every_format(verdict: str, ways: dict[str, list[str]]) -> None:
    for name in FORMATS:
        result = run("check", *ways[verdict], "--format", name)
        assert result.code == EXIT[verdict], name
        if name == "json":
            assert json.loads(result.out)["verdict"] == verdict
        if name == "jsonl":
            assert all(schemas.errors("report-line", json.loads(line)) == [] for line in result.out.splitlines())


def test_files_get_what_standard_output_would(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in FORMATS}
    several = run("check", CAPTURE, *(f"--format={name}={file}" for name, file in files.items()))
    assert several.out == run("check", CAPTURE).out
    for name, file in files.items():
        assert file.read_text(encoding="utf-8") == run("check", CAPTURE, "--format", name).out, name


def test_json_and_output_are_short_for_a_format_and_its_file(tmp_path: Path) -> None:
    expected = run("check", CAPTURE, "--format", "json").out
    assert run("check", CAPTURE, "--json").out == expected
    assert run("check", CAPTURE, "--json", "--output", str(tmp_path / "out")).out == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "xml"], "there is no such format"),
        (["--format", "json="], "the file has no name"),
        (["--format", "json", "--format", "table"], "one format goes to standard output"),
        (["--format", "json=x", "--format", "junit=x"], "two formats cannot go to one file"),
        (["--format", "json=no/such/folder/x"], "there is no such folder"),
        (["--all-findings"], "only the format jsonl"),
    ],
)
def test_outputs_that_cannot_be_had_are_wrong_usage_before_anything_is_done(options: list[str], message: str) -> None:
    result = run("check", CAPTURE, *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_quiet_leaves_out_the_table_that_was_not_asked_for(tmp_path: Path) -> None:
    result = run("check", CAPTURE, "-q", "--format", f"json={tmp_path / 'report'}")
    assert (result.out, result.err) == ("", "")
    assert run("check", CAPTURE, "-q", "--format", "table").out


def test_verbose_and_timings_go_to_standard_error_only() -> None:
    plain, wordy = run("check", CAPTURE, "--json"), run("check", CAPTURE, "--json", "-v", "--timings")
    assert wordy.out == plain.out
    assert plain.err == ""
    assert "0.19.0-edit-review: conforms: 20 units, 16 records" in wordy.err
    assert " s of work" in wordy.err


@pytest.mark.parametrize(
    ("terminal", "variables", "colours"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    terminal: bool, variables: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from validator.cli import _outputs

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    assert _outputs._colors() is colours


def lines(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("check", *arguments, "--format", "jsonl").out.splitlines()]


def test_all_findings_are_listed_on_request(tmp_path: Path) -> None:
    messages = [{"session_id": "s", "role": "user", "content": str(number)} for number in range(300)]
    build(tmp_path / "state.db", rows={"sessions": [{"id": "s"}], "messages": messages})
    arguments = [str(tmp_path / "state.db"), "--namespace", "n", *fake("renumbers")]
    few, every = lines(*arguments), lines(*arguments, "--all-findings")
    counted = {item["claim"]: item["violations"] for item in every if item["line"] == "claim"}
    listed = [item for item in every if item["line"] == "finding"]
    for claim in {item["claim"] for item in listed}:
        keys = {json.dumps(item["where"].get("key") or item["where"]) for item in listed if item["claim"] == claim}
        assert len(keys) == counted[claim], claim
    assert max(counted.values()) >= 300
    assert len([item for item in few if item["line"] == "finding"]) < len(listed)
    assert all("count" not in item for item in listed)
    assert [item for item in few if item["line"] != "finding"] == [item for item in every if item["line"] != "finding"]


class Moody:
    """The built-in converter, with a member in every record that the schema does not know."""

    def lines(self, request: Any, folder: Path) -> Any:
        for line in convert(request):
            yield line.replace(b'{"line":"record",', b'{"line":"record","mood":1,')


def test_all_lines_that_break_the_schema_are_listed_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.stream.ingest.MOST_SCHEMA_ERRORS", 3)
    report = check([CAPTURE], None, Options(Moody()), findings=tmp_path)
    assert len([finding for finding in report["captures"][0]["findings"] if finding["claim"] == "stream.schema"]) == 3
    kept = [json.loads(line) for line in (tmp_path / "findings-0.jsonl").read_text(encoding="utf-8").splitlines()]
    broken = [finding["where"]["streamLine"] for finding in kept if finding["claim"] == "stream.schema"]
    assert len(broken) == len(set(broken)) == 16


def test_a_capture_of_no_package_is_judged_and_makes_no_observation() -> None:
    result = run("check", str(ROOT / "tests" / "constructed" / "costs"), "--json")
    (entry,) = json.loads(result.out)["captures"]
    assert (result.code, entry["verdict"]) == (0, "conforms")
    assert "observation" not in entry
