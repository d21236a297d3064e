"""The edits of lines: each breaks a stream in its own way, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from validator.claims.edits import EDITS, EditError, edited, parse, written

ROW = {
    "id": 1,
    "content": "before\0after",
    "cost": 0.1,
    "whole": 2.0,
    "none": None,
    "empty": "",
    "wide": " x ",
    "blob": {"$blob": "YWI="},
    "bad": {"$text": "Yf8="},
}


def record(key: str, **members: Any) -> dict[str, Any]:
    row = {**ROW, "id": int(key)}
    line = {"line": "record", "stream": 1, "family": "transcript", "entity": {"type": "message", "key": key}}
    return {**line, **members, "native": {"record": {"table": "messages", "row": row}}}


LINES: list[dict[str, Any]] = [
    {"line": "begin", "producer": "p"},
    {"line": "stream", "stream": 1, "session": "s"},
    record("1", role="user", links=[{"rel": "fork"}, {"rel": "instructions"}]),
    record("2", role="tool", toolResult={"call": "2/0"}),
    {"line": "end", "streams": 1, "records": 2, "gaps": 0, "notices": 0},
]
RAW = [written(line) for line in LINES]


def after(name: str, **where: Any) -> list[dict[str, Any]]:
    """The lines after an edit."""
    return parse(edited(RAW, LINES, name, where))


def row_after(name: str, **where: Any) -> dict[str, Any]:
    """The first record's native row after an edit of it."""
    row: dict[str, Any] = after(name, take="first", **where)[2]["native"]["record"]["row"]
    return row


def test_lines_that_are_not_chosen_keep_their_bytes() -> None:
    spaced = [line.replace(b'":', b'" :') for line in RAW]
    lines = edited(spaced, LINES, "set", {"pointer": "/role", "value": "x", "take": "last"})
    assert [line == before for line, before in zip(lines, spaced, strict=True)] == [True, True, True, False, True]


def test_an_edit_that_changes_nothing_keeps_the_bytes_too() -> None:
    assert edited(RAW, LINES, "remove", {"pointer": "/mood"}) == RAW


def test_what_was_parsed_is_not_changed() -> None:
    before = json.dumps(LINES)
    for name, edit in EDITS.items():
        given = {"pointer": "/role", "to": "/mood", "value": 1, "column": "id", "source": "state.db"}
        edited(RAW, LINES, name, {need: given[need] for need in edit.needs})
    assert json.dumps(LINES) == before


@pytest.mark.parametrize(
    ("where", "changed"),
    [
        ({}, ["1", "2"]),
        ({"table": "messages"}, ["1", "2"]),
        ({"table": "sessions"}, []),
        ({"entity": "message", "family": "transcript"}, ["1", "2"]),
        ({"has": "/toolResult/call"}, ["2"]),
        ({"lacks": "/toolResult"}, ["1"]),
        ({"at": "/role", "is": "user"}, ["1"]),
        ({"at": "/links/1/rel", "is": "instructions"}, ["1"]),
        ({"take": "first"}, ["1"]),
        ({"take": "last"}, ["2"]),
        ({"take": "last", "at": "/role", "is": "user"}, ["1"]),
    ],
)
def test_where_chooses_the_lines(where: dict[str, Any], changed: list[str]) -> None:
    lines = after("set", pointer="/mood", value="grim", **where)
    assert [line["entity"]["key"] for line in lines if line.get("mood") == "grim"] == changed


def test_other_kinds_of_line_are_chosen_by_name() -> None:
    assert after("set", line="begin", pointer="/producer", value="q")[0]["producer"] == "q"
    assert after("set", line="stream", pointer="/session", value=None)[1]["session"] is None
    assert after("set", line="end", pointer="/records", value=7)[-1]["records"] == 7


def test_set_makes_what_is_missing_on_the_way() -> None:
    assert after("set", pointer="/hermes/origin/a~1b", value=1)[2]["hermes"] == {"origin": {"a/b": 1}}


def test_set_replaces_and_appends_elements() -> None:
    assert after("set", pointer="/links/0", value=7, take="first")[2]["links"] == [7, {"rel": "instructions"}]
    assert after("set", pointer="/links/-", value=7, take="first")[2]["links"][2:] == [7]


def test_remove_takes_members_and_elements() -> None:
    assert "role" not in after("remove", pointer="/role")[2]
    assert after("remove", pointer="/links/0", take="first")[2]["links"] == [{"rel": "instructions"}]


def test_rename_and_copy_move_what_is_there() -> None:
    renamed = after("rename", pointer="/role", to="/author")[2]
    assert ("role" in renamed, renamed["author"]) == (False, "user")
    copied = after("copy", pointer="/role", to="/author")[2]
    assert (copied["role"], copied["author"]) == ("user", "user")
    assert "author" not in after("copy", pointer="/nothing", to="/author")[2]


def test_cut_last_shortens_text_and_arrays() -> None:
    assert after("cut-last", pointer="/role")[2]["role"] == "use"
    assert after("cut-last", pointer="/links", take="first")[2]["links"] == [{"rel": "fork"}]


def test_whole_lines_are_dropped_repeated_and_moved_and_end_counts_them() -> None:
    assert [line.get("records") for line in after("drop-line", take="first")[-1:]] == [1]
    repeated = after("repeat-line", take="first")
    assert [line["line"] for line in repeated] == ["begin", "stream", "record", "record", "record", "end"]
    assert repeated[2] == repeated[3]
    assert repeated[-1]["records"] == 3
    moved = after("move-line-to-end", take="first")
    assert [line["entity"]["key"] for line in moved[2:4]] == ["2", "1"]
    assert moved[-1] == LINES[-1]


def test_a_gap_takes_the_place_of_a_record() -> None:
    lines = after("gap-for-record", source="state.db", take="last")
    place = {"source": "state.db", "table": "messages", "key": ["2"]}
    assert lines[3] == {"line": "gap", "from": place, "to": place, "units": 1, "reason": "unreadable"}
    assert (lines[-1]["records"], lines[-1]["gaps"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "where", "changes"),
    [
        ("drop-column", {"column": "cost"}, {"cost": ...}),
        ("set-column", {"column": "cost", "value": 1}, {"cost": 1}),
        ("set-column", {"column": "mood", "value": 1}, {}),
        ("add-column", {"column": "mood", "value": 1}, {"mood": 1}),
        ("add-column", {"column": "cost", "value": 1}, {}),
        ("rename-column", {"column": "cost", "to": "price"}, {"cost": ..., "price": 0.1}),
        ("drop-null-columns", {}, {"none": ...}),
        ("cut-text-at-nul", {}, {"content": "before"}),
        ("trim-text", {}, {"wide": "x"}),
        ("real-as-text", {}, {"cost": "0.1", "whole": "2.0"}),
        ("integer-as-text", {}, {"id": "1"}),
        ("blob-as-text", {}, {"blob": "ab"}),
        ("replace-bad-text", {}, {"bad": "a\ufffd"}),
        ("empty-as-null", {}, {"empty": None}),
        ("null-as-empty", {}, {"none": ""}),
        ("round-real", {}, {}),
    ],
)
def test_an_edit_of_the_native_row(name: str, where: dict[str, Any], changes: dict[str, Any]) -> None:
    wanted = {column: cell for column, cell in {**ROW, **changes}.items() if cell is not ...}
    row = row_after(name, **where)
    assert row == wanted
    assert {column: type(cell) for column, cell in row.items()} == {c: type(cell) for c, cell in wanted.items()}


def test_round_real_keeps_three_decimals() -> None:
    line = record("1")
    line["native"]["record"]["row"]["cost"] = 0.123456
    (end,) = LINES[-1:]
    rounded = parse(edited([written(line), written(end)], [line, end], "round-real", {}))
    assert rounded[0]["native"]["record"]["row"]["cost"] == 0.123


def test_an_edit_leaves_a_record_without_a_row_alone() -> None:
    blob = {"line": "record", "entity": {"key": "a"}, "native": {"blob": {"$blob": ""}}}
    (end,) = LINES[-1:]
    raw = [written(blob), written(end)]
    assert parse(edited(raw, [blob, end], "drop-column", {"column": "id"}))[0] == blob


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        ("vanish", {}, "there is no edit 'vanish'; there are: add-column, blob-as-text"),
        ("set", {"pointer": "/a"}, "the edit 'set' lacks value"),
        ("drop-line", {"tabel": "x"}, "the edit 'drop-line' has no use for tabel; where may say: line, table"),
        ("set", {"pointer": "role", "value": 1}, "'role' is no JSON Pointer; begin it with /"),
        ("set", {"pointer": "/role/x", "value": 1}, "nothing can stand at '/role/x' in a line that was chosen"),
        ("set", {"pointer": "/links/9", "value": 1}, "nothing can stand at '/links/9'"),
        ("set", {"pointer": "/links/x", "value": 1}, "nothing can stand at '/links/x'"),
    ],
)
def test_a_wrong_edit_is_refused_with_what_there_is(name: str, where: dict[str, Any], message: str) -> None:
    with pytest.raises(EditError, match=message):
        edited(RAW, LINES, name, where)
