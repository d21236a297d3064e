"""Turns the rows of one native table into rows of the workbench's ``native_*`` tables.

For each unit: its key, the stream it belongs to, the digest of the whole row, the columns that claims need,
what lies inside its JSON columns, and the notices its cells give.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

import orjson

from validator.census.cells import Decoded, at_pointers, decode_json, is_sentinel, kind_of, time_text
from validator.census.store import Lost, NativeTable
from validator.census.streams import Streams
from validator.descriptor.shape import Child, Load
from validator.workbench.encoding import (
    Blob,
    Column,
    RowNames,
    cell_column,
    cell_digest,
    cell_json,
    json_column,
    json_digest,
    row_digest,
)

BATCH = 50
BATCH_BYTES = 64 * 2**10
"""Rows are taken in batches of this size, column by column: that is faster by half than row by row."""

Note = tuple[int, str, str]
"""A notice about a cell: the place of its row in the batch, the code, and the column."""


def key_part(cell: Any) -> Any:
    """Return one key column as a locator writes it: text, whole number in decimal, tagged value, or None."""
    if type(cell) is int:
        return str(cell)
    if cell is None:
        return None
    if type(cell) is float:
        if cell.is_integer():
            return str(int(cell))
        return {"$real": {"inf": "Infinity", "-inf": "-Infinity"}.get(repr(cell), repr(cell))}
    return cell_json(cell)


def key_text(parts: list[Any]) -> str:
    """Write a key as compact JSON: how keys stand everywhere in the workbench."""
    return orjson.dumps(parts).decode("utf-8")


def key_of_number(number: int) -> str:
    """Write the key that is one whole number, as ``key_text`` does."""
    return f'["{number}"]'


def entity_key(parts: list[Any]) -> str:
    """Return what ``entity.key`` must be for a unit with this key."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return key_text(parts)


@dataclass
class _Batch:
    """Rows that are loaded together, by row and by column; the rowid is the first cell."""

    rows: list[tuple[Any, ...]]
    cells: list[tuple[Any, ...]]
    units: range
    decoded: dict[str, list[Decoded | None]] = field(default_factory=dict)
    """What the JSON columns hold."""
    notes: list[Note] = field(default_factory=list)
    streams: list[int] = field(default_factory=list)
    """The numbers of the streams that the rows are in."""
    times: dict[str, list[Column]] = field(default_factory=dict)
    """What the columns hold that are taken as times."""

    @property
    def nothing(self) -> list[Decoded | None]:
        """What a column holds that the store does not have."""
        return [None] * len(self.rows)


Maker = Callable[[_Batch], list[Column]]
"""Makes a column of a native table for a batch."""


class TableLoader:
    """Loads one native table of one run; ``add`` takes what the reader yields, ``finish`` writes the sums.

    No more rows are held than ``BATCH_BYTES`` and one row.
    """

    def __init__(
        self,
        workbench: sqlite3.Connection,
        run: int,
        source: int,
        table: NativeTable,
        first_unit: int,
        unknown_entity: str,
        streams: Streams,
    ) -> None:
        self.workbench, self.run, self.source, self.table = workbench, run, source, table
        self._streams = streams
        self.unit = first_unit
        self.units = self.unreadable = 0
        spec = table.spec
        self.etype = (spec.entity if spec else None) or unknown_entity
        self.family = (spec.family if spec else None) or "current-state"
        self.converted = table.kind in ("converted", "unknown")
        # A row comes with its rowid first, so a column stands one place further.
        self._where = {name: index for index, name in enumerate(table.columns, 1)}
        self._names = RowNames(table.columns)
        self._keys = [self._where[key] for key in table.keys]
        through = spec.through if spec else None
        self._session = self._where.get(spec.session) if spec and spec.session and not through else None
        self._through = self._where.get(through[1]) if through else None
        columns = [column for column in (spec.columns if spec else ()) if column.name in self._where]
        self._json = [(column.name, self._where[column.name]) for column in columns if column.json]
        self._sentinels = [(column.name, self._where[column.name]) for column in columns if column.sentinel]
        self._loads = [(load.name, make) for load in (spec.loads if spec else ()) if (make := self._maker(load))]
        self._rows: list[tuple[Any, ...]] = []
        self._digests: list[Blob] = []
        self._unsound: list[int] = []
        self._bytes = 0
        facts = (run, source, table.name, self.etype, self.family, int(bool(spec and spec.immutable)))
        number, of, tab, etype, family, immutable = (_literal(fact) for fact in facts)
        # Unit, key, entity key, stream, digest. A message's position is its entity key, or its key if that is empty.
        position = "CASE ?3 WHEN '' THEN ?2 ELSE ?3 END" if self.family == "transcript" else "NULL"
        values = f"?1, {number}, {of}, {tab}, ?2, ?3, {etype}, {family}, {position}, {immutable}, ?4, ?5"
        self._insert_unit = f"INSERT INTO native_unit VALUES ({values})"

    def _maker(self, load: Load) -> Maker | None:
        """Return what makes one column of the native table; None where the store lacks what it is made from."""
        how, name = load.how, load.column
        if how == "object-digest":
            members = [(member, self._where[member]) for member in load.members if member in self._where]
            return lambda batch: [_object_column({key: row[index] for key, index in members}) for row in batch.rows]
        if how == "json":
            return lambda batch: [_kind(found) for found in batch.decoded.get(str(name), batch.nothing)]
        if how == "json-digest":
            return lambda batch: [_only(found, load.of) for found in batch.decoded.get(str(name), batch.nothing)]
        if how == "stream":
            return lambda batch: list(batch.streams)
        if name not in self._where:
            return None
        index = self._where[name]
        if how == "before":
            latest: dict[int, int] = {}
            return lambda batch: _before(batch, name, index, latest)
        if how == "value" and load.of is None:
            return lambda batch: _values(batch.cells[index])
        if how == "time":
            return lambda batch: _times(batch, name, index)
        encode = _TEXT_CELL[how] if load.of == "text" else _CELL[how]
        return lambda batch: [None if cell is None else encode(cell) for cell in batch.cells[index]]

    def add(self, item: tuple[Any, ...] | Lost) -> None:
        """Take a row (rowid first) or a lost range."""
        if isinstance(item, Lost):
            self.flush()
            self._lose(item)
            return
        self.units += 1
        if not self.converted:
            return
        digest, sound, size = row_digest(self._names, item[1:])
        if not sound:
            self._unsound.append(len(self._rows))
        self._rows.append(item)
        self._digests.append(digest)
        self._bytes += size
        if len(self._rows) == BATCH or self._bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are held."""
        rows = self._rows
        if not rows:
            return
        batch = _Batch(rows, list(zip(*rows, strict=True)), range(self.unit, self.unit + len(rows)))
        keys, entity_keys = self._keys_of(batch)
        units = zip(batch.units, keys, entity_keys, self._streams_of(batch), self._digests, strict=True)
        self.workbench.executemany(self._insert_unit, units)
        for place in self._unsound:
            batch.notes.extend((place, "not-utf8", column) for column in self._not_utf8(rows[place]))
        self._decode(batch)
        self._write_columns(batch)
        if batch.notes:
            batch.notes.sort(key=itemgetter(0))
            self.workbench.executemany(
                "INSERT INTO native_notice VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                [
                    (self.run, self.source, code, self.table.name, keys[place], batch.units[place], column)
                    for place, code, column in batch.notes
                ],
            )
        self.unit += len(rows)
        self._rows, self._digests, self._unsound, self._bytes = [], [], [], 0

    def _keys_of(self, batch: _Batch) -> tuple[list[str], list[str]]:
        """Return the rows' keys as compact JSON, and as ``entity.key``."""
        if not self._keys:
            first = self.units - len(batch.rows) + 1
            numbers = [first + place if rowid is None else rowid for place, rowid in enumerate(batch.cells[0])]
        elif len(self._keys) == 1 and set(map(type, batch.cells[self._keys[0]])) == {int}:
            numbers = list(batch.cells[self._keys[0]])
        else:
            parts = [[key_part(row[index]) for index in self._keys] for row in batch.rows]
            return list(map(key_text, parts)), list(map(entity_key, parts))
        return list(map(key_of_number, numbers)), list(map(str, numbers))

    def _streams_of(self, batch: _Batch) -> Sequence[int | str]:
        if self._through is not None:  # resolved to a stream when all tables are loaded
            return [key_text([key_part(cell)]) for cell in batch.cells[self._through]]
        cells = [None] * len(batch.rows) if self._session is None else batch.cells[self._session]
        batch.streams = self._streams.numbers(_values(cells))
        return batch.streams

    def _decode(self, batch: _Batch) -> None:
        """Decode the JSON columns, and look at text that may hold structured content."""
        for name, index in self._json:
            found = [None if cell is None else decode_json(cell) for cell in batch.cells[index]]
            batch.decoded[name] = found
            for place, one in enumerate(found):
                if one is not None and one.notices:
                    batch.notes.extend((place, code, name) for code in one.notices)
        for name, index in self._sentinels:
            for place, cell in enumerate(batch.cells[index]):
                if cell is not None and is_sentinel(cell) and decode_json(cell[6:]).kind == "malformed":
                    batch.notes.append((place, "sentinel-not-json", name))

    def _write_columns(self, batch: _Batch) -> None:
        """Write the columns that claims need, and what lies inside JSON columns."""
        spec = self.table.spec
        if spec is None or spec.workbench is None:
            return
        # A NULL that is bound costs sqlite3 more than a text: a column without any value is left out.
        made = {name: column for name, make in self._loads if (column := make(batch)).count(None) < len(column)}
        filled = zip(batch.units, *made.values(), strict=True)
        self.workbench.executemany(_insert(spec.workbench, tuple(made)), filled)
        for child in spec.children:
            rows: list[tuple[Any, ...]] = []
            inside = _elements if child.of == "array" else _members
            for unit, found in zip(batch.units, batch.decoded.get(child.column, ()), strict=False):
                if found is not None and found.kind == child.of:
                    rows.extend((unit, *row) for row in inside(child, found.value))
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.workbench.executemany(f"INSERT INTO {child.table} VALUES ({marks})", rows)

    def _not_utf8(self, row: tuple[Any, ...]) -> list[str]:
        cells = zip(self.table.columns, row[1:], strict=True)
        return [name for name, cell in cells if type(cell) is str and isinstance(cell_json(cell), dict)]

    def _lose(self, lost: Lost) -> None:
        if lost.units is not None:
            self.unreadable += lost.units
        if self.converted:
            first = key_text([key_part(cell) for cell in lost.first])
            last = key_text([key_part(cell) for cell in lost.last])
            self.workbench.execute(
                "INSERT INTO native_lost VALUES (?, ?, ?, ?, ?, ?, ?)",
                (self.run, self.source, self.table.name, first, last, lost.units, self.unit),
            )

    def finish(self) -> None:
        """Write what is held, the columns and the sums of the table."""
        self.flush()
        kind, spec = self.table.kind, self.table.spec
        described = {column.name for column in spec.columns} if spec else None
        self.workbench.executemany(
            "INSERT INTO native_column VALUES (?, ?, ?, ?)",
            [
                (self.run, self.table.name, column, None if described is None else column in described)
                for column in self.table.columns
            ],
        )
        self.workbench.execute(
            "INSERT INTO native_table VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (self.run, self.table.name, kind, self.etype if self.converted else None,
             self.family if self.converted else None, self.table.reason, self.units, self.unreadable),
        )  # fmt: skip


@lru_cache(maxsize=256)
def _insert(table: str, names: tuple[str, ...]) -> str:
    columns = ", ".join(["unit", *(f'"{name}"' for name in names)])
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * (len(names) + 1))})"


def _values(cells: Sequence[Any]) -> list[Column]:
    """Return cells as columns; most are small and need no look."""
    return [
        cell if cell is None or type(cell) is int or (type(cell) is str and len(cell) < 64 and cell.isascii())
        else cell_column(cell)
        for cell in cells
    ]  # fmt: skip


def _times(batch: _Batch, name: str, index: int) -> list[Column]:
    """Return cells as times, and note those that are none."""
    if name in batch.times:
        return batch.times[name]
    cells = batch.cells[index]
    times = batch.times[name] = [None if cell is None else time_text(cell) for cell in cells]
    for place, time in enumerate(times):
        if time is None and cells[place] is not None:
            batch.notes.append((place, "not-a-time", name))
    return times


def _before(batch: _Batch, name: str, index: int, latest: dict[int, int]) -> list[Column]:
    """Return for each row the last unit before it in its stream that has a time.

    ``latest`` is that of each stream, and goes from batch to batch.
    """
    found: list[Column] = []
    for unit, stream, time in zip(batch.units, batch.streams, _times(batch, name, index), strict=True):
        found.append(latest.get(stream))
        if time is not None:
            latest[stream] = unit
    return found


_CELL: dict[str, Callable[[Any], Column]] = {
    "digest": cell_digest,
    "entity-key": lambda cell: entity_key([key_part(cell)]),
    "json-value": lambda cell: json_column(cell_json(cell)),
}
"""How a column is made from one cell that is not NULL, where it is not the cell itself."""

_TEXT_CELL: dict[str, Callable[[Any], Column]] = {
    "value": lambda cell: cell_column(cell) if isinstance(cell, str) else None,
    "entity-key": lambda cell: entity_key([key_part(cell)]) if isinstance(cell, str) else None,
}
"""How it is made where only TEXT counts."""


def _literal(fact: Any) -> str:
    """Write a fact that is the same for all rows of a table into a statement."""
    if isinstance(fact, int):
        return str(fact)
    return "'" + str(fact).replace("'", "''") + "'"


def _object_column(cells: dict[str, Any]) -> Column:
    present = {name: cell_json(cell) for name, cell in cells.items() if cell is not None}
    return json_column(present) if present else None


def _kind(decoded: Decoded | None) -> str:
    return decoded.kind if decoded else "absent"


def _only(decoded: Decoded | None, kind: str | None) -> Column:
    return json_column(decoded.value) if decoded and decoded.kind == kind else None


def _elements(child: Child, value: list[Any]) -> list[tuple[Any, ...]]:
    rows = []
    for index, element in enumerate(value):
        cells: list[Any] = []
        for _, pointers, how in child.columns:
            found = at_pointers(element, pointers) if isinstance(element, dict) else None
            cells.append(json_digest(found) if how == "digest" else json_column(found))
        rows.append((index, kind_of(element), *cells))
    return rows


def _members(child: Child, value: dict[str, Any]) -> list[tuple[Any, ...]]:
    wanted = child.members or tuple(value)
    return [(json_column(name), kind_of(value[name]), json_column(value[name])) for name in wanted if name in value]


