"""Turns the rows of one native table into rows of the workbench's ``native_*`` tables.

For each unit: its key, the stream it belongs to, the digest of the whole row, the columns that claims need,
what lies inside its JSON columns, and the notices its cells give.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import orjson

from validator.census.cells import Decoded, at_pointers, decode_json, is_sentinel, kind_of, time_text
from validator.census.store import Lost, NativeTable
from validator.descriptor.shape import Child, Load
from validator.workbench.encoding import (
    Column,
    cell_column,
    cell_digest,
    cell_json,
    json_column,
    json_digest,
    row_digest,
)

BATCH = 500
"""Rows that are held before they are written."""


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


def entity_key(parts: list[Any]) -> str:
    """Return what ``entity.key`` must be for a unit with this key."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return key_text(parts)


class TableLoader:
    """Loads one native table of one run; ``add`` takes what the reader yields, ``finish`` writes the sums."""

    def __init__(
        self,
        workbench: sqlite3.Connection,
        run: int,
        source: int,
        table: NativeTable,
        first_unit: int,
        unknown_entity: str,
    ) -> None:
        self.workbench, self.run, self.source, self.table = workbench, run, source, table
        self.unit = first_unit
        self.units = self.unreadable = 0
        spec = table.spec
        self.etype = (spec.entity if spec else None) or unknown_entity
        self.family = (spec.family if spec else None) or "current-state"
        self.converted = table.kind in ("converted", "unknown")
        # A row comes with its rowid first, so a column stands one place further.
        self._where = {name: index for index, name in enumerate(table.columns, 1)}
        self._names = list(table.columns)
        self._keys = [self._where[key] for key in table.keys]
        self._transcript = self.family == "transcript"
        through = spec.through if spec else None
        self._session = self._where.get(spec.session) if spec and spec.session and not through else None
        self._through = self._where.get(through[1]) if through else None
        columns = [column for column in (spec.columns if spec else ()) if column.name in self._where]
        self._json = [(column.name, self._where[column.name]) for column in columns if column.json]
        self._sentinels = [(column.name, self._where[column.name]) for column in columns if column.sentinel]
        self._children = spec.children if spec else ()
        self._values: list[tuple[int, int]] = []
        self._cells: list[tuple[int, int, Callable[[Any], Column]]] = []
        self._others: list[tuple[int, Callable[[tuple[Any, ...], dict[str, Decoded]], Column]]] = []
        self._times: list[tuple[str, int, int]] = []
        for place, load in enumerate(spec.loads if spec else (), 1):
            self._plan(place, load)
        self._blank: list[Any] = [None] * (1 + len(spec.loads)) if spec and spec.workbench else []
        self._batches: dict[str, tuple[str, list[tuple[Any, ...]]]] = {}
        self._prepare_batches()

    def _prepare_batches(self) -> None:
        spec = self.table.spec
        facts = (self.run, self.source, self.table.name, self.etype, self.family, int(bool(spec and spec.immutable)))
        run, source, tab, etype, family, immutable = (_literal(fact) for fact in facts)
        values = f"?, {run}, {source}, {tab}, ?, ?, {etype}, {family}, ?, {immutable}, ?, ?"
        self._batches["native_unit"] = (f"INSERT INTO native_unit VALUES ({values})", [])
        self._batch("native_notice", 8)
        if spec and spec.workbench:
            self._batch(spec.workbench, 1 + len(spec.loads))
            for child in spec.children:
                self._batch(child.table, 3 + (len(child.columns) if child.of == "array" else 1))

    def _batch(self, name: str, width: int) -> None:
        statement = f"INSERT INTO {name} VALUES ({', '.join('?' * width)})"
        self._batches[name] = (statement, [])

    def _plan(self, place: int, load: Load) -> None:
        """Settle how one column of the native table is made: from a cell, or from more than one cell's content."""
        how, name = load.how, load.column
        if how == "object-digest":
            members = [(member, self._where[member]) for member in load.members if member in self._where]
            self._others.append((place, lambda row, _: _object_column({key: row[index] for key, index in members})))
        elif how == "json":
            self._others.append((place, lambda _, decoded: _kind(decoded.get(str(name)))))
        elif how == "json-digest":
            self._others.append((place, lambda _, decoded: _only(decoded.get(str(name)), load.of)))
        elif name in self._where and how == "value" and load.of is None:
            self._values.append((place, self._where[name]))
        elif name in self._where:
            self._cells.append((place, self._where[name], _TEXT_CELL[how] if load.of == "text" else _CELL[how]))
            if how == "time":
                self._times.append((name, place, self._where[name]))

    def add(self, item: tuple[Any, ...] | Lost) -> None:
        """Take a row (rowid first) or a lost range."""
        if isinstance(item, Lost):
            self._lose(item)
            return
        self.units += 1
        if not self.converted:
            return
        unit = self.unit
        self.unit += 1
        key, ekey = self._key(item)
        session: Column = None
        if self._session is not None:
            session = cell_column(item[self._session])
        elif self._through is not None:  # resolved to a session when all tables are loaded
            session = key_text([key_part(item[self._through])])
        digest, sound = row_digest(self._names, item[1:])
        position = (ekey or key) if self._transcript else None
        self._batches["native_unit"][1].append((unit, key, ekey, position, session, digest))
        notes: list[tuple[str, str]] = [] if sound else self._not_utf8(item)
        self._add_columns(unit, item, notes)
        if notes:
            self._batches["native_notice"][1].extend(
                (self.run, self.source, code, self.table.name, key, unit, column, None) for code, column in notes
            )
        if self.units % BATCH == 0:
            self.flush()

    def _key(self, row: tuple[Any, ...]) -> tuple[str, str]:
        """Return a row's key as compact JSON, and as ``entity.key``."""
        if not self._keys:
            number = str(row[0] if row[0] is not None else self.units)
            return key_text([number]), number
        parts = [key_part(row[index]) for index in self._keys]
        return key_text(parts), entity_key(parts)

    def _add_columns(self, unit: int, row: tuple[Any, ...], notes: list[tuple[str, str]]) -> None:
        """Write the columns that claims need, and what lies inside JSON columns; gather the notices."""
        decoded = self._decode(row, notes)
        if not self._blank:
            return
        values = self._blank.copy()
        values[0] = unit
        for place, index in self._values:
            cell = row[index]
            if cell is not None:
                plain = type(cell) is int or (type(cell) is str and len(cell) < 64 and cell.isascii())
                values[place] = cell if plain else cell_column(cell)
        for place, index, encode in self._cells:
            cell = row[index]
            if cell is not None:
                values[place] = encode(cell)
        for place, make in self._others:
            values[place] = make(row, decoded)
        for name, place, index in self._times:
            if values[place] is None and row[index] is not None:
                notes.append(("not-a-time", name))
        self._batches[self.table.spec.workbench][1].append(tuple(values))  # type: ignore[union-attr, index]
        for child in self._children:
            found = decoded.get(child.column)
            if found is not None and found.kind == child.of:
                rows = _elements(child, found.value) if child.of == "array" else _members(child, found.value)
                self._batches[child.table][1].extend((unit, *inside) for inside in rows)

    def _decode(self, row: tuple[Any, ...], notes: list[tuple[str, str]]) -> dict[str, Decoded]:
        """Decode the JSON columns of a row, and look at text that may hold structured content."""
        decoded: dict[str, Decoded] = {}
        for name, index in self._json:
            cell = row[index]
            if cell is not None:
                found = decoded[name] = decode_json(cell)
                if found.notices:
                    notes.extend((code, name) for code in found.notices)
        for name, index in self._sentinels:
            cell = row[index]
            if cell is not None and is_sentinel(cell) and decode_json(cell[6:]).kind == "malformed":
                notes.append(("sentinel-not-json", name))
        return decoded

    def _not_utf8(self, row: tuple[Any, ...]) -> list[tuple[str, str]]:
        cells = zip(self._names, row[1:], strict=True)
        return [("not-utf8", name) for name, cell in cells if type(cell) is str and isinstance(cell_json(cell), dict)]

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

    def flush(self) -> None:
        """Write the rows that are held."""
        for statement, held in self._batches.values():
            if held:
                self.workbench.executemany(statement, held)
                held.clear()

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


_CELL: dict[str, Callable[[Any], Column]] = {
    "digest": cell_digest,
    "time": time_text,
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


