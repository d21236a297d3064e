"""Whatever is in a store, it is converted: nothing lost, nothing twice, every value equal, and no claim violated."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.stores import draw
from tests.stores.layouts import layout_of, quoted
from validator.check import check
from validator.replay import Options
from validator.replay.converters import BuiltIn

CONTEXT = {
    "state_meta", "schema_version", "sqlite_sequence", "compression_locks", "session_turn_leases",
    "gateway_hygiene_state", "gateway_heartbeats", "runtime_epoch",
}  # fmt: skip


def units(path: Path) -> tuple[int, int]:
    """Count the rows of converted and of context tables with sqlite3 alone."""
    store = sqlite3.connect(path)
    store.text_factory = bytes
    names = [
        name.decode() for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith(b"messages_fts")
    ]  # fmt: skip
    counts = {name: store.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0] for name in names}
    store.close()
    context = sum(count for name, count in counts.items() if name in CONTEXT)
    return sum(counts.values()) - context, context


def judged(drawn: draw.Drawn) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = drawn.write(Path(folder, "state.db")).path
        report = check([str(path)], None, _options(path))
        converted, context = units(path)
    entry = report["captures"][0]
    assert entry["findings"] == []
    assert entry["conservation"] == {
        "native": converted + context,
        "records": converted,
        "excluded": context,
        "lost": 0,
        "duplicated": 0,
        "unreadable": 0,
    }
    assert entry["verdict"] == ("conforms" if converted else "not checked")


def _options(path: Path) -> Options:
    """A namespace, unless the store has one of its own."""
    store = sqlite3.connect(path)
    store.text_factory = bytearray
    found = store.execute("SELECT value FROM state_meta WHERE key = 'store_instance_id'").fetchone()
    store.close()
    own = found and isinstance(found[0], bytearray) and found[0].decode("utf-8", "ignore").encode() == found[0] != b""
    namespaces: dict[str | None, Any] = {} if own else {None: "n"}
    return Options(BuiltIn(), namespaces)


relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@settings(relaxed, max_examples=200)
@given(draw.stores())
def test_any_store_is_converted_whole(drawn: draw.Drawn) -> None:
    judged(drawn)


@pytest.mark.slow
@settings(relaxed, max_examples=2000)
@given(draw.stores(max_sessions=5, max_messages=12))
def test_two_thousand_stores_are_converted_whole(drawn: draw.Drawn) -> None:
    judged(drawn)


def test_the_strategy_draws_every_layout() -> None:
    assert {str(schema) for schema in draw.SCHEMAS} >= {"11", "13", "16", "17", "19", "22", "25", "26", "31"}
    assert all(layout_of(schema).tables for schema in draw.SCHEMAS)
