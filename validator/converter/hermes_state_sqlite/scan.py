"""Reads the rows of a table one after the other, in the order of their rowids, around what is damaged.

Hands on rows, and a `Gap` where rows are lost. Which rows those were is read from an index that still lists
them where there is one; else the keys on both sides bound them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from validator.converter.hermes_state_sqlite.damage import GREATEST_ROWID, Gap, Reader, Row, resumed
from validator.converter.hermes_state_sqlite.table import Table, quoted_name

LEAST_ROWID = -(2**63)


def scan(
    connection: sqlite3.Connection,
    table: Table,
    *,
    select: str | None = None,
    where: str = "1",
    start: int = LEAST_ROWID,
) -> Iterator[Row | Gap]:
    """The rows of a table, as `select` gives them (default: `table.everything`), from the rowid `start` on.

    A `select` of one's own begins with the rowid, where there is one. `where` is a condition in SQL.
    """
    if table.rowid is None:
        yield from _scan_clustered(connection, table, select or table.everything, where)
        return
    place = table.alias if select is None and table.alias is not None else 0
    reader = Reader(connection, table, select or table.everything, where)
    while start <= GREATEST_ROWID:
        row: Row | None = None
        try:
            for row in reader.following(start):
                yield row
            return
        except sqlite3.DatabaseError:
            # The place of the fault is beyond the last row that could be read.
            if row is not None:
                start = _number(row[place]) + 1
        row, start = yield from resumed(reader, start)
        if row is not None:
            yield row


def sorted_scan(connection: sqlite3.Connection, table: Table, order: str, where: str) -> Iterator[Row | Gap]:
    """The rows of a table whose order is not that of the rowids; of a damaged one, in the order of `scan`."""
    # The plus keeps indexes out: all rows are read before the first is handed on, or the fault met before it.
    sql = f"SELECT {table.everything} FROM {table.source} WHERE {where} ORDER BY +{order}"
    try:
        rows = connection.execute(sql)
        first = rows.fetchone()
    except sqlite3.DatabaseError:
        yield from scan(connection, table, where=where)
        return
    if first is not None:
        yield first
        for row in rows:  # noqa: UP028 - see `Reader`
            yield row


def _scan_clustered(connection: sqlite3.Connection, table: Table, select: str, where: str) -> Iterator[Row | Gap]:
    """WITHOUT ROWID: forwards to the damage, then backwards to it; what lies between is the gap."""
    key = [table.expressions[place] for place in table.key or ()]
    sql = f"SELECT {', '.join([*key, select])} FROM {table.source} WHERE {where}"
    before: Row | None = None
    try:
        for row in connection.execute(sql):
            before = row[: len(key)]
            yield row[len(key) :]
        return
    except sqlite3.DatabaseError:
        pass
    behind: Row | None = None
    try:
        backwards = ", ".join(f"{column} DESC" for column in _clustered_columns(connection, table))
        for row in connection.execute(f"{sql} ORDER BY {backwards}"):
            if row[: len(key)] == before:
                break
            behind = row[: len(key)]
            yield row[len(key) :]
    except sqlite3.DatabaseError:
        pass
    yield Gap(before, behind, None)


def _clustered_columns(connection: sqlite3.Connection, table: Table) -> list[str]:
    return [
        table.expressions[int(info[1])]
        for info in connection.execute(f"PRAGMA main.index_info({quoted_name(table.name)})")
    ]


def _number(cell: object) -> int:
    assert isinstance(cell, int)
    return cell
