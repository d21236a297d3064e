"""Every table's rows are in the stream, and under the key, that the format's facts give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.converter.streams import SNAPSHOT, Line, lines, of_kind, records
from tests.stores import NEWER, BadText, Cell, build


def owner(found: list[Line], record: Line) -> Any:
    (stream,) = [line for line in of_kind(found, "stream") if line["stream"] == record["stream"]]
    return stream["session"]


def only(found: list[Line], table: str) -> Line:
    (record,) = records(found, table).values()
    return record


def lineless(record: Line) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("line", "stream", "native")}


@pytest.mark.parametrize(
    ("table", "row", "entity", "key"),
    [
        ("system_prompts", {"hash": "h", "prompt": "p"}, "instructions", "h"),
        ("delivery_obligations", {"obligation_id": "d", "session_key": "s"}, "delivery", "d"),
        ("async_delegations", {"delegation_id": "g", "parent_session_id": "s"}, "delegation", "g"),
        ("gateway_routing", {"scope": "", "session_key": "k"}, "routing", '["","k"]'),
        ("conversation_generations", {"source": "cli", "session_key": "é"}, "generation", '["cli","é"]'),
        ("telegram_dm_topic_mode", {"profile_name": "p", "chat_id": "1"}, "routing", '["p","1"]'),
        (
            "telegram_dm_topic_bindings",
            {"profile_name": "p", "chat_id": "1", "thread_id": "2", "session_id": "s"},
            "routing",
            '["p","1","2"]',
        ),
    ],
)
def test_what_belongs_to_no_session_is_in_the_stores_stream(
    tmp_path: Path, table: str, row: dict[str, Cell], entity: str, key: str
) -> None:
    found = lines(build(tmp_path / "state.db", NEWER, {"sessions": [{"id": "s"}], table: [row]}).path)
    record = only(found, table)
    assert owner(found, record) is None
    assert lineless(record) == {
        "family": "current-state",
        "position": SNAPSHOT,
        "entity": {"type": entity, "key": key},
    }


def test_older_topic_tables_have_the_shorter_key(tmp_path: Path) -> None:
    rows = {
        "telegram_dm_topic_mode": [{"chat_id": "1", "user_id": "u"}],
        "telegram_dm_topic_bindings": [{"chat_id": "1", "thread_id": "2", "session_id": "s", "user_id": "u"}],
        "sessions": [{"id": "s"}],
    }
    ddl = [
        "DROP TABLE telegram_dm_topic_mode",
        "DROP TABLE telegram_dm_topic_bindings",
        "CREATE TABLE telegram_dm_topic_mode(chat_id TEXT PRIMARY KEY, user_id TEXT)",
        "CREATE TABLE telegram_dm_topic_bindings(chat_id TEXT, thread_id TEXT, session_id TEXT, user_id TEXT, "
        "PRIMARY KEY(chat_id, thread_id))",
    ]
    found = lines(build(tmp_path / "state.db", 31, rows, extra_ddl=ddl).path)
    assert only(found, "telegram_dm_topic_mode")["entity"]["key"] == "1"
    assert only(found, "telegram_dm_topic_bindings")["entity"]["key"] == '["1","2"]'


def test_a_known_table_without_its_key_columns_is_told_apart_by_rowid(tmp_path: Path) -> None:
    ddl = ["DROP TABLE system_prompts", "CREATE TABLE system_prompts(digest TEXT, prompt TEXT)"]
    rows = {"system_prompts": [{"digest": "h", "prompt": "p"}, {"digest": "h", "prompt": "q"}]}
    found = lines(build(tmp_path / "state.db", 31, rows, extra_ddl=ddl).path)
    assert [(key, r["native"]["record"]["row"]["prompt"]) for key, r in records(found, "system_prompts").items()] == [
        ("1", "p"),
        ("2", "q"),
    ]


def test_usage_without_one_key_column_is_told_apart_by_rowid_and_keeps_the_others(tmp_path: Path) -> None:
    ddl = [
        "DROP TABLE session_model_usage",
        "CREATE TABLE session_model_usage(session_id TEXT, model TEXT, PRIMARY KEY(session_id, model))",
    ]
    rows = {"session_model_usage": [{"session_id": "s", "model": "m"}]}
    record = only(lines(build(tmp_path / "state.db", 31, rows, extra_ddl=ddl).path), "session_model_usage")
    assert record["entity"]["key"] == "1"
    assert record["dimensions"] == {"session_id": "s", "model": "m"}


def worker_rows(**receipt: Cell) -> dict[str, list[dict[str, Cell]]]:
    return {
        "sessions": [{"id": "s"}],
        "worker_executions": [{"execution_id": "e", "session_id": "s"}, {"execution_id": "f", "session_id": None}],
        "worker_receipts": [{"execution_id": "e", "sequence": 1, **receipt}],
    }


def test_an_execution_is_in_its_sessions_stream(tmp_path: Path) -> None:
    found = lines(build(tmp_path / "state.db", NEWER, worker_rows(), strict=False).path)
    executions = records(found, "worker_executions")
    assert {key: owner(found, record) for key, record in executions.items()} == {"e": "s", "f": None}
    assert {record["entity"]["type"] for record in executions.values()} == {"execution"}


@pytest.mark.parametrize(("execution", "session"), [("e", "s"), ("f", None), ("ghost", None)])
def test_a_receipt_is_in_its_executions_stream_and_linked_to_it(
    tmp_path: Path, execution: str, session: str | None
) -> None:
    rows = worker_rows(execution_id=execution)
    found = lines(build(tmp_path / "state.db", NEWER, rows, strict=False).path)
    record = only(found, "worker_receipts")
    assert owner(found, record) == session
    assert lineless(record) == {
        "family": "current-state",
        "position": SNAPSHOT,
        "entity": {"type": "receipt", "key": f'["{execution}","1"]'},
        "links": [{"rel": "execution", "to": {"type": "execution", "key": execution}}],
    }


def test_a_receipt_of_no_execution_has_no_link(tmp_path: Path) -> None:
    found = lines(build(tmp_path / "state.db", NEWER, worker_rows(execution_id=None), strict=False).path)
    assert "links" not in only(found, "worker_receipts")


def test_a_receipts_session_may_be_any_cell(tmp_path: Path) -> None:
    for number, cell in enumerate([b"s", BadText(b"s\xff"), 7, "s"]):
        rows = worker_rows()
        rows["worker_executions"][0]["session_id"] = cell
        path = tmp_path / f"{number}.db"
        found = lines(build(path, NEWER, rows, raw=True, strict=False).path)
        (execution, receipt) = (records(found, "worker_executions")["e"], only(found, "worker_receipts"))
        assert receipt["stream"] == execution["stream"]
        assert owner(found, receipt) == execution["native"]["record"]["row"]["session_id"]


@pytest.mark.parametrize("session", ["s", "gone", None])
def test_an_admission_is_in_its_targets_stream(tmp_path: Path, session: str | None) -> None:
    rows = {"sessions": [{"id": "s"}], "session_admissions": [{"seq": 3, "target_session_id": session}]}
    found = lines(build(tmp_path / "state.db", NEWER, rows, strict=False).path)
    record = only(found, "session_admissions")
    assert record["entity"] == {"type": "admission", "key": "3"}
    assert owner(found, record) == session


def test_usage_of_a_session_that_is_gone_is_still_in_its_stream(tmp_path: Path) -> None:
    rows = {"session_model_usage": [{"session_id": "gone", "model": "m"}]}
    found = lines(build(tmp_path / "state.db", 31, rows).path)
    assert owner(found, only(found, "session_model_usage")) == "gone"


def test_messages_of_a_session_that_is_gone_have_its_stream_and_one_notice(tmp_path: Path) -> None:
    sessions = ["s", "gone", "gone", "also gone", None]
    rows = {"sessions": [{"id": "s"}], "messages": [{"session_id": session} for session in sessions]}
    found = lines(build(tmp_path / "state.db", 31, rows, strict=False).path)
    assert [owner(found, record) for record in records(found, "messages").values()] == sessions
    assert of_kind(found, "notice") == [
        {
            "line": "notice",
            "code": "orphan-session",
            "unit": {"source": "state.db", "table": "messages", "key": [key]},
        }
        for key in ("2", "4")
    ]


def test_in_a_stream_messages_come_first_then_receipts_then_the_current_state(tmp_path: Path) -> None:
    rows = {
        **worker_rows(),
        "messages": [{"session_id": "s", "id": 9}, {"session_id": "s", "id": 2}],
        "session_model_usage": [{"session_id": "s", "model": "m"}],
        "session_admissions": [{"seq": 1, "target_session_id": "s"}],
    }
    found = lines(build(tmp_path / "state.db", NEWER, rows, strict=False).path)
    stream = records(found, "sessions")["s"]["stream"]
    order = [record["entity"] for record in of_kind(found, "record") if record["stream"] == stream]
    assert [entity["key"] for entity in order[:3]] == ["2", "9", '["e","1"]']
    assert {entity["type"] for entity in order[3:]} == {"session", "model-usage", "admission", "execution"}


def test_a_table_that_nobody_describes_is_converted_as_it_is(tmp_path: Path) -> None:
    ddl = ["CREATE TABLE moods(session_id TEXT, mood)", "CREATE TABLE blank(a)"]
    rows: dict[str, list[dict[str, Cell]]] = {"moods": [{"session_id": "s", "mood": b"\1"}], "blank": []}
    found = lines(build(tmp_path / "state.db", 31, {"sessions": [{"id": "s"}], **rows}, extra_ddl=ddl).path)
    record = only(found, "moods")
    assert owner(found, record) is None
    assert lineless(record) == {
        "family": "current-state",
        "position": SNAPSHOT,
        "entity": {"type": "unknown", "key": "1"},
    }
    assert record["native"]["record"]["row"] == {"session_id": "s", "mood": {"$blob": "AQ=="}}
    assert [(n["code"], n["detail"]) for n in of_kind(found, "notice")] == [
        ("unknown-table", "blank"),
        ("unknown-table", "moods"),
    ]


@pytest.mark.parametrize(
    ("cells", "key"),
    [
        (("x", 7), '["7","x"]'),
        (("x", 7.0), '["7","x"]'),
        (("x", 1.5), '[{"$real":"1.5"},"x"]'),
        ((b"\xff", float("inf")), '[{"$real":"Infinity"},{"$blob":"/w=="}]'),
        ((BadText(b"\xff"), 2**60), '["1152921504606846976",{"$text":"/w=="}]'),
    ],
)
def test_a_table_without_rowids_has_its_primary_key(tmp_path: Path, cells: tuple[Cell, Cell], key: str) -> None:
    ddl = ["CREATE TABLE odd(a, b, v, PRIMARY KEY(b, a)) WITHOUT ROWID"]
    found = lines(build(tmp_path / "state.db", 31, {"odd": [{"a": cells[0], "b": cells[1]}]}, extra_ddl=ddl).path)
    assert list(records(found, "odd")) == [key]


def test_an_integer_primary_key_in_descending_order_is_not_the_rowid(tmp_path: Path) -> None:
    ddl = ["CREATE TABLE odd(a INTEGER PRIMARY KEY DESC)"]
    found = lines(build(tmp_path / "state.db", 31, {"odd": [{"a": 70}, {"a": 60}]}, extra_ddl=ddl).path)
    assert {key: r["native"]["record"]["row"] for key, r in records(found, "odd").items()} == {
        "1": {"a": 70},
        "2": {"a": 60},
    }


def test_a_row_has_the_columns_of_select_star_generated_ones_included(tmp_path: Path) -> None:
    ddl = ['CREATE TABLE odd(a, "select" AS (a + 1), b, c AS (a * 2) STORED)']
    found = lines(build(tmp_path / "state.db", 31, {"odd": [{"a": 1, "b": "x"}]}, extra_ddl=ddl).path)
    row = only(found, "odd")["native"]["record"]["row"]
    assert list(row.items()) == [("a", 1), ("select", 2), ("b", "x"), ("c", 2)]
