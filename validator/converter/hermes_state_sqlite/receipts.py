"""Turns receipts into records: each is in the stream of its execution's session, and is linked to the execution."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from validator.converter.hermes_state_sqlite.damage import Gap, Row
from validator.converter.hermes_state_sqlite.scan import scan
from validator.converter.hermes_state_sqlite.scratch import Scratch, bindable, unbound
from validator.converter.hermes_state_sqlite.sessions import link
from validator.converter.hermes_state_sqlite.states import StateFields
from validator.converter.hermes_state_sqlite.table import Table


class Receipts(StateFields):
    """Makes the fields of a receipt; the sessions of all executions are kept on disk while it is entered."""

    def __init__(self, connection: sqlite3.Connection, table: Table, executions: Table | None) -> None:
        super().__init__(table)
        self._execution = table.position("execution_id")
        self._scratch = Scratch("execution", ("id", "session"), _executions(connection, executions))

    def __enter__(self) -> Receipts:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.close()

    def session(self, row: Row) -> object:
        """The session of the receipt's execution; None where it has none or is not there."""
        if self._execution is None:
            return None
        sql = "SELECT session FROM execution WHERE id = ? ORDER BY rowid LIMIT 1"
        found = self._scratch.all(sql, (bindable(row[self._execution]),))
        return unbound(found[0][0]) if found else None

    def __call__(self, fields: dict[str, Any], row: Sequence[Any]) -> None:
        """Puts in the link to the execution."""
        if self._execution is not None and row[self._execution] is not None:
            fields["links"] = [link("execution", "execution", row[self._execution])]


def _executions(connection: sqlite3.Connection, table: Table | None) -> Iterator[tuple[object, ...]]:
    if table is None:
        return
    execution, session = table.position("execution_id"), table.position("session_id")
    if execution is None or session is None:
        return
    for row in scan(connection, table):
        if not isinstance(row, Gap):
            cells = row[table.lead :]
            yield bindable(cells[execution]), bindable(cells[session])
