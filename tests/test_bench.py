"""The benchmark: its numbers are of runs that did the whole work."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench.grow import grow


def test_every_row_of_a_grown_store_is_in_a_record_and_the_last_lie_is_found(tmp_path: Path) -> None:
    result = bench.measured(60, 20, {"check": bench.check}, 1, tmp_path)
    assert result["sound"]
    assert result["lie_found"]
    assert result["subjects"]["standard.role"] == 60


def test_a_run_that_lost_a_record_is_no_measurement(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    units = bench.units
    monkeypatch.setattr(bench, "units", lambda store: units(store) + 1)
    assert not bench.measured(60, 20, {"check": bench.check}, 1, tmp_path)["sound"]


def test_a_grown_store_has_the_schema_of_its_release_and_as_many_messages_as_asked(tmp_path: Path) -> None:
    store = sqlite3.connect(grow(tmp_path / "state.db", 41, 20))
    assert store.execute("SELECT version FROM schema_version").fetchone() == (22,)
    assert store.execute("SELECT count(*), count(DISTINCT session_id) FROM messages").fetchone() == (41, 3)
    assert store.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone()[0] > 0
    store.close()


def test_every_one_of_many_captures_is_judged_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    found = bench.many(3, tmp_path)
    assert [(one["jobs"], one["captures"], one["sound"]) for one in found] == [(1, 3, True), (2, 3, True)]
