"""The streams that the census numbers, and the message before each in its stream."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from validator import workbench
from validator.census import Store
from validator.descriptor import load

SHAPE = load("com.nousresearch.hermes").shape("hermes-state-sqlite")


def census(folder: Path, *stores: list[tuple[Any, ...]]) -> sqlite3.Connection:
    """A workbench with a run for each store: rows of session, time and id."""
    bench = workbench.create(None, [SHAPE])
    for run, rows in enumerate(stores, 1):
        path = folder / f"{run}.db"
        with closing(sqlite3.connect(path)) as store, store:
            store.execute("CREATE TABLE messages (session_id, timestamp, id INTEGER PRIMARY KEY)")
            store.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
        with closing(Store(path, SHAPE)) as read:
            read.load(bench, run, run)
    return bench


def test_sessions_of_any_type_have_a_stream_each_and_what_has_none_has_that_of_the_store(tmp_path: Path) -> None:
    bench = census(tmp_path, [("a", 1.0, 1), (None, 1.0, 2), (b"a", 1.0, 3), ("a", 1.0, 4), (7, 1.0, 5), ("7", 1.0, 6)])
    together = bench.execute("SELECT group_concat(id) FROM native_message GROUP BY stream ORDER BY min(id)").fetchall()
    assert together == [("1,4",), ("2",), ("3",), ("5",), ("6",)]
    own = bench.execute("SELECT stream, unit, units FROM native_stream WHERE session IS NULL").fetchall()
    assert own == [(2, 2, 1)]


def test_a_session_of_two_runs_has_two_streams(tmp_path: Path) -> None:
    bench = census(tmp_path, [("a", 1.0, 1), ("b", 1.0, 2)], [("b", 1.0, 1)])
    streams = bench.execute("SELECT run, session, count(*) FROM native_stream GROUP BY stream").fetchall()
    assert sorted(streams) == [(1, "a", 1), (1, "b", 1), (2, "b", 1)]


def test_the_message_before_is_the_last_of_its_stream_that_has_a_time(tmp_path: Path) -> None:
    rows = [("a", 5.0, 1), ("b", 1.0, 2), ("a", "no time", 3), ("a", None, 4), ("b", 2.0, 5), ("a", 3.0, 6)]
    bench = census(tmp_path, rows + [("a", 9.0, number) for number in range(7, 140)])
    before = dict(bench.execute("SELECT unit, before FROM native_message"))
    assert [before[unit] for unit in range(1, 8)] == [None, None, 1, 1, 2, 1, 6]
    assert all(before[unit] == unit - 1 for unit in range(8, 140)), "from one batch to the next"
