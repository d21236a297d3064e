"""Turns the rows of one native table into rows of the workbench's ``native_*`` tables.

For each unit: its key, the stream it belongs to, the digest of the whole row, the columns that claims need,
what lies inside its JSON columns, and the notices its cells give.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

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
    if cell is None:
        return None
    if type(cell) is int:
        return str(cell)
    if type(cell) is float:
        if cell.is_integer():
            return str(int(cell))
        return {"$real": {"inf": "Infinity", "-inf": "-Infinity"}.get(repr(cell), repr(cell))}
    return cell_json(cell)


def key_text(parts: list[Any]) -> str:
    """Write a key as compact JSON: how keys stand everywhere in the workbench."""
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def entity_key(parts: list[Any]) -> str:
    """Return what ``entity.key`` must be for a unit with this key."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return key_text(parts)


class TableLoader:
    """Loads one native table of one run; ``add`` takes what the reader yields, ``finish`` writes the sums."""

    def __init__(
        self, workbench: sqlite3.Connection, run: int, source: int, table: NativeTable, first_unit: int
    ) -> None:
        self.workbench, self.run, self.source, self.table = workbench, run, source, table
        self.unit = first_unit
        self.units = self.unreadable = 0
        spec = table.spec
        self.etype = (spec.entity if spec else None) or "unknown"
        self.family = (spec.family if spec else None) or "current-state"
        self.converted = table.kind in ("converted", "unknown")
        order = sorted(range(len(table.columns)), key=lambda index: table.columns[index])
        self._digest_order = order
        self._digest_names = [table.columns[index] for index in order]
        self._where = {name: index for index, name in enumerate(table.columns)}
        self._keys = [self._where[key] for key in table.keys]
        self._session = self._where.get(spec.session) if spec and spec.session and not spec.through else None
        through = spec.through if spec else None
        self._through = self._where.get(through[1]) if through else None
        self._json = [
            (column.name, self._where[column.name])
            for column in (spec.columns if spec else ())
            if column.json and column.name in self._where
        ]
        self._sentinels = [
            (column.name, self._where[column.name])
            for column in (spec.columns if spec else ())
            if column.sentinel and column.name in self._where
        ]
        self._times = [
            (load.column, self._where[load.column])
            for load in (spec.loads if spec else ())
            if load.how == "time" and load.column in self._where
        ]
        self._loads = [(load, self._loader(load)) for load in (spec.loads if spec else ())]
        self._batches: dict[str, tuple[str, list[tuple[Any, ...]]]] = {}
        self._prepare_batches()

    def _prepare_batches(self) -> None:
        self._batch("native_unit", 12)
        self._batch("native_notice", 8)
        spec = self.table.spec
        if spec and spec.workbench:
            self._batch(spec.workbench, 1 + len(spec.loads))
            for child in spec.children:
                self._batch(child.table, 3 + (len(child.columns) if child.of == "array" else 1))

    def _batch(self, name: str, width: int) -> None:
        statement = f"INSERT INTO {name} VALUES ({', '.join('?' * width)})"
        self._batches[name] = (statement, [])

    def _loader(self, load: Load) -> Callable[[list[Any], dict[str, Decoded]], Column]:
        """Return the function that makes one column of the native table from a row."""
        how, name = load.how, load.column
        if how == "object-digest":
            members = [(member, self._where[member]) for member in load.members if member in self._where]
            return lambda row, _: _object_column({member: row[index] for member, index in members})
        if name not in self._where:
            return lambda _row, _: None
        index = self._where[name]
        if how == "digest":
            return lambda row, _: cell_digest(row[index])
        if how == "time":
            return lambda row, _: time_text(row[index])
        if how == "json":
            return lambda _, decoded: _kind(decoded.get(name))
        if how == "json-value":
            return lambda row, _: json_column(cell_json(row[index]))
        if how == "json-digest":
            return lambda _, decoded: _only(decoded.get(name), load.of)
        return lambda row, _: cell_column(row[index])

    def add(self, item: tuple[Any, ...] | Lost) -> None:
        """Take a row (rowid first) or a lost range."""
        if isinstance(item, Lost):
            self._lose(item)
            return
        self.units += 1
        if not self.converted:
            return
        row = list(item[1:])
        parts = [key_part(row[index]) for index in self._keys] or [str(item[0] if item[0] is not None else self.units)]
        key = key_text(parts)
        unit = self.unit
        self.unit += 1
        decoded = self._notices(row, unit, key)
        session: Column = None
        if self._session is not None:
            session = cell_column(row[self._session])
        elif self._through is not None:  # resolved to a session when all tables are loaded
            session = key_text([key_part(row[self._through])])
        digest = row_digest(self._digest_names, [row[index] for index in self._digest_order])
        ekey = entity_key(parts)
        position = ekey if self.family == "transcript" else None
        immutable = 1 if self.table.spec and self.table.spec.immutable else 0
        self._batches["native_unit"][1].append(
            (unit, self.run, self.source, self.table.name, key, ekey, self.etype, self.family, position, immutable,
             session, digest)
        )  # fmt: skip
        self._add_columns(unit, row, decoded)
        if self.units % BATCH == 0:
            self.flush()

    def _add_columns(self, unit: int, row: list[Any], decoded: dict[str, Decoded]) -> None:
        spec = self.table.spec
        if spec is None or spec.workbench is None:
            return
        self._batches[spec.workbench][1].append((unit, *[load(row, decoded) for _, load in self._loads]))
        for child in spec.children:
            found = decoded.get(child.column)
            if found is not None and found.kind == child.of:
                rows = _elements(child, found.value) if child.of == "array" else _members(child, found.value)
                self._batches[child.table][1].extend((unit, *values) for values in rows)

    def _notices(self, row: list[Any], unit: int, key: str) -> dict[str, Decoded]:
        """Decode the JSON columns of a row, and note what is worth knowing about its cells."""
        notes: list[tuple[str, str, str | None]] = []
        decoded: dict[str, Decoded] = {}
        for name, index in self._json:
            if row[index] is not None:
                found = decode_json(row[index])
                decoded[name] = found
                notes.extend((code, name, None) for code in found.notices)
        for name, index in self._times:
            if row[index] is not None and time_text(row[index]) is None:
                notes.append(("not-a-time", name, None))
        for name, index in self._sentinels:
            if is_sentinel(row[index]) and decode_json(row[index][6:]).kind in ("malformed", "absent"):
                notes.append(("sentinel-not-json", name, None))
        for index, cell in enumerate(row):
            if type(cell) is str and not cell.isascii() and isinstance(cell_json(cell), dict):
                notes.append(("not-utf8", self.table.columns[index], None))
        if notes:
            self._batches["native_notice"][1].extend(
                (self.run, self.source, code, self.table.name, key, unit, column, detail)
                for code, column, detail in notes
            )
        return decoded

    def _lose(self, lost: Lost) -> None:
        if lost.units is not None:
            self.unreadable += lost.units
        if self.converted:
            first = key_text([key_part(cell) for cell in lost.first])
            last = key_text([key_part(cell) for cell in lost.last])
            self.workbench.execute(
                "INSERT INTO native_lost VALUES (?, ?, ?, ?, ?, ?)",
                (self.run, self.source, self.table.name, first, last, lost.units),
            )

    def flush(self) -> None:
        """Write the rows that are held."""
        for statement, held in self._batches.values():
            if held:
                self.workbench.executemany(statement, held)
                held.clear()

    def finish(self) -> None:
        """Write what is held and the sums of the table."""
        self.flush()
        kind = self.table.kind
        self.workbench.execute(
            "INSERT INTO native_table VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (self.run, self.table.name, kind, self.etype if self.converted else None,
             self.family if self.converted else None, self.table.reason, self.units, self.unreadable),
        )  # fmt: skip


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


