"""The gate passes where nothing differs from the baseline, and fails, saying what, where anything does."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.commandline import run
from tests.report.hostile import HOSTILE
from tests.report.test_formats import SARIF, commands, rendered
from validator import schemas
from validator.gate import differences
from validator.gate.differ import document
from validator.report.formats import FORMATS
from validator.report.gate import render

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "captures"
TARGETS = [str(CAPTURES / "0.19.0-edit-review"), str(CAPTURES / "0.19.0-telegram")]
REPORT = {"validator": "validator-v0.1.0", "converter": "c-v1", "captures": [{}], "verdict": "conforms"}

Facts = dict[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    file = tmp_path / "gate.json"
    assert run("gate", *TARGETS, "--baseline", str(file), "--update").code == 0
    return file


def edited(file: Path, change: Callable[[Facts], None]) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content["captures"])
    file.write_text(json.dumps(content), encoding="utf-8")


def gate(file: Path, *options: str) -> tuple[int, dict[str, Any]]:
    result = run("gate", *TARGETS, "--baseline", str(file), "--json", *options)
    found: dict[str, Any] = json.loads(result.out)
    assert schemas.errors("gate", found) == []
    assert found["exit"] == result.code
    return result.code, found


def test_the_gate_passes_where_nothing_differs(baseline: Path) -> None:
    code, found = gate(baseline)
    assert (code, found["passes"], found["regressions"], found["stale"]) == (0, True, [], [])
    assert "the gate passes: 2 captures" in run("gate", *TARGETS, "--baseline", str(baseline)).out


def test_a_baseline_is_sorted_and_has_one_fact_a_line(baseline: Path, tmp_path: Path) -> None:
    text = baseline.read_text(encoding="utf-8")
    content = json.loads(text)
    assert schemas.errors("gate-baseline", content) == []
    facts = content["captures"]["0.19.0-edit-review"]
    assert (facts["verdict"], facts["records"], facts["findings"]) == ("conforms", 16, {})
    assert list(facts["subjects"]) == sorted(facts["subjects"])
    assert len([line for line in text.splitlines() if '"standard.role": 14' in line]) == 1
    again = tmp_path / "again.json"
    assert run("gate", *reversed(TARGETS), "--baseline", str(again), "--update").code == 0
    assert again.read_text(encoding="utf-8") == text


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str, str | None]] = {
    "lost records": (lambda f: f.update(records=17), "regression", "records", None),
    "more records": (lambda f: f.update(records=15), "stale", "records", None),
    "lost subjects": (lambda f: f["subjects"].update({"standard.role": 15}), "regression", "subjects", "standard.role"),
    "all subjects lost": (lambda f: f["subjects"].update({"links.fork": 1}), "regression", "subjects", "links.fork"),
    "more subjects": (lambda f: f["subjects"].pop("standard.role"), "stale", "subjects", "standard.role"),
    "a fixed finding": (lambda f: f["findings"].update({"standard.role": 1}), "stale", "finding", "standard.role"),
    "a source now identified": (lambda f: f["unidentified"].append("x.db"), "stale", "unidentified source", "x.db"),
    "a better verdict": (lambda f: f.update(verdict="does not conform"), "stale", "verdict", None),
}


@pytest.mark.parametrize(("change", "kind", "what", "name"), CHANGES.values(), ids=list(CHANGES))
def test_a_fact_that_differs_fails_and_is_named(
    change: Callable[[dict[str, Any]], Any], kind: str, what: str, name: str | None, baseline: Path
) -> None:
    edited(baseline, lambda captures: change(captures["0.19.0-edit-review"]))
    code, found = gate(baseline)
    (difference,) = [*found["regressions"], *found["stale"]]
    assert code == 1
    assert difference["capture"] == "0.19.0-edit-review"
    assert (difference["kind"], difference["what"], difference["name"]) == (kind, what, name)


def test_new_findings_of_a_converter_are_regressions_by_claim_capture_and_count(baseline: Path) -> None:
    code, found = gate(baseline, "--converter", f"{sys.executable} {ROOT / 'tests/fakes/drops_every_tenth.py'}")
    assert code == 1
    whats = {(d["what"], d["name"], d["capture"]) for d in found["regressions"]}
    assert ("records", None, "0.19.0-edit-review") in whats
    assert ("finding", "mapping.conservation", "0.19.0-edit-review") in whats
    (lost,) = [d for d in found["regressions"] if d["what"] == "records" and d["capture"] == "0.19.0-edit-review"]
    assert (lost["baseline"], lost["now"]) == (16, 15)


def test_a_new_unidentified_source_is_a_regression(baseline: Path) -> None:
    edited(baseline, lambda captures: captures["0.19.0-telegram"]["unidentified"].clear())
    code, found = gate(baseline)
    assert code == 1
    assert {d["what"] for d in found["regressions"]} == {"unidentified source"}


def test_a_lost_capture_is_a_regression_and_a_new_one_makes_the_baseline_stale(baseline: Path) -> None:
    def rename(captures: Facts) -> None:
        captures["another"] = captures.pop("0.19.0-edit-review")

    edited(baseline, rename)
    code, found = gate(baseline)
    assert code == 1
    assert [(d["what"], d["capture"]) for d in found["regressions"]] == [("capture", "another")]
    assert [(d["what"], d["capture"]) for d in found["stale"]] == [("capture", "0.19.0-edit-review")]


def test_a_failed_converter_is_exit_4_and_nothing_else_is_told_of_it(baseline: Path) -> None:
    code, found = gate(baseline, "--converter", f"{sys.executable} {ROOT / 'tests/fakes/prints_nothing.py'}")
    assert code == 4
    assert {d["what"] for d in found["regressions"]} == {"verdict"}


def test_known_findings_pass_while_they_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    fake = ["--converter", f"{sys.executable} {ROOT / 'tests/fakes/renumbers.py'}"]
    assert run("gate", *TARGETS, "--baseline", str(file), *fake, "--update").code == 0
    assert gate(file, *fake)[0] == 0
    code, found = gate(file)
    assert (code, found["regressions"]) == (1, [])
    assert {d["what"] for d in found["stale"]} >= {"finding", "verdict"}


def test_the_baseline_is_never_written_by_itself(baseline: Path) -> None:
    edited(baseline, lambda captures: captures["0.19.0-edit-review"].update(records=15))
    before = baseline.read_bytes()
    assert run("gate", *TARGETS, "--baseline", str(baseline)).code == 1
    assert baseline.read_bytes() == before
    assert run("gate", *TARGETS, "--baseline", str(baseline), "--update").code == 0
    assert baseline.read_bytes() != before
    assert run("gate", *TARGETS, "--baseline", str(baseline)).code == 0


def test_update_is_refused_where_ci_is_set_unless_forced(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = baseline.read_bytes()
    edited(baseline, lambda captures: captures["0.19.0-edit-review"].update(records=15))
    monkeypatch.setenv("CI", "true")
    refused = run("gate", *TARGETS, "--baseline", str(baseline), "--update")
    assert (refused.code, refused.out) == (2, "")
    assert "CI is set" in refused.err
    assert baseline.read_bytes() != before
    assert run("gate", *TARGETS, "--baseline", str(baseline), "--update", "--force").code == 0
    assert baseline.read_bytes() == before


def test_a_converter_that_failed_makes_no_baseline(tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    fake = f"{sys.executable} {ROOT / 'tests/fakes/prints_nothing.py'}"
    assert run("gate", *TARGETS, "--baseline", str(file), "--converter", fake, "--update").code == 4
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "make it with gate --update"), ("{", "is not JSON"), ('{"gate": "9"}', "is no baseline")],
)
def test_a_baseline_that_is_none_is_wrong_usage(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    result = run("gate", *TARGETS, "--baseline", str(file))
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_shares_are_held_against_their_part_of_the_baseline(baseline: Path) -> None:
    for number in (1, 2):
        code, found = gate(baseline, "--shard", f"{number}/2")
        assert (code, found["captures"]) == (0, 1)


def two_of_each(name: str) -> dict[str, Any]:
    facts = {"verdict": "conforms", "records": 5, "findings": {}, "subjects": {}, "unidentified": []}
    now = copy.deepcopy(facts)
    now["findings"], now["records"], now["unidentified"] = {"links.fork": 2}, 6, [name]
    return document(differences({name: facts}, {name: now}), REPORT, name)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", [t for t in HOSTILE.values() if t], ids=[n for n, t in HOSTILE.items() if t])
def test_no_name_steers_what_shows_the_difference(name: str, text: str) -> None:
    shown = "".join(render(name, two_of_each(text)))
    plain = "".join(render(name, two_of_each("x")))
    assert all(character == "\n" or character.isprintable() or character == "\u3000" for character in set(shown))
    if name in ("table", "github"):
        assert [level for level, _, _ in commands(shown)] == [level for level, _, _ in commands(plain)]
    if name == "markdown":
        assert rendered(shown).count("<") == rendered(plain).count("<")
    if name == "sarif":
        jsonschema.Draft202012Validator(SARIF).validate(json.loads(shown))
    if name == "json":
        assert json.loads(shown) == two_of_each(text)
    if name not in ("json", "jsonl"):
        assert len(shown) < 100_000


def test_many_captures_with_the_same_difference_are_one_row() -> None:
    facts = {"verdict": "conforms", "records": 5, "findings": {}, "subjects": {}, "unidentified": []}
    before = {f"capture-{number:04}": facts for number in range(5000)}
    now = {name: {**facts, "findings": {"links.fork": 2}} for name in before}
    shown = "".join(render("table", document(differences(before, now), REPORT, "gate.json")))
    assert len(shown.splitlines()) < 10
    assert "new finding: links.fork" in shown
    assert "and 4997 more" in shown
    assert "10000" in shown
