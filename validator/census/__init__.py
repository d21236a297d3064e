"""The census: an independent reader of native sources, unit by unit, into the workbench.

It counts what is there before any record is read, and shares no code with a converter. ``Store`` is the
census of an SQLite store: first its tables and namespace, then all rows. ``Files`` is that of the files of a home.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from validator.census.cycles import load_cycles
from validator.census.files import Files, NativeFile, load_facts
from validator.census.journal import log_notice
from validator.census.load import TableLoader, entity_key, key_of_number, key_part, key_text
from validator.census.store import (
    NativeTable,
    StoreError,
    damaged_derived,
    identifier,
    keeps_log,
    nameable,
    open_store,
    rows,
    tables,
)
from validator.census.streams import Streams
from validator.descriptor.shape import Shape

__all__ = [
    "Files",
    "NativeFile",
    "NativeTable",
    "Store",
    "StoreError",
    "entity_key",
    "key_of_number",
    "key_part",
    "key_text",
    "load_facts",
]


class Store:
    """The census of one store: a private copy, opened for reading. Raises ``StoreError``."""

    def __init__(self, path: Path, shape: Shape) -> None:
        self.shape = shape
        self.logged = keeps_log(path)
        """Whether the store keeps a write-ahead log beside it."""
        self._store = open_store(path)
        try:
            self.log = log_notice(self._store, path)
            """Code and detail of the notice that the write-ahead log deserves; the log is used up by looking."""
            self.tables = tables(self._store, shape)
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"its schema cannot be read: {error}; restore the store or capture it again") from None

    def close(self) -> None:
        """Close the store; its private copy may then be deleted."""
        self._store.close()

    @property
    def known(self) -> bool:
        """Whether the store has a converted table that the shape knows."""
        return any(table.spec is not None and table.kind == "converted" for table in self.tables)

    def namespace(self) -> str | None:
        """Return the namespace that the store itself holds, or None where it holds none."""
        rule = self.shape.namespace
        if rule is None or not any(table.name == rule["table"] for table in self.tables):
            return None
        where = " AND ".join(f"{identifier(column)} = ?" for column in rule["where"])
        query = f"SELECT {identifier(rule['column'])} FROM {identifier(rule['table'])} WHERE {where}"
        try:
            row = self._store.execute(query, tuple(rule["where"].values())).fetchone()
        except sqlite3.Error:
            return None
        value = row[0] if row else None
        return value if isinstance(value, str) and value and nameable(value) else None

    def row(self, tab: str, key: list[Any]) -> dict[str, Any] | None:
        """Read one row again by its key as a locator writes it: cells by column name, None where it is not found."""
        table = next(table for table in self.tables if table.name == tab)
        if not all(isinstance(part, str) for part in key):
            return None
        names = [identifier(column) for column in table.keys] or [str(table.rowid)]
        where = " AND ".join(f"{name} = ?" for name in names)
        select = ", ".join(identifier(column) for column in table.columns)
        try:
            row = self._store.execute(f"SELECT {select} FROM {identifier(tab)} WHERE {where}", key).fetchone()
        except sqlite3.Error:
            return None
        return dict(zip(table.columns, row, strict=True)) if row else None

    def first_units(self) -> dict[str, int]:
        """Foresee by table the number of its first unit in an empty workbench: right as far as nothing is damaged."""
        found, number = {}, 1
        for table in self.tables:
            if table.kind in ("converted", "unknown"):
                found[table.name] = number
                try:
                    number += self._store.execute(f"SELECT count(*) FROM {identifier(table.name)}").fetchone()[0]
                except sqlite3.Error:
                    break
        return found

    def load(self, workbench: sqlite3.Connection, run: int, source: int) -> None:
        """Read every row of every table into the workbench's ``native_*`` tables."""
        workbench.execute("BEGIN")
        streams = Streams(workbench, run)
        for table in self.tables:
            first = workbench.execute("SELECT coalesce(max(unit), 0) + 1 FROM native_unit").fetchone()[0]
            loader = TableLoader(workbench, run, source, table, first, self.shape.unknown_entity, streams)
            if table.kind != "derived":
                for item in rows(self._store, table):
                    loader.add(item)
            loader.finish()
        self._resolve_streams(workbench, run, streams.number(None))
        streams.finish()
        for spec in self.shape.tables:
            load_cycles(workbench, run, spec)
        self._note(workbench, run, source)
        workbench.execute("COMMIT")

    def _note(self, workbench: sqlite3.Connection, run: int, source: int) -> None:
        """Note what is worth knowing about the store as a whole and its derived tables."""
        notes: list[tuple[str, str | None, str | None]] = []
        if self.log is not None:
            notes.append((self.log[0], None, self.log[1]))
        notes.extend(("derived-damaged", name, None) for name in damaged_derived(self._store, self.tables))
        workbench.executemany(
            "INSERT INTO native_notice (run, source, code, tab, detail) VALUES (?, ?, ?, ?, ?)",
            [(run, source, code, tab, detail) for code, tab, detail in notes],
        )

    def _resolve_streams(self, workbench: sqlite3.Connection, run: int, own: int) -> None:
        """Give units whose stream is that of another unit (a receipt: its execution's) their stream, or the store's.

        Until then the other unit's key stands there.
        """
        for table in self.shape.tables:
            if table.through is not None:
                workbench.execute(
                    "UPDATE native_unit SET stream = coalesce((SELECT other.stream FROM native_unit AS other "
                    "WHERE other.run = native_unit.run AND other.tab = ? AND other.key = native_unit.stream), ?) "
                    "WHERE run = ? AND tab = ?",
                    (table.through[0], own, run, table.name),
                )
