"""Finds the first readable row behind a damaged place of a table, and which rows were lost before it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from validator.converter.hermes_state_sqlite.table import Table, quoted_name

Row = tuple[object, ...]

GREATEST_ROWID = 2**63 - 1
_SINGLE_STEPS = 4096
"""How many rowids behind a damaged place are tried one by one before the steps grow."""


@dataclass(frozen=True)
class Gap:
    """Rows that cannot be read: the key cells of the first and the last, and how many (None: not known).

    Where even the keys are not known, they are those of the readable rows on both sides, None where there is
    none.
    """

    first: Row | None
    last: Row | None
    units: int | None


class Reader:
    """Reads one table by rowid, in any order; raises `sqlite3.DatabaseError` where it meets damage."""

    def __init__(self, connection: sqlite3.Connection, table: Table, select: str, where: str) -> None:
        self.table = table
        self._connection = connection
        self._rows = f"SELECT {select} FROM {table.source} WHERE ({where}) AND {table.rowid}"
        self._key = ", ".join([str(table.rowid), *(table.expressions[place] for place in table.key or ())])
        self._listing: Iterator[Row] | None = None

    def following(self, start: int) -> Iterator[Row]:
        """The rows from the rowid `start` on."""
        return self._connection.execute(f"{self._rows} >= ? ORDER BY {self.table.rowid}", (start,))

    def row(self, rowid: int) -> Row | None:
        """One row; None where there is none."""
        row: Row | None = self._connection.execute(f"{self._rows} = ?", (rowid,)).fetchone()
        return row

    def next_key(self, start: int) -> Row | None:
        """Rowid and key cells of the first row from `start` on; the rest of it may be unreadable."""
        sql = f"SELECT {self._key} FROM {self.table.source} WHERE {self.table.rowid} >= ?"
        sql += f" ORDER BY {self.table.rowid} LIMIT 1"
        key: Row | None = self._connection.execute(sql, (start,)).fetchone()
        return key

    def greatest(self) -> int | None:
        """A rowid that none exceeds, by AUTOINCREMENT's own record; None where there is none."""
        try:
            sql = "SELECT max(seq) FROM main.sqlite_sequence WHERE name = ?"
            (seq,) = self._connection.execute(sql, (self.table.name,)).fetchone()
        except sqlite3.DatabaseError:
            return None
        return seq if isinstance(seq, int) else None

    def listed(self, start: int) -> Iterator[Row]:
        """Rowid and key cells of the rows from `start` on, as an index has them; `start` only ever grows."""
        if self._listing is None:
            self._listing = self._index(start)
        try:
            for entry in self._listing:
                if isinstance(entry[0], int) and entry[0] >= start:
                    yield entry
        except sqlite3.DatabaseError as error:
            # Once broken it stays so: an ended listing would say that there are no more rows.
            self._listing = _broken(error)
            raise

    def _index(self, start: int) -> Iterator[Row]:
        key = set(self.table.key or ())
        name = quoted_name(self.table.name)
        for _, index, _, _, partial in self._connection.execute(f"PRAGMA main.index_list({name})").fetchall():
            quoted = quoted_name(index)
            parts = {info[1] for info in self._connection.execute(f"PRAGMA main.index_xinfo({quoted})")}
            if not partial and key - {self.table.alias} <= parts:
                sql = f"SELECT {self._key} FROM main.{name} INDEXED BY {quoted} WHERE {self.table.rowid} >= ?"
                # Not `yield from`: it would close the cursor, perhaps after its connection.
                for entry in self._connection.execute(f"{sql} ORDER BY {self.table.rowid}", (start,)):  # noqa: UP028
                    yield entry
                return
        raise sqlite3.DatabaseError("no index lists the rows")


def _broken(error: sqlite3.DatabaseError) -> Iterator[Row]:
    raise sqlite3.DatabaseError(str(error))
    yield ()


class _Lost:
    """What was lost since the last readable row: in runs where the keys are rowids, else row by row."""

    def __init__(self, table: Table) -> None:
        self._runs = table.key is None or table.key == (table.alias,)
        self._first: int | None = None
        self._last = 0
        self._units: int | None = 0

    def add(self, rowid: int, key: Row) -> Iterator[Gap]:
        if not self._runs:
            yield Gap(key, key, 1)
        else:
            self._extend(rowid, rowid, 1)

    def unknown(self, first: int, last: int) -> None:
        """Any number of rows may have been lost between two rowids."""
        self._extend(first, last, None)

    def _extend(self, first: int, last: int, units: int | None) -> None:
        if self._first is None:
            self._first = first
        self._last = last
        self._units = None if units is None or self._units is None else self._units + units

    def rest(self) -> Iterator[Gap]:
        if self._first is not None:
            if self._runs:
                yield Gap((self._first,), (self._last,), self._units)
            else:
                yield Gap(None, None, None)


Resumed = Generator[Gap, None, tuple[Row | None, int]]
"""Yields what was lost; returns the first readable row (None: not wanted) and the rowid to go on from."""


def resumed(reader: Reader, start: int) -> Resumed:
    """Goes over the damaged place at the rowid `start`."""
    lost = _Lost(reader.table)
    try:
        for rowid, *key in reader.listed(start):
            assert isinstance(rowid, int)
            try:
                row = reader.row(rowid)
            except sqlite3.DatabaseError:
                yield from lost.add(rowid, tuple(key))
                start = rowid + 1
                continue
            yield from lost.rest()
            return row, rowid + 1
    except sqlite3.DatabaseError:
        return (yield from _probed(reader, start, lost))
    yield from lost.rest()
    return None, _unlisted(reader, start)


def _unlisted(reader: Reader, start: int) -> int:
    """Where to go on behind the last row that the index lists: an index may have lost entries too."""
    try:
        found = reader.next_key(start) if start <= GREATEST_ROWID else None
    except sqlite3.DatabaseError:
        found = None
    return GREATEST_ROWID + 1 if found is None else start


def _probed(reader: Reader, start: int, lost: _Lost) -> Resumed:
    """Without an index: the next key is looked for rowid by rowid, then in growing steps."""
    while start <= GREATEST_ROWID:
        found, seen = _next_key(reader, start)
        if seen > start:
            lost.unknown(start, seen - 1)
        if found is None:
            break
        rowid, *key = found
        assert isinstance(rowid, int)
        try:
            row = reader.row(rowid)
        except sqlite3.DatabaseError:
            yield from lost.add(rowid, tuple(key))
            start = rowid + 1
            continue
        yield from lost.rest()
        return row, rowid + 1
    yield from lost.rest()
    return None, GREATEST_ROWID + 1


def _next_key(reader: Reader, start: int) -> tuple[Row | None, int]:
    """The first key that can be read, and the least rowid from which on it can be looked for."""
    failed, at, tries = start - 1, start, 0
    while True:
        try:
            found = reader.next_key(at)
        except sqlite3.DatabaseError:
            tries += 1
            failed, step = at, 1 if tries < _SINGLE_STEPS else at - start + 1
            if at == GREATEST_ROWID:
                return None, max(start, reader.greatest() or start) + 1
            at = min(at + step, GREATEST_ROWID)
            continue
        break
    while at - failed > 1:
        middle = (at + failed) // 2
        try:
            found, at = reader.next_key(middle), middle
        except sqlite3.DatabaseError:
            failed = middle
    return found, at
