"""Runs one conversion: takes the tables of the store in the order of the stream."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from validator import __version__
from validator.converter import PROTOCOL
from validator.converter.hermes_state_sqlite.layout import Layout, layout
from validator.converter.hermes_state_sqlite.lines import Lines
from validator.converter.hermes_state_sqlite.owners import Owners
from validator.converter.hermes_state_sqlite.receipts import Receipts
from validator.converter.hermes_state_sqlite.sessions import SessionFields, UsageFields
from validator.converter.hermes_state_sqlite.states import StateFields, state_lines
from validator.converter.hermes_state_sqlite.table import Table
from validator.converter.hermes_state_sqlite.tables import (
    CONVERTED,
    EXECUTIONS,
    FORMAT,
    MESSAGES,
    PRODUCER,
    RECEIPTS,
    SESSIONS,
    UNKNOWN,
    USAGE,
)
from validator.converter.hermes_state_sqlite.transcript import transcript_lines


class Run:
    """One conversion of an opened store: `snapshot` is the position of what is no message.

    Of the messages only those with ids beyond `after` are wanted (None: all).
    """

    def __init__(self, connection: sqlite3.Connection, write: Lines, snapshot: str, after: int | None) -> None:
        self._connection = connection
        self._write = write
        self._snapshot = snapshot
        self._after = after
        self._owners = Owners()

    def lines(self) -> Iterator[bytes]:
        """All lines: messages, then receipts, then the current state, unknown tables last."""
        write = self._write
        yield write.begin({"name": FORMAT, "version": __version__}, PRODUCER, FORMAT, PROTOCOL)
        found = layout(self._connection)
        if not found.whole:
            yield write.gap_in_schema()
        for name in found.unreadable:
            yield write.gap(name, (None,), (None,), None)
        for name in sorted(found.tables, key=_place):
            yield from self._table(found.tables[name], found)
        if found.whole and SESSIONS not in found.unreadable:
            for key in self._owners.missing():
                yield write.notice("orphan-session", write.unit(MESSAGES, key))
        yield write.end()

    def _table(self, table: Table, found: Layout) -> Iterator[bytes]:
        if table.name == MESSAGES:
            yield from transcript_lines(self._connection, self._write, table, self._owners, self._after)
        elif table.name == RECEIPTS:
            with Receipts(self._connection, table, found.tables.get(EXECUTIONS)) as receipts:
                yield from self._states(table, receipts)
        elif table.name == SESSIONS:
            yield from self._states(table, SessionFields(table), self._owners)
        elif table.name == USAGE:
            yield from self._states(table, UsageFields(table))
        else:
            if table.kind is UNKNOWN:
                yield self._write.notice("unknown-table", self._write.unit(), table.name)
            yield from self._states(table, StateFields(table))

    def _states(self, table: Table, fields: StateFields, owners: Owners | None = None) -> Iterator[bytes]:
        return state_lines(self._connection, self._write, table, fields, self._snapshot, owners)


def _place(name: str) -> tuple[int, str]:
    order = list(CONVERTED)
    return (order.index(name) if name in CONVERTED else len(order)), name
