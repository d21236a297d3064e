"""The workbench: one temporary SQLite database into which both witnesses are loaded.

``create`` makes it, with the documented tables of ``native.sql`` and ``record.sql`` and those that the
descriptor's native shapes add. Claims are written in SQL against these tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from validator.descriptor.shape import Shape

NATIVE = "native.sql"
RECORD = "record.sql"

PAGE = 16384
"""Bytes of a page of a workbench on disk: most queries read a table from end to end."""


def create(
    path: Path | None,
    shapes: Iterable[Shape],
    *,
    parts: tuple[str, ...] = (NATIVE, RECORD),
    rollback: bool = False,
) -> sqlite3.Connection:
    """Make an empty workbench in a file, or in memory when ``path`` is None.

    ``parts`` says which witness's tables it gets: two workbenches that are made apart are attached to one another.
    ``rollback`` is for a workbench that is changed on purpose: it keeps a journal, without which rolling back keeps
    the damage silently, and deletes with a record what belongs to it.
    """
    workbench = opened(path, rollback=rollback)
    for name in parts:
        workbench.executescript(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    if NATIVE in parts:
        for shape in shapes:
            for statement in shape_tables(shape):
                workbench.execute(statement)
    return workbench


def opened(path: Path | None, *, rollback: bool = False) -> sqlite3.Connection:
    """Open a workbench that has been made, or is about to be; see ``create``."""
    workbench = sqlite3.connect(":memory:" if path is None else str(path), isolation_level=None)
    if path is not None:
        workbench.execute(f"PRAGMA page_size = {PAGE}")
        workbench.execute(f"PRAGMA journal_mode = {'MEMORY' if rollback else 'OFF'}")
        workbench.execute("PRAGMA synchronous = OFF")
        workbench.execute("PRAGMA cache_size = -32768")
    workbench.execute(f"PRAGMA temp_store = {'MEMORY' if path is None else 'FILE'}")
    if rollback:
        workbench.execute("PRAGMA foreign_keys = ON")
    return workbench


def out_of_space(error: sqlite3.Error) -> bool:
    """Whether what failed is not the statement but the place where the workbench or its temporary files lie."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)


def shape_tables(shape: Shape) -> list[str]:
    """Return the CREATE statements of the ``native_*`` tables that a shape adds."""
    statements = []
    for table in shape.tables:
        if table.workbench is None:
            continue
        columns = ", ".join(f'"{load.name}"' for load in table.loads)
        statements.append(f"CREATE TABLE {table.workbench} (unit INTEGER PRIMARY KEY, {columns})")
        for child in table.children:
            inside = ", ".join(f'"{name}"' for name, _, _ in child.columns)
            body = f"idx, kind, {inside}" if child.of == "array" else "name, kind, value"
            statements.append(f"CREATE TABLE {child.table} (unit INTEGER NOT NULL, {body})")
    for name, facets in {name: facets for kind in shape.kinds for name, facets in kind.tables}.items():
        columns = ", ".join(f'"{facet.name}"' for facet in facets)
        statements.append(f"CREATE TABLE {name} (unit INTEGER PRIMARY KEY, {columns})")
    return statements


_SELDOM = (
    "part_of revision display addressed author platform_message replaces source scope trigger title model started "
    "ended "
    "end_reason cwd branch channel root summary usage_scope dimensions counts cost_amount cost_basis text tags project "
    "name input answer native_line"
).split()
"""What few records of a large transcript say."""

INDEXES = (
    "CREATE INDEX IF NOT EXISTS record_by_unit ON record (unit)",
    # A query of the records with one of these members reads them here, and not all records.
    "CREATE INDEX IF NOT EXISTS record_that_says_more ON record (line) WHERE "
    + " OR ".join(f'"{name}" IS NOT NULL' for name in _SELDOM),
    "CREATE INDEX IF NOT EXISTS record_call_by_line ON record_call (line, idx)",
    "CREATE INDEX IF NOT EXISTS record_link_by_line ON record_link (line)",
    "CREATE INDEX IF NOT EXISTS record_count_by_line ON record_count (line)",
    "CREATE INDEX IF NOT EXISTS record_dimension_by_line ON record_dimension (line)",
    "CREATE INDEX IF NOT EXISTS record_destination_by_line ON record_destination (line)",
)
"""Indexes on the records, made when all are in."""


def index_native(workbench: sqlite3.Connection, shapes: Iterable[Shape]) -> None:
    """Make the indexes of the native tables, when all units are in."""
    workbench.execute("CREATE INDEX IF NOT EXISTS native_unit_by_key ON native_unit (tab, key, run)")
    for shape in shapes:
        if shape.kinds:
            workbench.execute("CREATE INDEX IF NOT EXISTS native_unit_by_ekey ON native_unit (ekey, run)")
            workbench.execute("CREATE INDEX IF NOT EXISTS native_lost_by_key ON native_lost (from_key)")
        for table in shape.tables:
            for child in table.children:
                inner = "idx" if child.of == "array" else "name"
                workbench.execute(f"CREATE INDEX IF NOT EXISTS {child.table}_by_unit ON {child.table} (unit, {inner})")
