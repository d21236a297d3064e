"""Turns the rows of a table into current-state records: all tables but that of the messages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from validator.converter.hermes_state_sqlite.damage import Gap, Row
from validator.converter.hermes_state_sqlite.lines import Lines
from validator.converter.hermes_state_sqlite.owners import Owners
from validator.converter.hermes_state_sqlite.scan import scan
from validator.converter.hermes_state_sqlite.table import Keys, Table, key_text


class StateFields:
    """Fills in the standard fields of a row (here: none), and names the session in whose stream it is.

    `notices` are those of the row that was made last: code, and column.
    """

    def __init__(self, table: Table) -> None:
        self._session = None if table.kind.session is None else table.position(table.kind.session)
        self.notices: list[tuple[str, str]] = []

    def session(self, row: Row) -> object:
        """The session's cell, None for the store's own stream; the cells of `row` are as stored."""
        return None if self._session is None else row[self._session]

    def __call__(self, fields: dict[str, Any], row: Sequence[Any]) -> None:
        """Puts the fields into `fields`; the cells of `row` may be tagged."""


def state_lines(
    connection: sqlite3.Connection,
    write: Lines,
    table: Table,
    fields: StateFields,
    snapshot: str,
    owners: Owners | None = None,
) -> Iterator[bytes]:
    """The lines of a table; `owners`, if given, are told of each session's row."""
    lead, keys = table.lead, Keys(table)
    before: Row | None = None
    unbounded: Gap | None = None
    for row in scan(connection, table):
        if isinstance(row, Gap):
            if owners is not None:
                owners.lost()
            if row.first is None or row.last is None:
                # The first readable key behind it is its bound.
                unbounded = Gap(row.first or before, row.last, row.units)
            else:
                yield write.gap(table.name, row.first, row.last, row.units)
            continue
        key = keys.of(row)
        if unbounded is not None:
            yield _bounded(write, table, unbounded, key)
            unbounded = None
        before = key
        cells = row[lead:] if lead else row
        session = fields.session(cells)
        if owners is not None:
            owners.met(session)
        stream, declaration = write.stream(session)
        if declaration:
            yield declaration
        head = {
            "line": "record",
            "stream": stream,
            "family": "current-state",
            "position": snapshot,
            "entity": {"type": table.kind.entity, "key": key_text(key)},
        }
        yield write.record(head, fields, table, cells)
        yield from write.notices(table, key, fields.notices)
    if unbounded is not None:
        yield _bounded(write, table, unbounded, (None,))


def _bounded(write: Lines, table: Table, gap: Gap, behind: Row) -> bytes:
    return write.gap(table.name, gap.first or (None,), gap.last or behind, gap.units)
