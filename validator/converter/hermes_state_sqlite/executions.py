"""Finds the session of a receipt's execution."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from validator.converter.hermes_state_sqlite.calls import bindable, unbound


class ExecutionSessions:
    """The sessions of a store's executions by execution id, on disk; closed with `close`."""

    def __init__(self, entries: Iterable[tuple[object, object]]) -> None:
        # An empty name is a private database in a temporary file that SQLite removes.
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("CREATE TABLE execution (id, session)")
        self._connection.execute("BEGIN")
        pairs = ((bindable(execution), bindable(session)) for execution, session in entries)
        self._connection.executemany("INSERT INTO execution VALUES (?, ?)", pairs)
        self._connection.execute("CREATE INDEX execution_id ON execution (id)")
        self._connection.execute("COMMIT")

    def find(self, execution: object) -> object:
        """The session cell of an execution; None where it has none or is not there."""
        sql = "SELECT session FROM execution WHERE id = ? ORDER BY rowid LIMIT 1"
        found = self._connection.execute(sql, (bindable(execution),)).fetchone()
        return None if found is None else unbound(found[0])

    def close(self) -> None:
        """Removes the index."""
        self._connection.close()
