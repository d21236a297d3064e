"""A capture so large that its census is taken apart has a matrix like any other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.stores import build
from validator.matrix import matrix
from validator.replay import Options
from validator.replay.converters import choose
from validator.replay.witnesses import IN_MEMORY


def test_what_older_layouts_could_do_is_asked_of_a_large_capture_too(tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    build(store, 31)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("INSERT INTO sessions (id, source, started_at) VALUES ('big', 'cli', 1)")
        connection.executemany(
            "INSERT INTO messages (session_id, role, content, api_content, timestamp) "
            "VALUES ('big', 'user', ?, 'x', 1)",
            [("y" * 2**20,)] * (IN_MEMORY // 2**20 + 1),
        )
    assert store.stat().st_size > IN_MEMORY
    document = matrix([str(store)], None, Options(choose(None, 60, 2**31), {None: "here"}))
    assert document["verdict"] == "conforms"
    assert [c["status"] for c in document["cells"] if c["claim"] == "context.api-content"] == ["holds"]
