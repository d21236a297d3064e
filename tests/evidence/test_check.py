"""The check of evidence: what a fresh replay gives passes, the rest is named, and what cannot be made is not passed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from tests.evidence.items import descriptor, document
from validator import schemas
from validator.capture.targets import shipped
from validator.descriptor import load

CAPTURE = "0.15.1-text"
"""The only capture of its version: one session of two messages, without a usage row, read with sqlite3 alone."""
STORED = {"streams": 1, "records": 3}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A descriptor that observes one capture, with claims and provenance; the capture lies beside it."""
    folder = descriptor(tmp_path)
    shutil.copytree(load().folder / "claims", folder / "claims")
    shutil.copytree(shipped() / CAPTURE, tmp_path / "captures" / CAPTURE)
    block = tmp_path / "block.json"
    _keep(folder, [0, 1, 2])
    capture = str(tmp_path / "captures" / CAPTURE)
    assert run("observe", capture, "--descriptor", str(folder), "--output", str(block)).code == 0
    assert run("evidence", "add", str(folder), str(block)).code == 0
    assert run("evidence", "provenance", str(folder), "--captures", str(tmp_path / "captures"), "--write").code == 0
    return folder


def _keep(folder: Path, kept: list[int]) -> None:
    """Leave only some evidence in a descriptor, and nothing that cites the rest."""
    value = document(folder)
    value["evidence"] = [value["evidence"][index] for index in kept]
    value["formats"] = value["formats"][:1]
    for part in [*value["formats"], *value["mappings"], *value["destinations"].values()]:
        part["evidence"] = [index for index in part["evidence"] if index in kept] or [0]
    (folder / "descriptor.json").write_text(json.dumps(value, indent=2), encoding="utf-8")
    for path in (folder / "formats").glob("*.json"):
        if json.loads(path.read_text(encoding="utf-8"))["format"] != value["formats"][0]["id"]:
            path.unlink()


def change(folder: Path, index: int, **members: Any) -> None:
    value = document(folder)
    value["evidence"][index].update(members)
    (folder / "descriptor.json").write_text(json.dumps(value, indent=2), encoding="utf-8")


def checked(folder: Path) -> dict[str, Any]:
    result = run("evidence", "check", str(folder), "--captures", str(folder.parent / "captures"), "--json")
    told: dict[str, Any] = json.loads(result.out)
    assert schemas.errors("evidence-check", told) == []
    assert result.code == told["exit"]
    return told


def item(told: dict[str, Any], index: int) -> dict[str, Any]:
    (entry,) = [entry for entry in told["items"] if entry["index"] == index]
    return entry


def test_what_a_fresh_replay_gives_is_reproduced(place: Path) -> None:
    assert {name: document(place)["evidence"][3]["validation"][name] for name in STORED} == STORED
    told = checked(place)
    assert (item(told, 3)["status"], told["exit"], told["uncommitted"]) == ("reproduced", 0, [])


def test_what_no_capture_can_show_is_said_to_be_that_and_not_passed(place: Path) -> None:
    assert item(checked(place), 2) == {
        "index": 2,
        "version": "0.0.0; source 198f6ad53c661e42ff2423ba42d6262078520e69",
        "status": "not reproducible here",
        "reason": "no capture at hand is of this version and revision",
    }


def test_without_anything_to_reproduce_nothing_was_checked(place: Path) -> None:
    _keep(place, [0, 1, 2])
    told = checked(place)
    assert (told["exit"], [entry["status"] for entry in told["items"]]) == (3, ["not reproducible here"])
    assert [missing["package"] for missing in told["uncommitted"]] == ["hermes-agent"]


@pytest.mark.parametrize("count", ["streams", "records", "errors", "notices", "gaps", "unidentifiedSources"])
def test_a_count_that_differs_is_named_with_both_values(place: Path, count: str) -> None:
    fresh = document(place)["evidence"][3]["validation"]
    change(place, 3, validation={**fresh, count: fresh[count] + 5})
    told = checked(place)
    assert told["exit"] == 1
    [difference] = item(told, 3)["differences"]
    assert difference["member"] == f"validation.{count}"
    assert (difference["committed"], difference["fresh"]) == (fresh[count] + 5, fresh[count])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("date", "2026-12-24"),
        ("scope", "state.db under .hermes; another run."),
        ("limitations", "None to speak of."),
        ("validator", "validator-v0.0.9"),
        ("converter", "hermes-state-sqlite-v0.0.9"),
    ],
)
def test_any_other_member_that_differs_is_named(place: Path, member: str, value: str) -> None:
    change(place, 3, **{member: value})
    told = checked(place)
    assert (told["exit"], [d["member"] for d in item(told, 3)["differences"]]) == (1, [member])


def test_the_reason_names_the_capture_that_counts_otherwise(place: Path) -> None:
    side = json.loads((place / "provenance.json").read_text(encoding="utf-8"))
    side["observations"][0]["captures"][0]["counts"]["records"] = 8
    (place / "provenance.json").write_text(json.dumps(side), encoding="utf-8")
    change(place, 3, validation={**document(place)["evidence"][3]["validation"], "records": 8})
    assert item(checked(place), 3)["differences"][0]["why"] == [f"{CAPTURE}: 8, now 3"]


def test_the_reason_names_the_claim_that_is_violated_and_its_file(place: Path) -> None:
    path = place / "claims" / "standard.toml"
    text = path.read_text(encoding="utf-8").replace("m.role AS expected", "'nobody' AS expected", 1)
    text = text.replace("WHERE r.role IS NOT m.role", "WHERE r.role IS NOT 'nobody' AND m.role IS NOT NULL", 1)
    path.write_text(text, encoding="utf-8")
    [difference] = item(checked(place), 3)["differences"]
    assert (difference["member"], difference["committed"], difference["fresh"]) == ("validation.errors", 0, 2)
    assert f"{CAPTURE}: standard.role is violated by 2 of 2 subjects" in difference["why"]
    assert "changed since: claims/standard.toml" in difference["why"]


def test_the_reason_names_a_capture_that_was_not_there(place: Path) -> None:
    folder = place.parent / "captures" / "again"
    shutil.copytree(shipped() / CAPTURE, folder)
    manifest = json.loads((folder / "capture.json").read_text(encoding="utf-8"))
    (folder / "capture.json").write_text(json.dumps({**manifest, "id": "again"}), encoding="utf-8")
    differences = item(checked(place), 3)["differences"]
    assert [(d["member"], d["committed"], d["fresh"]) for d in differences[:2]] == [
        ("validation.streams", 1, 2),
        ("validation.records", 3, 6),
    ]
    assert differences[1]["why"][0] == "again: not there, now 3"
    assert "again: a capture that was not there" in differences[1]["why"]


def test_without_provenance_the_reason_says_so(place: Path) -> None:
    (place / "provenance.json").unlink()
    change(place, 3, validation={**document(place)["evidence"][3]["validation"], "records": 8})
    assert item(checked(place), 3)["differences"][0]["why"] == [
        f"{CAPTURE}: 3",
        "no provenance file says what the observation was made from",
    ]


def test_provenance_that_is_broken_is_wrong_configuration(place: Path) -> None:
    (place / "provenance.json").write_text('{"provenance": "0.1"}', encoding="utf-8")
    result = run("evidence", "check", str(place), "--captures", str(place.parent / "captures"))
    assert (result.code, "provenance.json: at /: lacks" in result.err) == (2, True)


def test_an_observation_through_another_converter_is_not_made_here(place: Path) -> None:
    change(place, 3, converter="other-converter-v1.0.0")
    told = checked(place)
    assert item(told, 3)["reason"] == "made with the converter other-converter; the one here is hermes-state-sqlite"
    assert told["exit"] == 3


def test_an_older_observation_of_a_version_is_superseded(place: Path) -> None:
    older = {**document(place)["evidence"][3], "validator": "validator-v0.0.9"}
    value = document(place)
    value["evidence"].insert(3, older)
    (place / "descriptor.json").write_text(json.dumps(value), encoding="utf-8")
    told = checked(place)
    assert [entry["status"] for entry in told["items"]] == ["not reproducible here", "superseded", "reproduced"]
    assert item(told, 3)["reason"] == "evidence 4 is a later observation of this version"


def test_a_capture_that_was_changed_fails_the_check_of_its_item(place: Path) -> None:
    (place.parent / "captures" / CAPTURE / "home" / "SOUL.md").write_text("another", encoding="utf-8")
    told = checked(place)
    assert (told["exit"], item(told, 3)["status"]) == (3, "failed")
    assert CAPTURE in item(told, 3)["reason"]


def test_the_text_says_what_differs_and_why(place: Path) -> None:
    change(place, 3, validation={**document(place)["evidence"][3]["validation"], "records": 8})
    out = run("evidence", "check", str(place), "--captures", str(place.parent / "captures")).out
    assert "evidence 3: differs: 0.15.1" in out
    assert "  validation.records: committed 8, fresh 3\n" in out
    assert out.endswith("1 captures replayed: 1 differs, 1 not reproducible here (exit 1)\n")


def test_a_hostile_version_cannot_write_to_the_terminal(place: Path) -> None:
    change(place, 2, version="\x1b[2J evil", revision="\x1b[2J")
    assert "\x1b" not in run("evidence", "check", str(place), "--captures", str(place.parent / "captures")).out
