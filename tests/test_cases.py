"""The cases from the field: what a check of each gives, and what its records say.

Expected values stand in `tests/cases/expected.toml`; here they are only compared.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cases import Expectation, cases, expectations, make
from tests.cases.inputs import MADE, SQL
from validator.cli import cli
from validator.notices import CODES

TESTS = Path(__file__).parent
NAMESPACE = "b0c8a3d2-0000-4000-8000-000000000001"
KINDS = {"store", "home", "gate", "run", "undecidable"}
EXITS = {
    "conforms": 0,
    "does not conform": 1,
    "not checked": 3,
    "capture unusable": 3,
    "converter failed": 4,
}
STORES = [e for e in expectations() if e.kind == "store"]
HOMES = [e for e in expectations() if e.kind == "home"]
CHECKED = STORES + HOMES
COUNTS = {
    "streams": "streams",
    "records": "records",
    "errors": "errors",
    "gaps": "gaps",
    "notices": "notices",
    "unidentified": "unidentifiedSources",
}
SLOW = {"K1-54", "K2-43", "K3-26"}


def params(chosen: list[Expectation]) -> list[Any]:
    """The expectations as parameters named after their cases."""
    return [pytest.param(e, id=e.id, marks=[pytest.mark.slow] if e.id in SLOW else []) for e in chosen]


def run(*arguments: str | Path) -> Any:
    """A run of the command line with the namespace of these tests."""
    return CliRunner().invoke(cli, [*map(str, arguments), "--namespace", NAMESPACE])


@dataclass(frozen=True)
class Checked:
    """One check of a case's input: what it said, and the files before and after it."""

    exit: int
    output: str
    before: dict[str, str]
    after: dict[str, str]

    @property
    def capture(self) -> dict[str, Any]:
        """The report's entry of the one target."""
        (capture,) = json.loads(self.output)["captures"]
        assert isinstance(capture, dict)
        return capture

    @property
    def found(self) -> dict[str, Any]:
        """The verdict and the counts, by the names that expectations use."""
        capture = self.capture
        return {"verdict": capture["verdict"], **{name: capture["counts"][key] for name, key in COUNTS.items()}}

    @property
    def notices(self) -> dict[str, int]:
        """How many notices there are of each code."""
        return dict(Counter(notice["code"] for notice in self.capture.get("notices", [])))


@cache
def checked(expectation_id: str) -> Checked:
    """The check of a case, run once for all tests."""
    expectation = next(e for e in expectations() if e.id == expectation_id)
    with tempfile.TemporaryDirectory() as folder:
        target = make(expectation, Path(folder))
        before = files(Path(folder))
        result = run("check", target, "--json", *expectation.says.get("options", []))
        return Checked(result.exit_code, result.output, before, files(Path(folder)))


def files(folder: Path) -> dict[str, str]:
    """Every file under a folder with its digest."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def test_every_case_is_classified() -> None:
    assert {e.case for e in expectations()} == set(cases())
    assert len(cases()) == 97
    assert {e.kind for e in expectations()} == KINDS


def test_every_case_in_sql_is_a_store() -> None:
    kinds = {e.id: e.kind for e in expectations() if cases()[e.case].form == "sql"}
    assert set(kinds.values()) == {"store"}


def test_every_made_input_has_an_expectation() -> None:
    assert {*MADE, *SQL} <= {e.id for e in expectations()}


@pytest.mark.parametrize("expectation", expectations(), ids=lambda e: e.id)
def test_an_expectation_agrees_with_itself(expectation: Expectation) -> None:
    says = expectation.says
    assert set(says.get("notices", {})) <= CODES
    if "verdict" in says:
        assert says["exit"] == EXITS[says["verdict"]]
    if says.get("verdict") == "conforms" and expectation.kind != "gate":
        assert says["errors"] == 0
        assert says.get("records", 1) > 0
    assert expectation.why.endswith(".")


def test_every_case_of_the_gate_is_one_or_more_fakes_with_its_verdict() -> None:
    fakes = tomllib.loads((TESTS / "fakes/expected.toml").read_text(encoding="utf-8"))
    for expectation in (e for e in expectations() if e.kind == "gate"):
        assert expectation.says["fakes"], expectation.id
        for fake in expectation.says["fakes"]:
            stated = {part: expectation.says[part] for part in ("verdict", "exit") if part in expectation.says}
            assert {part: fakes[fake][part] for part in stated} == stated, fake


def test_the_tests_that_hold_a_case_exist() -> None:
    for expectation in (e for e in expectations() if e.kind == "run"):
        named = expectation.says["held_by"]
        assert bool(named) != ("Not exercised here" in expectation.why), expectation.id
        for path, name in (test.split("::") for test in named):
            assert f"def {name}(" in (TESTS.parent / path).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("expectation", params([e for e in STORES if cases()[e.case].form == "sql"]))
def test_the_input_of_an_sql_case_can_be_made(tmp_path: Path, expectation: Expectation) -> None:
    assert make(expectation, tmp_path).read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("expectation", params(HOMES))
def test_the_input_of_a_home_case_can_be_made(tmp_path: Path, expectation: Expectation) -> None:
    assert make(expectation, tmp_path).is_dir()


@pytest.mark.parametrize("expectation", params(CHECKED))
def test_a_check_of_a_case_ends_as_expected(expectation: Expectation) -> None:
    says = expectation.says
    run = checked(expectation.id)
    assert run.exit in (says["exit"] if isinstance(says["exit"], list) else [says["exit"]])
    stated = {name: says[name] for name in ("verdict", *COUNTS) if name in says and name != "notices"}
    assert {name: run.found[name] for name in stated} == stated


@pytest.mark.parametrize("expectation", params([e for e in CHECKED if "notices" in e.says]))
def test_a_check_of_a_case_gives_the_expected_notices(expectation: Expectation) -> None:
    run = checked(expectation.id)
    assert run.notices == expectation.says["notices"]
    assert run.found["notices"] == sum(run.notices.values())


@pytest.mark.parametrize("expectation", params(CHECKED))
def test_a_check_leaves_the_files_of_a_case_as_they_were(expectation: Expectation) -> None:
    run = checked(expectation.id)
    assert run.after == run.before


@pytest.mark.parametrize("expectation", params(CHECKED))
def test_a_report_of_a_case_is_short_and_without_a_traceback(expectation: Expectation) -> None:
    output = checked(expectation.id).output
    assert "Traceback" not in output
    assert max(map(len, output.splitlines())) < 500


@pytest.mark.parametrize("expectation", params([e for e in CHECKED if "record" in e.says]))
def test_the_records_of_a_case_say_what_is_expected(tmp_path: Path, expectation: Expectation) -> None:
    target = make(expectation, tmp_path)
    result = run("convert", target if target.is_file() else target / "state.db")
    lines = [json.loads(line) for line in result.stdout.split("\n") if line]
    records = {tuple(line["entity"].values()): line for line in lines if line["line"] == "record"}
    for wanted in expectation.says["record"]:
        record = records[tuple(wanted["entity"])]
        for pointer, value in wanted.get("equal", {}).items():
            assert resolved(record, pointer) == (value,), pointer
        for pointer in wanted.get("absent", []):
            assert resolved(record, pointer) == (), pointer


def resolved(document: Any, pointer: str) -> tuple[Any, ...]:
    """The one value that a JSON Pointer names, or nothing."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and name.isdecimal() and int(name) < len(document):
            document = document[int(name)]
        elif isinstance(document, dict) and name in document:
            document = document[name]
        else:
            return ()
    return (document,)
