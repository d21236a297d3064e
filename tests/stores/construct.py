"""Constructs a Hermes store from rows given as dicts; hands on what was written, the truth of a test."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.stores.cells import Cell, bound, place
from tests.stores.layouts import Column, Layout, Table, layout_of, quoted

Row = Mapping[str, Cell]
Rows = Mapping[str, Sequence[Row]]
Encoding = Literal["UTF-8", "UTF-16le", "UTF-16be"]
FIRST_TIME = 1_750_000_000.0


@dataclass(frozen=True)
class Contents:
    """What stands in a store: known because it was written, not because it was read.

    Attributes:
        counts: rows by table that a reader can get at (tables without rows included, derived ones left out).
        lost: for a damaged store, the rowids by table that stand on a damaged page.
        is_store: whether the file is a SQLite database at all.
    """

    path: Path
    counts: Mapping[str, int]
    lost: Mapping[str, Sequence[int]] = field(default_factory=dict)
    is_store: bool = True


def build(
    path: Path,
    schema: int = 22,
    rows: Rows | None = None,
    *,
    extra_ddl: Iterable[str] = (),
    then: Iterable[str] = (),
    page_size: int = 4096,
    encoding: Encoding = "UTF-8",
    journal: Literal["delete", "wal"] = "delete",
    auto_vacuum: Literal["none", "full", "incremental"] = "none",
    strict: bool = True,
    raw: bool = False,
    migrated: bool = False,
    lazy: bool = False,
    fts: bool = False,
) -> Contents:
    """Writes a store to `path`, which must not exist.

    A column that a row leaves out gets the default of its DDL; where it must not be NULL and has none, a
    value that fits (`s` for a session, a running time from 1,750,000,000 on). One row of `schema_version` is
    written unless `rows` has that table. `journal="wal"` leaves a store in WAL mode, its empty log removed.

    Args:
        schema: any schema from 11 on; one between two known ones is laid out like the older, one above the
            newest captured has the tables that only the upstream source has.
        extra_ddl: statements run before the rows are written; `rows` may then name their tables.
        then: statements run after the rows (what they write is not in the counts).
        strict: keep NOT NULL; without it every column accepts NULL.
        raw: store each cell as the type it is given with, against the column's affinity (a number in a TEXT
            column, a TEXT digit in a REAL one), as a damaged or foreign writer leaves it.
        migrated: the column order of a store that an older release began (schemas 22 and 31).
        lazy: also make the tables that the producer makes only when it needs them (one that `rows` names
            is always made).
        fts: also make the full-text tables and their views, filled.

    Raises:
        ValueError: a row names a table or a column that the store does not have.
    """
    rows = {"schema_version": [{"version": schema}], **(rows or {})}
    layout = layout_of(schema, migrated=migrated)
    tables = [t for t in layout.tables.values() if lazy or not t.lazy or t.name in rows]
    if path.exists():
        raise FileExistsError(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        _set_up(connection, page_size, encoding, journal, auto_vacuum)
        connection.execute("BEGIN")
        for table in tables:
            connection.execute(table.ddl(typed=not raw, strict=strict))
        for statement in extra_ddl:
            connection.execute(statement)
        insert(connection, tables, rows)
        if raw:
            _restore_types(connection, tables, strict)
        made = {t.name for t in tables}
        for index in layout.indexes:
            if index.table in made:
                connection.execute(index.ddl())
        connection.execute("COMMIT")
        if fts:
            _full_text(connection, layout)
        for statement in then:
            connection.execute(statement)
    return Contents(path, counts(tables, rows))


def counts(tables: Iterable[Table], rows: Rows) -> dict[str, int]:
    """Rows by table, `sqlite_sequence` with its row for each serial table that has had rows."""
    tables = list(tables)
    numbers = {t.name: 0 for t in tables} | {name: len(given) for name, given in rows.items()}
    serial = [t for t in tables if t.autoincrement]
    if serial:
        numbers["sqlite_sequence"] = sum(1 for t in serial if numbers[t.name])
    return numbers


def insert(connection: sqlite3.Connection, tables: Iterable[Table], rows: Rows) -> None:
    """Inserts `rows`, with the values that `build` promises for what they leave out."""
    known = {t.name: t for t in tables}
    number = 0
    for name, given in rows.items():
        columns = _columns(connection, name, known)
        for n, row in enumerate(given, start=1):
            number += 1
            if stray := row.keys() - {c.name for c in columns}:
                raise ValueError(f"table {name} has no column {sorted(stray)}")
            cells = _filled(name, columns, row, n, number)
            places = ", ".join(place(cell) for cell in cells.values())
            names = ", ".join(quoted(c) for c in cells)
            values = f"({names}) VALUES ({places})" if cells else "DEFAULT VALUES"
            connection.execute(f"INSERT INTO {quoted(name)} {values}", bound(cells.values()))


def _columns(connection: sqlite3.Connection, name: str, known: Mapping[str, Table]) -> Sequence[Column]:
    found = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    if not found:
        raise ValueError(f"there is no table {name}: name it in extra_ddl")
    if name in known and [c.name for c in known[name].columns] == [column[1] for column in found]:
        return known[name].columns
    return [Column(n, t, bool(nn), d, pk) for _, n, t, nn, d, pk in found]


def _filled(table: str, columns: Sequence[Column], row: Row, n: int, number: int) -> dict[str, Cell]:
    cells = dict(row)
    serial = [c for c in columns if c.pk and c.type.upper() == "INTEGER"]
    rowid = serial[0].name if len(serial) == 1 and sum(1 for c in columns if c.pk) == 1 else None
    for column in columns:
        needed = (column.notnull or column.pk) and column.default is None
        if needed and column.name not in row and column.name != rowid:
            cells[column.name] = _fitting(table, column, n, number)
    return cells


def _fitting(table: str, column: Column, n: int, number: int) -> Cell:
    """A value for a column that a row leaves out though the DDL demands one."""
    words = {"role": "user", "source": "cli", "session_id": "s", "origin_session": "s", "entry_json": "{}"}
    if column.name in words:
        return words[column.name]
    if column.pk and column.type == "TEXT":
        return f"{table}-{n}"
    if column.type == "REAL":
        return FIRST_TIME + number
    return n if column.type == "INTEGER" else ""


def _set_up(connection: sqlite3.Connection, page_size: int, encoding: str, journal: str, auto_vacuum: str) -> None:
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(f"PRAGMA encoding = '{encoding}'")
    connection.execute(f"PRAGMA auto_vacuum = {auto_vacuum}")
    connection.execute(f"PRAGMA journal_mode = {journal}")


def _restore_types(connection: sqlite3.Connection, tables: Iterable[Table], strict: bool) -> None:
    """Gives tables that were filled without types their real DDL; the stored cells stay as they are."""
    connection.execute("PRAGMA writable_schema = ON")
    for table in tables:
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
            (table.ddl(strict=strict), table.name),
        )
    (version,) = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.execute("PRAGMA writable_schema = OFF")


def _full_text(connection: sqlite3.Connection, layout: Layout) -> None:
    """The full-text tables: our own views, filled once, without the producer's triggers."""
    for name, columns in layout.views.items():
        chosen = ", ".join(f'"{c}"' for c in columns)
        connection.execute(f'CREATE VIEW "{name}" AS SELECT {chosen} FROM messages')
    for name, arguments in layout.fts.items():
        connection.execute(f'CREATE VIRTUAL TABLE "{name}" USING fts5({", ".join(arguments)})')
        if any(a.startswith("content=") for a in arguments):
            connection.execute(f'INSERT INTO "{name}"("{name}") VALUES (\'rebuild\')')
        else:
            connection.execute(
                f'INSERT INTO "{name}"(rowid, content) SELECT id, '
                "coalesce(content, '') || ' ' || coalesce(tool_name, '') FROM messages"
            )
