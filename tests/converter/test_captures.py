"""Every shipped capture converts without loss: each row of each converted table is in one record, whole."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest

from tests.converter.streams import CAPTURES, SNAPSHOT, Line, captured, lines, native_rows, of_kind, raw, same_row

NAMES = sorted(folder.name for folder in CAPTURES.iterdir() if (folder / "capture.json").is_file())

# By the facts of the format: these tables hold no session's data, or are derived from messages.
CONTEXT = {"state_meta", "schema_version", "sqlite_sequence", "compression_locks", "session_turn_leases"}
CONTEXT |= {"gateway_hygiene_state", "gateway_heartbeats", "runtime_epoch"}

ENTITIES = {
    "messages": "message",
    "sessions": "session",
    "session_model_usage": "model-usage",
    "system_prompts": "instructions",
    "delivery_obligations": "delivery",
    "async_delegations": "delegation",
    "gateway_routing": "routing",
    "telegram_dm_topic_mode": "routing",
    "telegram_dm_topic_bindings": "routing",
    "conversation_generations": "generation",
}


@pytest.fixture(params=NAMES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None]:
    return captured(request.param, tmp_path)


@cache
def schema() -> jsonschema_rs.Validator:
    path = CAPTURES.parent / "validator" / "schemas" / "record-stream.json"
    return jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))


def convertible(store: Path) -> set[str]:
    connection = sqlite3.connect(store)
    try:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    finally:
        connection.close()
    return {name for (name,) in names if name not in CONTEXT and not name.startswith("messages_fts")}


def test_there_are_52_captures() -> None:
    assert len(NAMES) == 52


def test_a_capture_converts_without_loss_and_in_order(store: tuple[Path, str | None]) -> None:
    path, namespace = store
    found = lines(path, namespace)
    for line in found:
        assert schema().is_valid(line), [error.message for error in schema().iter_errors(line)]
    assert_every_row_is_in_one_record(path, found)
    assert_the_stream_is_in_order(found)
    counted = {f"{kind}s": len(of_kind(found, kind)) for kind in ("stream", "record", "gap", "notice")}
    assert found[-1] == {"line": "end", **counted}
    assert not of_kind(found, "gap")


def assert_every_row_is_in_one_record(path: Path, found: list[Line]) -> None:
    carried: dict[str, list[Line]] = {}
    for record in of_kind(found, "record"):
        carried.setdefault(record["native"]["record"]["table"], []).append(record)
    assert set(carried) <= convertible(path)
    for table in convertible(path):
        rows = native_rows(path, table)
        records = carried.get(table, [])
        assert len(records) == len(rows)
        assert {record["entity"]["type"] for record in records} <= {ENTITIES[table]}
        left = [record["native"]["record"]["row"] for record in records]
        for row in rows:
            match = next(candidate for candidate in left if same_row(row, candidate))
            left.remove(match)


def assert_the_stream_is_in_order(found: list[Line]) -> None:
    declared: dict[int, Line] = {}
    last: dict[int, tuple[int, int]] = {}
    for line in found:
        if line["line"] == "stream":
            assert line["stream"] not in declared
            declared[line["stream"]] = line
        elif line["line"] == "record":
            assert line["stream"] in declared
            transcript = line["family"] == "transcript"
            assert transcript == (line["entity"]["type"] == "message")
            assert line["position"] == (line["entity"]["key"] if transcript else SNAPSHOT)
            place = (0, int(line["position"])) if transcript else (1, 0)
            assert last.get(line["stream"], (0, 0)) <= place
            last[line["stream"]] = place
    assert set(last) == set(declared)
    sessions = Counter(json.dumps(line["session"]) for line in declared.values())
    assert set(sessions.values()) <= {1}


def test_two_runs_give_the_same_bytes(store: tuple[Path, str | None], tmp_path: Path) -> None:
    path, namespace = store
    assert raw(path, namespace) == raw(path, namespace)
