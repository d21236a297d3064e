"""The lint: each fault is found where it is, with a remedy, and a sound descriptor has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from tests.lint.descriptors import ONE_CAPTURE, Change, copied, drop, file_of, put
from validator import schemas
from validator.lint import lint


def faults(folder: Path, **options: Any) -> list[dict[str, Any]]:
    document = lint([str(folder)], [ONE_CAPTURE], **options)
    assert schemas.errors("lint", document) == []
    return [fault for entry in document["descriptors"] for fault in entry["faults"]]


def errors(folder: Path, **options: Any) -> list[tuple[str, str | None, str]]:
    return [
        (fault["file"], fault.get("pointer", fault.get("claim")), fault["code"])
        for fault in faults(folder, **options)
        if fault["level"] == "error"
    ]


def test_the_descriptors_that_ship_have_no_fault() -> None:
    document = lint([])
    assert [fault for entry in document["descriptors"] for fault in entry["faults"] if fault["level"] == "error"] == []
    assert document["exit"] == 0


def test_a_sound_copy_has_no_fault(tmp_path: Path) -> None:
    assert errors(copied(tmp_path)) == []


OBSERVED = ("evidence", 2)

WRONG: list[tuple[str, str, Change, str, str]] = [
    ("an index that points nowhere", "descriptor", put("formats", 0, "evidence", value=[0, 99]),
     "/formats/0/evidence/1", "evidence-nowhere"),
    ("a mapping's index that points nowhere", "descriptor", put("mappings", 0, "evidence", value=[2, 41]),
     "/mappings/0/evidence/1", "evidence-nowhere"),
    ("a destination's index that points nowhere", "descriptor",
     put("destinations", "origin", "evidence", value=[70]), "/destinations/origin/evidence/0", "evidence-nowhere"),
    ("an observed item without limitations", "descriptor", drop(*OBSERVED, "limitations"), "/evidence/2", "schema"),
    ("limitations that say nothing", "descriptor", put(*OBSERVED, "limitations", value="  "),
     "/evidence/2/limitations", "empty"),
    ("a date that is none in form", "descriptor", put(*OBSERVED, "date", value="27.10.2026"), "/evidence/2/date",
     "schema"),
    ("a date that is no day of the calendar", "descriptor", put(*OBSERVED, "date", value="2026-02-30"),
     "/evidence/2/date", "not-a-date"),
    ("an observation with errors", "descriptor", put(*OBSERVED, "validation", "errors", value=1),
     "/evidence/2/validation/errors", "failed-evidence"),
    ("an observation with gaps", "descriptor", put(*OBSERVED, "validation", "gaps", value=3),
     "/evidence/2/validation/gaps", "failed-evidence"),
    ("an observation of nothing", "descriptor", put(*OBSERVED, "validation", "records", value=0),
     "/evidence/2/validation/records", "failed-evidence"),
    ("two revisions in one item", "descriptor", put(*OBSERVED, "revision", value="another"), "/evidence/2/revision",
     "revision-differs"),
    ("the same evidence twice", "descriptor", lambda document: document["evidence"].append(document["evidence"][0]),
     "/evidence/{last}", "evidence-twice"),
    ("a mapping of more than its evidence", "descriptor", put("mappings", 0, "scope", value="everything under .hermes"),
     "/mappings/0/scope", "beyond-evidence"),
    ("a mapping that rests on a probe of something else", "descriptor", put("mappings", 0, "evidence", value=[1]),
     "/mappings/0/scope", "beyond-evidence"),
    ("an alias twice", "descriptor", put("aliases", value=["hermes", "hermes"]), "/aliases/1", "alias-twice"),
    ("a key that nobody knows", "descriptor", put("colour", value="red"), "", "schema"),
    ("a key that nobody knows, inside", "descriptor", put(*OBSERVED, "colour", value="red"), "/evidence/2", "schema"),
    ("a destination whose schema is none", "descriptor",
     put("destinations", "origin", "schema", value={"type": "thing"}), "/destinations/origin/schema/type", "schema"),
    ("a destination whose schema is elsewhere", "descriptor",
     put("destinations", "origin", "schema", value={"items": {"$ref": "https://example.org/origin.json"}}),
     "/destinations/origin/schema", "schema"),
    ("a destination whose schema refers to nothing", "descriptor",
     put("destinations", "origin", "schema", value={"$ref": "#/$defs/nothing"}), "/destinations/origin/schema",
     "schema"),
    ("a format without a shape", "descriptor",
     lambda document: document["formats"].append({"id": "other-files", "evidence": [0]}), "/formats/{formats}/id",
     "no-shape"),
    ("a format twice", "descriptor", lambda document: document["formats"].append(document["formats"][0]),
     "/formats/{formats}/id", "format-twice"),
    ("a shape without a format", "shape", put("format", value="other-store"), "/format", "format-unknown"),
    ("a table twice", "shape", put("tables", 1, "name", value="messages"), "/tables/1/name", "name-twice"),
    ("a column twice", "shape", put("tables", 0, "columns", 1, "name", value="id"), "/tables/0/columns/1/name",
     "name-twice"),
    ("a key that is no column", "shape", put("tables", 0, "keys", value=[["uid"]]), "/tables/0/keys/0/0",
     "column-unknown"),
    ("a session that is no column", "shape", put("tables", 0, "stream", "session", value="sid"),
     "/tables/0/stream/session", "column-unknown"),
    ("a workbench column of no native one", "shape", put("tables", 0, "workbench", "columns", "role", "column",
     value="roles"), "/tables/0/workbench/columns/role/column", "column-unknown"),
    ("a layout that no release writes", "shape", put("tables", 0, "columns", 0, "since", value=12),
     "/tables/0/columns/0/since", "layout-unknown"),
    ("a column older than its table", "shape", put("tables", 0, "since", value=22), "/tables/0/columns/0/since",
     "older-than-table"),
    ("a namespace in no table", "shape", put("namespace", "table", value="meta"), "/namespace/table", "table-unknown"),
    ("a derived pattern that covers a table", "shape", put("derived", 0, "pattern", value="mess*"), "/tables/0/name",
     "derived-too"),
    ("a reader that is none", "shape", put("reader", value="magnet"), "/reader", "schema"),
    ("a rule for a format that is none", "sources", put("rules", 0, "format", value="other-files"),
     "/rules/0/format", "format-unknown"),
    ("a kind of file twice", "kinds", put("kinds", 1, "name", value="memory-md"), "/kinds/1/name", "name-twice"),
    ("a kind of line twice", "kinds", put("kinds", 2, "lines", 1, "name", value="session_meta"),
     "/kinds/2/lines/1/name", "name-twice"),
    ("two kinds that fill one table otherwise", "kinds", drop("kinds", 1, "workbench", "columns", "project"),
     "/kinds/1/workbench/columns", "columns-differ"),
    ("a session named by a kind of line that is not there", "kinds", put("kinds", 2, "session", "line", value="meta"),
     "/kinds/2/session/line", "line-unknown"),
    ("a value taken without saying where", "kinds", drop("kinds", 0, "workbench", "columns", "tags", "pointer"),
     "/kinds/0/workbench/columns/tags", "schema"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "change", "pointer", "code"), [case[1:] for case in WRONG], ids=[c[0] for c in WRONG])
def test_a_fault_is_found_where_it_is(tmp_path: Path, file: str, change: Change, pointer: str, code: str) -> None:
    folder = copied(tmp_path, **{file: change})
    document = json.loads((folder / "descriptor.json").read_text(encoding="utf-8"))
    pointer = pointer.format(last=len(document["evidence"]) - 1, formats=len(document["formats"]) - 1)
    name = file_of(folder, file).relative_to(folder).as_posix()
    assert (name, pointer, code) in errors(folder)


def test_every_fault_has_a_remedy(tmp_path: Path) -> None:
    folder = copied(tmp_path, descriptor=drop("evidence", 2, "limitations"), shape=put("reader", value="magnet"))
    found = faults(folder)
    assert found
    assert all(fault["remedy"] for fault in found)
    assert any("does not show" in fault["remedy"] for fault in found)


def test_evidence_of_another_format_supports_none(tmp_path: Path) -> None:
    def change(document: Any) -> None:
        item = document["evidence"][2]
        document["evidence"].append({**item, "converter": "other-files-v1.0.0"})
        document["formats"] = [
            {"id": "hermes-state-sqlite", "evidence": [0]},
            {"id": "other-files", "evidence": [2]},
            {"id": "hermes-home-files", "evidence": [0]},
        ]

    folder = copied(tmp_path, descriptor=change)
    shape = {"shape": "0.1", "format": "other-files", "reader": "sqlite-table", "files": [{"pattern": "other.db"}],
             "tables": []}  # fmt: skip
    (folder / "formats" / "other-files.json").write_text(json.dumps(shape), encoding="utf-8")
    assert ("descriptor.json", "/formats/1/evidence", "beyond-evidence") in errors(folder)


def test_an_alias_of_another_producer_is_found_in_the_second(tmp_path: Path) -> None:
    first = copied(tmp_path / "a")
    second = copied(tmp_path / "b", descriptor=put("name", value="org.example.other"))
    document = lint([str(first), str(second)], [ONE_CAPTURE])
    _, entry = document["descriptors"]
    assert entry["descriptor"] == "org.example.other"
    assert [(f["pointer"], f["code"]) for f in entry["faults"] if f["code"] == "alias-twice"] == [
        ("/aliases/0", "alias-twice")
    ]


def test_a_member_that_stands_twice_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = folder / "descriptor.json"
    path.write_text(path.read_text(encoding="utf-8").replace("{", '{"name": "a.b", ', 1), encoding="utf-8")
    assert ("descriptor.json", "/name", "repeated-member") in errors(folder)


@pytest.mark.parametrize("text", ["", "{", '{"name": NaN}', "[1, 2]", "[" * 100_000, '"\ud800"'])
def test_a_file_that_is_no_descriptor_is_a_fault_and_no_traceback(tmp_path: Path, text: str) -> None:
    folder = copied(tmp_path)
    (folder / "descriptor.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert [file for file, _, _ in errors(folder)][:1] == ["descriptor.json"]


def test_a_claim_for_a_table_that_the_shape_does_not_know_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "claims").mkdir()
    (folder / "claims" / "test.toml").write_text(CLAIM, encoding="utf-8")
    assert ("claims/test.toml", "test.table", "table-unknown") in errors(folder)


def test_a_part_of_the_page_without_a_claim_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "claims").mkdir()
    (folder / "claims" / "test.toml").write_text(CLAIM.replace("u.tab = 'moods'", "1"), encoding="utf-8")
    part = {"section": "links", "title": "Links", "claims": ["test.*", "moods.*"]}
    (folder / "page.json").write_text(json.dumps({"page": "0.1", "parts": [part]}), encoding="utf-8")
    assert errors(folder) == [("page.json", "/parts/0/claims/1", "no-claim")]


def test_a_claim_that_rests_on_no_evidence_that_exists_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "claims").mkdir()
    text = CLAIM.replace("u.tab = 'moods'", "u.tab = 'messages'").replace("evidence = [0]", "evidence = [0, 77]")
    (folder / "claims" / "test.toml").write_text(text, encoding="utf-8")
    (fault,) = [fault for fault in faults(folder) if fault["level"] == "error"]
    assert (fault["claim"], fault["code"]) == ("test.table", "claim")
    assert "77" in fault["message"]


CLAIM = '''
[[claim]]
id = "test.table"
statement = "A statement."
evidence = [0]
source = "A test"
remedy = "A remedy."
subjects = "SELECT u.unit FROM native_unit AS u WHERE u.tab = 'moods'"
violations = """
SELECT r.unit, r.line, '/role' AS at, m.role AS expected, r.role AS found
FROM record AS r LEFT JOIN native_message AS m ON m.unit = r.unit WHERE r.role IS NOT m.role
"""

[[claim.mutants]]
name = "all alike"
sql = "UPDATE record SET role = 'user'"

[[claim.mutants]]
name = "none"
sql = "UPDATE record SET role = NULL"
'''


def test_a_column_that_no_capture_has_is_a_notice_and_strictly_an_error(tmp_path: Path) -> None:
    column = {"name": "mood", "type": "TEXT", "notNull": False, "default": None, "since": 22}
    folder = copied(tmp_path, shape=lambda shape: shape["tables"][0]["columns"].append(column))
    assert errors(folder) == []
    found = [fault for fault in faults(folder) if fault["code"] == "not-shown" and "mood" in fault["message"]]
    assert [(fault["level"], fault["pointer"]) for fault in found] == [("notice", "/tables/0/columns")]
    assert ("formats/hermes-state-sqlite.json", "/tables/0/columns", "not-shown") in errors(folder, strict=True)


def test_a_column_of_the_source_is_said_to_be_that_and_never_an_error(tmp_path: Path) -> None:
    found = [fault for fault in faults(copied(tmp_path), strict=True) if fault["code"] == "source-only"]
    assert {fault["level"] for fault in found} == {"notice"}
    assert any("worker_receipts" in fault["message"] for fault in found)


def test_a_kind_of_file_that_no_capture_has_is_said_to_be_the_document_s_only(tmp_path: Path) -> None:
    found = [fault for fault in faults(copied(tmp_path)) if fault["code"] == "source-only"]
    assert any(fault["message"].startswith("session-log is known from the format's document") for fault in found)


def test_what_no_file_of_a_kind_holds_is_a_notice(tmp_path: Path) -> None:
    document = lint([str(copied(tmp_path))], [str(Path(ONE_CAPTURE).parent / "0.19.0-memory")])
    [message] = [
        fault["message"]
        for entry in document["descriptors"]
        for fault in entry["faults"]
        if fault["code"] == "never-filled" and fault["message"].startswith("memory-md")
    ]
    assert "tags (/tags)" in message
    assert "text" not in message


def test_an_edition_of_a_descriptor_that_ships_may_have_its_name(tmp_path: Path) -> None:
    assert not [fault for fault in faults(copied(tmp_path)) if fault["code"] == "alias-twice"]


def test_another_producer_may_not_have_the_alias_of_one_that_ships(tmp_path: Path) -> None:
    folder = copied(tmp_path, descriptor=put("name", value="org.example.other"))
    assert ("descriptor.json", "/aliases/0", "alias-twice") in errors(folder)


def test_exit_codes_are_those_of_the_page(tmp_path: Path) -> None:
    sound, broken = copied(tmp_path / "a"), copied(tmp_path / "b", descriptor=put("colour", value="red"))
    (tmp_path / "bare").mkdir()
    captures = ("--captures", ONE_CAPTURE)
    assert run("lint", str(sound), *captures).code == 0
    assert run("lint", str(broken), *captures).code == 1
    assert run("lint", str(tmp_path / "bare"), *captures).code == 2
    assert run("lint", "no.such.producer").code == 2


def test_the_text_names_file_place_remedy_and_code(tmp_path: Path) -> None:
    folder = copied(tmp_path, descriptor=put("formats", 0, "evidence", value=[99]))
    out = run("lint", str(folder), "--captures", ONE_CAPTURE).out
    (line,) = [line for line in out.splitlines() if "evidence-nowhere" in line]
    where = "com.nousresearch.hermes/descriptor.json: /formats/0/evidence/0"
    assert line.startswith(f"error: {where}: there is no evidence 99")
    assert "; cite an item" in line


def test_a_hostile_name_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    hostile = {"name": "\x1b[2J", "type": "TEXT", "notNull": False, "default": None, "since": 22}
    folder = copied(tmp_path, shape=lambda shape: shape["tables"][0]["columns"].append(hostile))
    assert "\x1b" not in run("lint", str(folder), "--captures", ONE_CAPTURE).out


def test_a_schema_that_refers_to_its_own_parts_is_sound(tmp_path: Path) -> None:
    schema = {"$defs": {"a": {"type": "object"}}, "$ref": "#/$defs/a"}
    assert errors(copied(tmp_path, descriptor=put("destinations", "origin", "schema", value=schema))) == []


def test_no_absolute_path_is_in_the_output(tmp_path: Path) -> None:
    folder = copied(tmp_path, descriptor=put("name", value=7))
    result = run("lint", str(folder), "--captures", ONE_CAPTURE, "--json")
    assert str(tmp_path) not in result.out
