"""Numbers the streams that the units of one run call for, and writes the table of them.

A stream is that of a session, or the run's own for what is in no session. Claims join and group units by its number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from validator.workbench.encoding import Blob, Column


class Streams:
    """The numbers of one run's streams, in the order in which units name them, over all runs."""

    def __init__(self, workbench: sqlite3.Connection, run: int) -> None:
        self._workbench, self._run = workbench, run
        self._next: int = workbench.execute("SELECT coalesce(max(stream), 0) + 1 FROM native_stream").fetchone()[0]
        self._numbers: dict[Any, int] = {}
        self._sessions: dict[int, Column] = {}

    def numbers(self, sessions: Sequence[Column]) -> list[int]:
        """Return the streams of some sessions, as they stand in a column; None is no session."""
        known = self._numbers
        try:
            return [known[session] for session in sessions]
        except (KeyError, TypeError):  # a new one, or a BLOB, which has no hash as it is bound
            return [self.number(session) for session in sessions]

    def number(self, session: Column) -> int:
        """Return the stream of one session."""
        key = bytes(session) if isinstance(session, Blob) else session
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._next
            self._sessions[number] = session
            self._next += 1
        return number

    def finish(self) -> None:
        """Write the streams that have units, when all units are in."""
        counted = self._workbench.execute(
            "SELECT stream, min(unit), count(*) FROM native_unit WHERE run = ? GROUP BY stream", (self._run,)
        ).fetchall()
        self._workbench.executemany(
            "INSERT INTO native_stream (stream, run, session, unit, units) VALUES (?, ?, ?, ?, ?)",
            [(number, self._run, self._sessions[number], first, units) for number, first, units in counted],
        )
