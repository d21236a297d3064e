"""Finds the first readable row behind a damaged place of a table, and which rows were lost before it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from validator.converter.hermes_state_sqlite.cells import is_utf8
from validator.converter.hermes_state_sqlite.faults import UNREADABLE
from validator.converter.hermes_state_sqlite.table import Table, quoted_name

Row = tuple[Any, ...]

LEAST_ROWID = -(2**63)
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

    def __init__(self, connection: sqlite3.Connection, table: Table, by_rowid: str) -> None:
        """`by_rowid` is a SELECT of rows, up to the comparison of the rowid."""
        self.table = table
        self._connection = connection
        self._by_rowid = by_rowid
        self._key = ", ".join([str(table.rowid), *(table.expressions[place] for place in table.key or ())])
        self._indexes: list[str] | None = None
        self._listing: Iterator[Row] | None = None

    def row(self, rowid: int) -> Row:
        """A row that an index, or a search for its key, says is there."""
        row: Row | None = self._connection.execute(f"{self._by_rowid} = ?", (rowid,)).fetchone()
        if row is None:
            raise sqlite3.DatabaseError("the row is not where its key is looked for")
        return row

    def next_key(self, start: int) -> Row | None:
        """Rowid and key cells of the first row from `start` on; the rest of it may be unreadable."""
        source = f"{self.table.source} WHERE {self.table.rowid}"
        sql = f"SELECT {self._key} FROM {source} >= ? ORDER BY {self.table.rowid} LIMIT 1"
        key: Row | None = self._connection.execute(sql, (start,)).fetchone()
        if key is not None and (not isinstance(key[0], int) or key[0] < start):
            raise sqlite3.DatabaseError("the keys are out of order")
        return key

    def greatest(self) -> int:
        """A rowid that none exceeds, by AUTOINCREMENT's own record; the least where there is none."""
        try:
            sql = "SELECT max(seq) FROM main.sqlite_sequence WHERE name = ? AND typeof(seq) = 'integer'"
            (seq,) = self._connection.execute(sql, (self.table.name,)).fetchone()
        except UNREADABLE:
            seq = None
        return LEAST_ROWID if seq is None else int(seq)

    def listed(self, start: int) -> Iterator[Row]:
        """Rowid and key cells of the rows from `start` on, as an index has them; `start` only ever grows."""
        if self._indexes is None:
            self._indexes = self._covering()
        while self._indexes:
            try:
                if self._listing is None:
                    self._listing = self._index(self._indexes[0], start)
                for entry in self._listing:
                    if isinstance(entry[0], int) and entry[0] >= start:
                        start = entry[0] + 1
                        yield entry
                return
            except UNREADABLE:
                # This one is damaged, too.
                self._listing = None
                del self._indexes[0]
        raise sqlite3.DatabaseError("no index lists the rows")

    def _covering(self) -> list[str]:
        """The indexes, quoted, that hold every row and its key columns."""
        key = set(self.table.key or ()) - {self.table.alias}
        found = []
        indexes = self._connection.execute(f"PRAGMA main.index_list({quoted_name(self.table.name)})").fetchall()
        for _, index, _, _, partial in indexes:
            if not is_utf8(index):
                # Its name cannot be said in SQL.
                continue
            quoted = quoted_name(index)
            parts = {info[1] for info in self._connection.execute(f"PRAGMA main.index_xinfo({quoted})")}
            if not partial and key <= parts:
                found.append(quoted)
        return found

    def _index(self, index: str, start: int) -> Iterator[Row]:
        source = f"main.{quoted_name(self.table.name)} INDEXED BY {index} WHERE {self.table.rowid}"
        # A cursor of its own is not closed with a generator that is left half way, perhaps after its connection.
        return self._connection.execute(f"SELECT {self._key} FROM {source} >= ? ORDER BY {self.table.rowid}", (start,))


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
        """What was not given yet."""
        if self._first is not None:
            yield Gap((self._first,), (self._last,), self._units) if self._runs else Gap(None, None, None)
        self._first, self._units = None, 0


Resumed = Generator[Row | Gap, None, int]
"""Yields rows and what was lost before them; returns the rowid to go on from."""


def resumed(reader: Reader, start: int, mixed: bool) -> Resumed:
    """Goes over the damaged place at the rowid `start` to the first row that can be read again.

    `mixed`: keys out of order were met there. Then the rest of the table is read as an index lists it, where one does.
    """
    lost = _Lost(reader.table)
    try:
        for rowid, *key in reader.listed(start):
            found = yield from _asked_for(reader, (rowid, *key), lost)
            start = rowid + 1
            if found and not mixed:
                return start
    except UNREADABLE:
        return (yield from _probed(reader, start, mixed, lost))
    return (yield from _unlisted(reader, start, lost))


def _asked_for(reader: Reader, key: Row, lost: _Lost) -> Generator[Row | Gap, None, bool]:
    """Reads one row of which rowid and key are known; returns whether it could be."""
    try:
        row = reader.row(key[0])
    except UNREADABLE:
        yield from lost.add(key[0], key[1:])
        return False
    yield from lost.rest()
    yield row
    return True


def _unlisted(reader: Reader, start: int, lost: _Lost) -> Resumed:
    """Behind the last row that an index lists: it may have lost entries itself."""
    while start <= GREATEST_ROWID:
        try:
            key = reader.next_key(start)
        except UNREADABLE:
            break
        if key is None:
            break
        start = key[0] + 1
        if (yield from _asked_for(reader, key, lost)):
            return start
    yield from lost.rest()
    return GREATEST_ROWID + 1


def _probed(reader: Reader, start: int, mixed: bool, lost: _Lost) -> Resumed:
    """Without an index: looks for the next readable row rowid by rowid, then in growing steps and back."""
    probe = _Probe(reader)
    # A row that is found at once does not explain why the scan stopped here. Where keys are mixed up a search may pass
    # over rows, so each rowid is then asked for by itself.
    mixed = probe.reads(start, False) or mixed
    at, steps, sure = start, 0, not mixed
    while not probe.reads(at, steps >= _SINGLE_STEPS) or (mixed and probe.beyond(at, steps)):
        if probe.key is not None and probe.key[0] == at:
            yield from lost.add(at, probe.key[1:])
        else:
            sure = False
        failed, steps = at, steps + 1
        at += 1 if steps < _SINGLE_STEPS else at - start + 1
        if at > GREATEST_ROWID:
            lost.unknown(start, max(start, probe.bound))
            yield from lost.rest()
            return at
    while steps >= _SINGLE_STEPS and at - failed > 1:
        middle = (at + failed) // 2
        if probe.reads(middle, True):
            at = middle
        else:
            failed = middle
    probe.reads(at, True)
    following = at if probe.key is None else probe.key[0]
    if not sure and following > start:
        lost.unknown(start, following - 1)
    yield from lost.rest()
    if probe.row is None:
        return GREATEST_ROWID + 1
    yield probe.row
    if mixed:
        yield from _hole(reader, following + 1)
    return following + 1


def _hole(reader: Reader, start: int) -> Iterator[Gap]:
    """Where keys are mixed up, rows may be missing between one that was found and the next."""
    try:
        key = reader.next_key(start)
    except UNREADABLE:
        return
    if key is not None and key[0] > start:
        lost = _Lost(reader.table)
        lost.unknown(start, key[0] - 1)
        yield from lost.rest()


class _Probe:
    """The last look for a row: the key that was found, None at the end or in damage, and the row under it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.bound = reader.greatest()
        self.key: Row | None = None
        self.row: Row | None = None

    def reads(self, at: int, at_end: bool) -> bool:
        """Whether the first row from the rowid `at` on can be read.

        No row at all counts if `at_end`, or if none is to be expected: in damaged pages a search also misses.
        """
        self.key = self.row = None
        try:
            self.key = self._reader.next_key(at)
            if self.key is None:
                return at_end or at > self.bound
            self.row = self._reader.row(self.key[0])
        except UNREADABLE:
            return False
        return True

    def beyond(self, at: int, steps: int) -> bool:
        """Whether the row found is not that of the rowid `at`, and single steps may still find it."""
        return steps < _SINGLE_STEPS and self.key is not None and self.key[0] != at
