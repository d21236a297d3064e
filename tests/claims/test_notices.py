"""The notices about whole sets of units: one for each what, and where it is, on constructed stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stores import Row, Rows, build
from validator.check import check
from validator.replay import Options
from validator.replay.converters import BuiltIn

Notice = tuple[str, str | None, list[Any] | None, str | None, str | None]
"""Code, table, key, column, detail."""


def noticed(folder: Path, rows: Rows, **more: Any) -> list[Notice]:
    """The notices of a store of schema 31, sorted by code and key."""
    build(folder / "state.db", 31, rows, **more)
    report = check([str(folder / "state.db")], None, Options(BuiltIn(), {None: "n"}), "error")
    assert report["verdict"] == "conforms"
    found = []
    for notice in report["captures"][0]["notices"]:
        where = notice["where"]
        assert where["source"] == "state.db"
        found.append((notice["code"], where.get("table"), where.get("key"), where.get("column"), notice.get("detail")))
    return sorted(found, key=repr)


def sessions(*parents: tuple[str, str | None]) -> Rows:
    return {"sessions": [{"id": name, "source": "cli", "parent_session_id": parent} for name, parent in parents]}


def asked(number: int, *ids: str, **more: Any) -> Row:
    stored = json.dumps([{"id": call_id} for call_id in ids])
    return {"id": number, "session_id": "s", "role": "assistant", "tool_calls": stored, **more}


def answered(number: int, call_id: str | None, **more: Any) -> Row:
    return {"id": number, "session_id": "s", "role": "tool", "tool_call_id": call_id, **more}


def messages(*rows: Row) -> Rows:
    return {"sessions": [{"id": "s", "source": "cli"}], "messages": list(rows)}


def test_an_orphan_session_is_noted_once_at_its_first_message(tmp_path: Path) -> None:
    rows = messages({"id": 1, "session_id": "gone"}, {"id": 2, "session_id": "gone"}, {"id": 3, "session_id": "s"})
    assert noticed(tmp_path, rows) == [("orphan-session", "messages", ["1"], None, "gone")]


def test_a_session_without_messages_is_no_orphan(tmp_path: Path) -> None:
    assert noticed(tmp_path, sessions(("s", None))) == []


def test_a_table_that_nobody_describes_is_noted_with_its_rows(tmp_path: Path) -> None:
    ddl = ["CREATE TABLE moods(mood)", "CREATE TABLE empty(mood)"]
    assert noticed(tmp_path, {**sessions(("s", None)), "moods": [{"mood": "calm"}]}, extra_ddl=ddl) == [
        ("unknown-table", "empty", None, None, "0 rows"),
        ("unknown-table", "moods", None, None, "1 row"),
    ]


def test_a_column_that_nobody_describes_is_noted_once_also_in_a_context_table(tmp_path: Path) -> None:
    ddl = ["ALTER TABLE messages ADD COLUMN mood", "ALTER TABLE state_meta ADD COLUMN since"]
    rows = messages({"session_id": "s"}, {"session_id": "s"})
    assert noticed(tmp_path, rows, extra_ddl=ddl) == [
        ("unknown-column", "messages", None, "mood", None),
        ("unknown-column", "state_meta", None, "since", None),
    ]


def test_an_unknown_role_is_noted_once_for_each_role(tmp_path: Path) -> None:
    roles = ("developer", "user", "developer", "Tool", None)
    rows = messages(*({"id": n, "session_id": "s", "role": role} for n, role in enumerate(roles, 1)))
    assert noticed(tmp_path, rows, strict=False) == [
        ("unknown-role", "messages", ["1"], "role", "developer"),
        ("unknown-role", "messages", ["4"], "role", "Tool"),
    ]


def test_times_that_go_backwards_are_noted_once_for_each_stream(tmp_path: Path) -> None:
    times = {"s": (10, 20, 15, 15, 12), "other": (1, 1, 2), "third": (9, 8)}
    rows: Rows = {
        "sessions": [{"id": name, "source": "cli"} for name in times],
        "messages": [{"session_id": name, "timestamp": time} for name, all_ in times.items() for time in all_],
    }
    assert noticed(tmp_path, rows) == [
        ("time-not-monotonic", "messages", ["10"], "timestamp", "1 of 2 messages"),
        ("time-not-monotonic", "messages", ["3"], "timestamp", "2 of 5 messages"),
    ]


def test_a_time_that_is_none_is_passed_over(tmp_path: Path) -> None:
    rows = messages(*({"id": n, "session_id": "s", "timestamp": t} for n, t in enumerate((10, -1, 20, -1, 15), 1)))
    assert noticed(tmp_path, rows) == [
        ("not-a-time", "messages", ["2"], "timestamp", None),
        ("not-a-time", "messages", ["4"], "timestamp", None),
        ("time-not-monotonic", "messages", ["5"], "timestamp", "1 of 5 messages"),
    ]


def test_a_repeated_id_is_noted_once_for_each_session_replay_state_and_id(tmp_path: Path) -> None:
    rows = messages(asked(1, "a", "a"), asked(2, "a"), asked(3, "a", active=0), asked(4, "b", active=0))
    found = [notice for notice in noticed(tmp_path, rows) if notice[0] == "repeated-call-id"]
    assert found == [("repeated-call-id", "messages", ["1"], "tool_calls", "a: 3 calls")]


def test_each_element_that_is_no_call_is_noted_by_its_place(tmp_path: Path) -> None:
    rows = messages(answered(1, "a"), {**asked(2), "tool_calls": '[null, {"id": "a"}, 7, "x", null]'})
    assert noticed(tmp_path, rows) == [
        ("not-a-call", "messages", ["2"], "tool_calls", f"/{place}: {kind}")
        for place, kind in ((0, "null"), (2, "number"), (3, "string"), (4, "null"))
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([asked(1, "a"), answered(2, "a")], []),
        ([answered(1, "a"), asked(2, "a")], []),
        ([asked(1, "a", "b"), answered(2, "a")], [("call-without-result", ["1"], "/1")]),
        ([asked(1)], []),
        (
            [asked(1, "a", "a"), answered(2, "a")],
            [
                ("call-without-result", ["1"], "/0"),
                ("call-without-result", ["1"], "/1"),
                ("repeated-call-id", ["1"], "a: 2 calls"),
                ("result-without-call", ["2"], "2 calls have the provider id"),
            ],
        ),
        (
            [asked(1, "a"), answered(2, "a", active=0)],
            [
                ("call-without-result", ["1"], "/0"),
                ("result-without-call", ["2"], "no call has the provider id"),
            ],
        ),
        ([answered(1, None)], [("result-without-call", ["1"], "no provider id")]),
        ([asked(1, "a"), answered(2, "a", tool_call_uid="1/0")], []),
        (
            [asked(1, "a", tool_call_uids='{"a": "u"}'), answered(2, "b", tool_call_uid="u")],
            [],
        ),
        (
            [asked(1, "a", tool_call_uids='{"a": "u"}'), answered(2, "a", tool_call_uid="v")],
            [("call-without-result", ["1"], "/0"), ("uid-without-call", ["2"], None)],
        ),
        ([asked(1, "a", tool_call_uids='{"a": "u"}'), answered(2, "a", tool_call_uid="")], []),
    ],
    ids=str,
)
def test_calls_and_results_that_join_nothing(tmp_path: Path, rows: list[Row], expected: list[Any]) -> None:
    found = noticed(tmp_path, messages(*rows))
    assert [(code, key, detail) for code, _, key, _, detail in found] == expected


def test_a_uid_that_stands_in_two_copies_joins_both(tmp_path: Path) -> None:
    uids = '{"a": "u"}'
    rows = messages(
        asked(1, "a", tool_call_uids=uids, active=0), answered(2, "a", tool_call_uid="u", active=0),
        asked(3, "a", tool_call_uids=uids),
    )  # fmt: skip
    assert noticed(tmp_path, rows) == []


def test_a_parent_without_a_row_is_noted_for_each_child(tmp_path: Path) -> None:
    rows = sessions(("a", "gone"), ("b", "gone"), ("c", "a"), ("d", None))
    assert noticed(tmp_path, rows) == [
        ("dangling-parent", "sessions", [name], "parent_session_id", None) for name in ("a", "b")
    ]


def test_a_circle_of_parents_is_noted_once_at_its_first_session(tmp_path: Path) -> None:
    circle = (("a", "b"), ("b", "c"), ("c", "a"))
    rows = sessions(("tail", "a"), *circle, ("self", "self"), ("root", None), ("leaf", "root"))
    assert noticed(tmp_path, rows) == [
        ("parent-cycle", "sessions", ["a"], "parent_session_id", "3 sessions"),
        ("parent-cycle", "sessions", ["self"], "parent_session_id", "1 session"),
    ]


def test_missing_instructions_are_noted_for_each_session(tmp_path: Path) -> None:
    hashes = {"a": "h", "b": "x", "c": "x", "d": None}
    rows: Rows = {
        "sessions": [{"id": name, "system_prompt_hash": of} for name, of in hashes.items()],
        "system_prompts": [{"hash": "h", "prompt": "p"}],
    }
    assert noticed(tmp_path, rows) == [
        ("missing-instructions", "sessions", [name], "system_prompt_hash", None) for name in ("b", "c")
    ]
