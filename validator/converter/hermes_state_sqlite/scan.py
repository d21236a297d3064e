"""Reads the rows of a table one after the other, in the order of their rowids, around what is damaged.

Hands on rows, and a `Gap` where rows are lost. Which rows those were is read from an index that still lists them where
there is one; else the keys on both sides bound them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing

from validator.converter.hermes_state_sqlite.cells import any_text
from validator.converter.hermes_state_sqlite.damage import GREATEST_ROWID, LEAST_ROWID, Gap, Reader, Row, resumed
from validator.converter.hermes_state_sqlite.faults import UNREADABLE
from validator.converter.hermes_state_sqlite.table import Table, quoted_name


def scan(
    connection: sqlite3.Connection,
    table: Table,
    *,
    select: str | None = None,
    where: str = "1",
    start: int = LEAST_ROWID,
) -> Iterator[Row | Gap]:
    """The rows of a table, as `select` gives them (default: `table.everything`), from the rowid `start` on.

    A `select` of one's own begins with the rowid, where there is one. `where`, a condition in SQL, spares rows that are
    not wanted; once damage is met they come, too.
    """
    if table.rowid is None:
        yield from _clustered(connection, table, select or table.everything, where)
        return
    place = table.alias if select is None and table.alias is not None else 0
    source = f"SELECT {select or table.everything} FROM {table.source} WHERE"
    reader = Reader(connection, table, f"{source} {table.rowid}")
    while start <= GREATEST_ROWID:
        sql = f"{source} ({where}) AND {table.rowid} >= {start} ORDER BY {table.rowid}"
        with closing(_Readable(connection, sql)) as rows:
            mixed, start = yield from _in_order(rows, place, start)
        if rows.whole and not mixed:
            return
        where = "1"
        start = yield from resumed(reader, start, mixed)


class _Readable:
    """The rows of a query up to the first that cannot be read; `whole` says, after the last, that there is none.

    Until it is closed, nothing else reads text by the connection.
    """

    def __init__(self, connection: sqlite3.Connection, sql: str) -> None:
        self._connection = connection
        self._sql = sql
        self._rows = self._read()
        self.whole = False

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def close(self) -> None:
        self._rows.close()

    def _read(self) -> Generator[Row, None, None]:
        given = 0
        # UTF-8 is read by far the fastest; from the first row on that is not, or is damaged, any text is borne.
        for text in (str, any_text):
            sql = f"{self._sql} LIMIT -1 OFFSET {given}" if given else self._sql
            self._connection.text_factory = text
            try:
                for row in self._connection.execute(sql):
                    given += 1
                    yield row
                self.whole = True
                return
            except UNREADABLE:
                pass
            finally:
                self._connection.text_factory = any_text
        # Python reads one row ahead: where that fails, the row before it was read and is not given.
        try:
            last = self._connection.execute(f"{self._sql} LIMIT 1 OFFSET {given}").fetchone()
        except UNREADABLE:
            return
        if last is not None:
            yield last


def _in_order(rows: _Readable, place: int, start: int) -> Generator[Row, None, tuple[bool, int]]:
    """The rows whose rowids go up from `start`; returns whether one did not, and the rowid to go on from.

    Each row is held until the next shows that it stands in its place: where damage has mixed up the tree, a rowid may
    come too early or again, and going on from it would lose rows or never end.
    """
    held: Row | None = None
    given = at = start - 1
    for row in rows:
        rowid = row[place]
        if rowid <= at:
            if held is not None and rowid <= given:
                # It is this row that is out of place, and not the one that is held.
                yield held
                given = at
            return True, given + 1
        if held is not None:
            yield held
        given, at, held = at, rowid, row
    if held is not None:
        yield held
    return False, at + 1


def sorted_scan(connection: sqlite3.Connection, table: Table, order: str, where: str) -> Iterator[Row | Gap]:
    """The rows of a table whose order is not that of the rowids; of a damaged one, in the order of `scan`."""
    # The plus keeps indexes out: all rows are read before the first is handed on, or the fault met before it.
    sql = f"SELECT {table.everything} FROM {table.source} WHERE {where} ORDER BY +{order}"
    try:
        rows = connection.execute(sql)
        first = rows.fetchone()
    except UNREADABLE:
        marked = ", ".join([table.rowid or "NULL", where, table.everything])
        for row in scan(connection, table, select=marked):
            if isinstance(row, Gap):
                yield row
            elif row[1]:
                yield row[2:]
        return
    if first is not None:
        yield first
        # Not `yield from`: it would close the cursor, perhaps after its connection.
        for row in rows:
            yield row


def _clustered(connection: sqlite3.Connection, table: Table, select: str, where: str) -> Iterator[Row | Gap]:
    """WITHOUT ROWID: forwards to the damage, then backwards to it; what lies between is the gap."""
    key = [table.expressions[place] for place in table.key or ()]
    sql = f"SELECT {', '.join([*key, select])} FROM {table.source} WHERE {where}"
    before: Row | None = None
    with closing(_Readable(connection, sql)) as forwards:
        for row in forwards:
            before = row[: len(key)]
            yield row[len(key) :]
    if forwards.whole:
        return
    behind: Row | None = None
    backwards = ", ".join(f"{column} DESC" for column in _clustered_columns(connection, table))
    with closing(_Readable(connection, f"{sql} ORDER BY {backwards}")) as rows:
        for row in rows:
            if row[: len(key)] == before:
                break
            behind = row[: len(key)]
            yield row[len(key) :]
    yield Gap(before, behind, None)


def _clustered_columns(connection: sqlite3.Connection, table: Table) -> list[str]:
    infos = connection.execute(f"PRAGMA main.index_info({quoted_name(table.name)})")
    return [table.expressions[int(info[1])] for info in infos]
