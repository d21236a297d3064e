"""Writes a store anew from another: its plain tables, their rows and indexes, each row and cell as a rule decides.

What is derived (full-text indexes, views, triggers) is left out, and so is whatever lay in free pages. Hands on what
was written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from validator.capture import CaptureError
from validator.census import StoreError
from validator.census.store import Lost, NativeTable, identifier, open_store, rows
from validator.census.store import tables as native_tables
from validator.descriptor.shape import Shape

Cell = Callable[[str, str, Any], Any]
"""Table, column and cell: what is written instead."""
Keep = Callable[[str, int], bool]
"""Table and number of a row in native order, from 0: whether it is written."""


@dataclass
class Written:
    """What was written of a store."""

    rows: dict[str, int] = field(default_factory=dict)
    """Rows read, by table."""
    left_out: list[str] = field(default_factory=list)
    """Indexes that could not be made again."""


def rewrite(source: Path, dest: Path, shape: Shape, cell: Cell, keep: Keep) -> Written:
    """Write a store anew; raises ``CaptureError`` where the old one cannot be read whole."""
    written = Written()
    try:
        with closing(open_store(source)) as old, closing(_new(old, dest)) as new:
            for table in native_tables(old, shape):
                if table.kind != "derived" and table.name != "sqlite_sequence" and not _shadowed(old, table):
                    _table(old, new, table, cell, keep, written)
            _sequence(old, new)
            _indexes(old, new, written)
            new.commit()
    except (sqlite3.Error, StoreError) as error:
        raise CaptureError(f"{source.name}: cannot be written anew: {error}") from None
    return written


def _new(old: sqlite3.Connection, dest: Path) -> sqlite3.Connection:
    dest.parent.mkdir(parents=True, exist_ok=True)
    new = sqlite3.connect(dest)
    for name in ("page_size", "encoding"):
        value = old.execute(f"PRAGMA {name}").fetchone()[0]
        new.execute(f"PRAGMA {name} = {identifier(str(value))}")
    for name in ("user_version", "application_id"):
        new.execute(f"PRAGMA {name} = {int(old.execute(f'PRAGMA {name}').fetchone()[0])}")
    new.execute("PRAGMA foreign_keys = OFF")
    new.execute("PRAGMA ignore_check_constraints = ON")
    new.execute("PRAGMA journal_mode = OFF")
    return new


def _shadowed(old: sqlite3.Connection, table: NativeTable) -> bool:
    """Whether a table has no statement that makes it, as SQLite's own do not."""
    row = old.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table.name,)).fetchone()
    return row is None or not row[0]


def _table(
    old: sqlite3.Connection, new: sqlite3.Connection, table: NativeTable, cell: Cell, keep: Keep, written: Written
) -> None:
    made = old.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table.name,)).fetchone()[0]
    new.execute(made)
    stored = _stored(old, table)
    names = [identifier(table.columns[index]) for index in stored]
    rowid = [] if table.rowid is None or _is_alias(old, table) else [table.rowid]
    number = 0
    for item in rows(old, table):
        if isinstance(item, Lost):
            raise CaptureError(f"table {table.name} is damaged; capture it again from a sound copy")
        if keep(table.name, number):
            cells = [cell(table.name, table.columns[index], item[index + 1]) for index in stored]
            values = ([item[0]] if rowid else []) + cells
            places = ", ".join("CAST(? AS TEXT)" if _is_odd(value) else "?" for value in values)
            columns = ", ".join([*rowid, *names])
            bound = [value.encode("utf-8", "surrogateescape") if _is_odd(value) else value for value in values]
            new.execute(f"INSERT INTO {identifier(table.name)} ({columns}) VALUES ({places})", bound)
        number += 1
    written.rows[table.name] = number


def _stored(old: sqlite3.Connection, table: NativeTable) -> list[int]:
    """Return the places of the columns that are stored, not generated."""
    info = old.execute(f"PRAGMA table_xinfo({identifier(table.name)})").fetchall()
    stored = {str(row[1]) for row in info if row[6] == 0}
    return [index for index, name in enumerate(table.columns) if name in stored]


def _is_alias(old: sqlite3.Connection, table: NativeTable) -> bool:
    """Whether a column is the rowid under another name."""
    info = old.execute(f"PRAGMA table_xinfo({identifier(table.name)})").fetchall()
    keys = [row for row in info if row[5]]
    return len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER"


def _is_odd(value: Any) -> bool:
    """Whether a text holds bytes that are not UTF-8, which are carried as lone surrogates."""
    return isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value)


def _sequence(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Carry SQLite's own counters over, where both stores have them."""
    has = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'"
    if not (old.execute(has).fetchone()[0] and new.execute(has).fetchone()[0]):
        return
    new.execute("DELETE FROM sqlite_sequence")
    for row in old.execute("SELECT name, seq FROM sqlite_sequence"):
        new.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", row)


def _indexes(old: sqlite3.Connection, new: sqlite3.Connection, written: Written) -> None:
    made = {row[0] for row in new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for name, table, sql in _index_statements(old):
        if table not in made:
            continue
        try:
            new.execute(sql)
        except sqlite3.Error:
            written.left_out.append(name)


def _index_statements(old: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    yield from old.execute(
        "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    ).fetchall()
