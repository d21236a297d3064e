"""Every shipped capture converts without loss: each row of each converted table is in one record, whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.converter.streams import (
    CAPTURES,
    CONTEXT,
    SNAPSHOT,
    Line,
    assert_counted,
    assert_rows_are_carried,
    assert_valid,
    captured,
    lines,
    of_kind,
    raw,
)

NAMES = sorted(folder.name for folder in CAPTURES.iterdir() if (folder / "capture.json").is_file())

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
    assert_valid(found)
    assert_counted(found)
    assert not of_kind(found, "gap")
    assert_rows_are_carried(path, found, convertible(path))
    for record in of_kind(found, "record"):
        assert record["entity"]["type"] == ENTITIES[record["native"]["record"]["table"]]
    assert_the_stream_is_in_order(found)


def assert_the_stream_is_in_order(found: list[Line]) -> None:
    last: dict[int, tuple[int, int]] = {}
    for line in found:
        if line["line"] == "record":
            transcript = line["family"] == "transcript"
            assert transcript == (line["entity"]["type"] == "message")
            assert line["position"] == (line["entity"]["key"] if transcript else SNAPSHOT)
            place = (0, int(line["position"])) if transcript else (1, 0)
            assert last.get(line["stream"], (0, 0)) <= place
            last[line["stream"]] = place
    sessions = [line["session"] for line in of_kind(found, "stream")]
    assert len(sessions) == len(set(sessions))


def test_two_runs_give_the_same_bytes(store: tuple[Path, str | None], tmp_path: Path) -> None:
    path, namespace = store
    assert raw(path, namespace) == raw(path, namespace)
