"""Adding evidence: at the end, cited by what it supports, refused when it is evidence for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import Result, run
from tests.evidence.items import FORMAT, OBSERVED, SOURCE, changed, counted, descriptor, document, saved
from tests.lint.descriptors import put
from validator import schemas
from validator.lint import lint


def add(folder: Path, *items: Any, options: tuple[str, ...] = ()) -> Result:
    files = [saved(folder.parent, item, f"item-{number}.json") for number, item in enumerate(items)]
    return run("evidence", "add", str(folder), *files, *options)


def cites(folder: Path, index: int) -> bool:
    (entry,) = [entry for entry in document(folder)["formats"] if entry["id"] == FORMAT]
    return index in entry["evidence"]


def test_an_item_goes_to_the_end_and_every_other_stays(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    before = document(folder)
    assert add(folder, OBSERVED).code == 0
    after = document(folder)
    assert after["evidence"] == [*before["evidence"], OBSERVED]
    assert {**after, "evidence": 0, "formats": 0, "mappings": 0} == {
        **before, "evidence": 0, "formats": 0, "mappings": 0
    }  # fmt: skip


def test_what_the_item_supports_cites_it(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    index = len(document(folder)["evidence"])
    add(folder, OBSERVED)
    assert cites(folder, index)
    assert index in document(folder)["mappings"][0]["evidence"]
    assert lint([str(folder)])["exit"] == 0


def test_a_mapping_of_more_than_the_item_is_about_does_not_cite_it(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    index = len(document(folder)["evidence"])
    add(folder, changed(scope="state.db deliveries under .hermes; one run."))
    assert cites(folder, index)
    assert index not in document(folder)["mappings"][0]["evidence"]


def test_a_second_run_changes_not_a_byte(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    add(folder, OBSERVED, SOURCE)
    once = (folder / "descriptor.json").read_bytes()
    result = add(folder, OBSERVED, SOURCE)
    assert (folder / "descriptor.json").read_bytes() == once
    assert result.out.count("there already") == 2


def test_one_run_adds_several_items_and_says_where(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    first = len(document(folder)["evidence"])
    result = add(folder, OBSERVED, SOURCE, options=("--json",))
    told = json.loads(result.out)
    assert schemas.errors("evidence-add", told) == []
    assert [(item["index"], item["did"]) for item in told["items"]] == [(first, "appended"), (first + 1, "appended")]


def test_without_replace_a_newer_observation_of_a_version_is_added_too(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    add(folder, OBSERVED)
    count = len(document(folder)["evidence"])
    add(folder, changed(date="2026-12-02"))
    assert len(document(folder)["evidence"]) == count + 1


def test_replace_supersedes_at_the_index(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    add(folder, OBSERVED)
    before = document(folder)
    index = len(before["evidence"]) - 1
    newer = changed(date="2026-12-02", validator="validator-v0.2.0", converter=f"{FORMAT}-v0.2.0")
    assert "replaced" in add(folder, newer, options=("--replace",)).out
    assert document(folder) == {**before, "evidence": [*before["evidence"][:index], newer]}


def test_replace_leaves_what_another_converter_gave(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    theirs = document(folder)["evidence"][2]
    ours = {**theirs, "date": "2026-11-30", "converter": f"{FORMAT}-v0.1.0"}
    add(folder, ours, options=("--replace",))
    items = document(folder)["evidence"]
    assert (items[2], items[-1]) == (theirs, ours)


def test_replace_does_not_put_an_older_observation_in_a_newer_one_s_place(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    add(folder, OBSERVED)
    before = document(folder)
    result = add(folder, changed(date="2026-11-30"), options=("--replace",))
    assert (result.code, document(folder)) == (2, before)
    assert "newer" in result.err


REFUSED: list[tuple[str, Any, str]] = [
    ("errors", counted(errors=1), "/validation/errors"),
    ("gaps", counted(gaps=2), "/validation/gaps"),
    ("no record", counted(records=0), "/validation/records"),
    ("no stream", counted(streams=0), "/validation/streams"),
    ("no limitations", changed(limitations=None), '"limitations"'),
    ("limitations that say nothing", changed(limitations=" \n"), "/limitations"),
    ("no converter", {**OBSERVED, "converter": None}, "/converter"),
    ("a converter without a version", changed(converter="thing"), "/converter"),
    ("a count left out", changed(validation={"streams": 1}), "/validation"),
    ("an unknown member", changed(colour="red"), '"colour"'),
    ("a day that is none", changed(date="2026-02-30"), "/date"),
    ("two revisions", changed(revision="other"), "/revision"),
    ("an unknown label", changed(label="heard"), "/label"),
    ("no object", [OBSERVED], "at /"),
    ("a whole report", {"report": "0.1", "captures": []}, "is a report"),
    ("a format that nobody can tell", changed(scope="logs; one run.", converter="other-1.0"), "--format"),
]


@pytest.mark.parametrize(("item", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_evidence_for_nothing_is_refused_with_its_place(tmp_path: Path, item: Any, said: str) -> None:
    folder = descriptor(tmp_path)
    before = (folder / "descriptor.json").read_bytes()
    result = add(folder, item)
    assert (result.code, (folder / "descriptor.json").read_bytes()) == (2, before)
    assert result.err.startswith("validator: item-0.json: ")
    assert said in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("text", [b"", b"{", b'{"label": "observed", "label": "source"}', b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_item_is_refused(tmp_path: Path, text: bytes) -> None:
    folder = descriptor(tmp_path)
    (tmp_path / "x.json").write_bytes(text)
    result = run("evidence", "add", str(folder), str(tmp_path / "x.json"))
    assert (result.code, result.err[:18]) == (2, "validator: x.json:")


def test_one_item_that_is_refused_keeps_all_out(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    before = (folder / "descriptor.json").read_bytes()
    assert add(folder, OBSERVED, counted(errors=1)).code == 2
    assert (folder / "descriptor.json").read_bytes() == before


def test_the_format_can_be_named(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    index = len(document(folder)["evidence"])
    item = changed(scope="logs; one run.", converter="other-1.0")
    assert add(folder, item, options=("--format", FORMAT)).code == 0
    assert cites(folder, index)
    assert add(folder, item, options=("--format", "no-such-format")).code == 2


def test_a_source_item_supports_a_format_that_is_named(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    index = len(document(folder)["evidence"])
    add(folder, SOURCE)
    assert not cites(folder, index)
    add(folder, SOURCE, options=("--format", FORMAT))
    assert cites(folder, index)


def test_a_descriptor_that_cites_what_is_not_there_is_not_written_to(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    path = folder / "descriptor.json"
    broken = document(folder)
    put("formats", 0, "evidence", value=[0, 999])(broken)
    path.write_text(json.dumps(broken), encoding="utf-8")
    assert add(folder, OBSERVED).code == 2
    assert document(folder) == broken


def test_a_link_to_the_descriptor_stays_a_link(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    path = folder / "descriptor.json"
    real = tmp_path / "real.json"
    path.rename(real)
    path.symlink_to(real)
    assert add(folder, OBSERVED).code == 0
    assert path.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8"))["evidence"][-1] == OBSERVED


def test_the_mode_of_the_file_stays(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    (folder / "descriptor.json").chmod(0o640)
    add(folder, OBSERVED)
    assert (folder / "descriptor.json").stat().st_mode & 0o777 == 0o640


def test_nothing_is_left_beside_the_descriptor(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    names = sorted(path.name for path in folder.iterdir())
    add(folder, OBSERVED)
    assert sorted(path.name for path in folder.iterdir()) == names


def test_a_descriptor_of_another_producer_keeps_its_own_form(tmp_path: Path) -> None:
    text = (
        '{"name":"org.example.agent","aliases":[],"namespace":{"rule":"native-global"},"positions":[{"family":"transcript",'
        '"basis":"line","boundary":"line"}],"formats":[{"id":"example-log","evidence":[0]}],"evidence":[{"label":"source",'
        '"revision":"commit:abc","scope":"log"}],"destinations":{},"mappings":[{"native":"line","destination":"native.record"'
        ',"scope":"session.jsonl lines","evidence":[0]}]}'
    )
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "descriptor.json").write_text(text, encoding="utf-8")
    item = changed(scope="session.jsonl; one run.", converter="example-log-v1.0.0")
    assert add(folder, item).code == 2  # without its shape, nothing says which format it is about
    (folder / "formats").mkdir()
    shape = {"shape": "0.1", "format": "example-log", "reader": "sqlite-table"}
    shape = {**shape, "files": [{"pattern": "session.jsonl"}], "tables": []}
    (folder / "formats" / "example-log.json").write_text(json.dumps(shape), encoding="utf-8")
    assert add(folder, item).code == 0
    written = (folder / "descriptor.json").read_text(encoding="utf-8")
    added = json.dumps(item, separators=(",", ":"))
    expected = text.replace('"scope":"log"}]', f'"scope":"log"}},{added}]')
    assert written == expected.replace('"evidence":[0]', '"evidence":[0,1]')
