"""With `--after POSITION` a run holds the transcript beyond it, the streams that have any, and all current state."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.converter.streams import Line, captured, lines, of_kind, records
from tests.stores import build, strangers
from validator.converter import WrongRequest


def transcript(found: list[Line]) -> list[Line]:
    return [record for record in of_kind(found, "record") if record["family"] == "transcript"]


def unnumbered(found: list[Line]) -> list[tuple[object, Line]]:
    """The records, each with its session in place of its stream's number, which may differ between runs."""
    sessions = {line["stream"]: line["session"] for line in of_kind(found, "stream")}
    return [(sessions[record["stream"]], {**record, "stream": None}) for record in of_kind(found, "record")]


def test_begin_says_that_a_run_can_go_on(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31).path
    assert lines(store)[0]["after"] is True
    assert lines(store, after="5")[0] == lines(store)[0]


@pytest.mark.parametrize("name", ["0.19.0-compress-rotate", "0.19.0-killed", "iot-0.22.2.post1-telegram"])
def test_a_suffix_is_the_rest_of_the_whole_at_every_position(tmp_path: Path, name: str) -> None:
    store, namespace = captured(name, tmp_path)
    whole = unnumbered(lines(store, namespace))
    positions = [int(record["position"]) for _, record in whole if record["family"] == "transcript"]
    for after in [-1, 0, *positions, max(positions) + 1]:
        rest = [entry for entry in whole if entry[1]["family"] != "transcript" or int(entry[1]["position"]) > after]
        assert sorted(map(repr, unnumbered(lines(store, namespace, str(after))))) == sorted(map(repr, rest))


def test_a_stream_with_nothing_left_is_not_declared(tmp_path: Path) -> None:
    rows = {"messages": [{"session_id": "gone"}, {"session_id": "gone too"}]}
    store = build(tmp_path / "state.db", 31, rows).path
    assert [line["session"] for line in of_kind(lines(store, after="1"), "stream")] == ["gone too"]
    assert of_kind(lines(store, after="2"), "stream") == []


def test_a_result_is_joined_to_a_call_before_the_position(tmp_path: Path) -> None:
    rows = {
        "sessions": [{"id": "s"}],
        "messages": [
            {"session_id": "s", "role": "assistant", "tool_calls": '[{"id": "a"}]'},
            {"session_id": "s", "role": "tool", "tool_call_id": "a"},
        ],
    }
    store = build(tmp_path / "state.db", 31, rows).path
    (record,) = transcript(lines(store, after="1"))
    assert record["toolResult"]["call"] == "1/0"


@pytest.mark.parametrize(
    ("after", "left"),
    [
        (-(2**63), ["-1", "0", "9007199254740993", "9223372036854775807"]),
        (-(2**70), [str(-(2**63)), "-1", "0", "9007199254740993", "9223372036854775807"]),
        (2**53 + 1, ["9223372036854775807"]),
        (2**63 - 1, []),
        (2**80, []),
    ],
)
def test_positions_may_be_any_integer(tmp_path: Path, after: int, left: list[str]) -> None:
    store = strangers.negative_rowids(tmp_path / "state.db").path
    assert [record["position"] for record in transcript(lines(store, after=str(after)))] == left


@pytest.mark.parametrize("after", ["", "x", "1.5", "１", "--1", "1" * 40, "0x10", " 1"])
def test_what_is_no_position_is_refused(tmp_path: Path, after: str) -> None:
    store = build(tmp_path / "state.db", 31).path
    with pytest.raises(WrongRequest, match="position"):
        lines(store, after=after)


def test_ids_that_are_no_rowids_are_taken_in_their_order(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31, {"sessions": [{"id": "s"}]}).path
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DROP TABLE messages")
        connection.execute("CREATE TABLE messages(id INTEGER, session_id, role, content)")
        connection.executemany("INSERT INTO messages VALUES (?, 's', 'user', '')", [(9,), (2,), (5,)])
    assert list(records(lines(store), "messages")) == ["2", "5", "9"]
    assert list(records(lines(store, after="2"), "messages")) == ["5", "9"]
