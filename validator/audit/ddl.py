"""Runs schema statements, and nothing else, in an empty in-memory database, and hands on the layout that results.

Statements come from a stranger's source: an authorizer lets nothing through but the making of tables and indexes,
and there is a limit on time and on sizes.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass

from validator.audit.layout import Column, Table, tables_of

SECONDS = 5.0
LONGEST = 2**16
"""Characters of one statement."""

_NAME = r"""(?:"[^"]+"|\[[^\]]+\]|`[^`]+`|[A-Za-z_][\w$]*)"""
_TARGET = rf"(?:IF\s+NOT\s+EXISTS\s+)?(?:(?P<schema>{_NAME})\s*\.\s*)?(?P<name>{_NAME})"
_CREATE_TABLE = re.compile(rf"CREATE\s+(?P<temp>TEMP(?:ORARY)?\s+)?TABLE\s+{_TARGET}\s*\(", re.IGNORECASE)
_CREATE_INDEX = re.compile(rf"CREATE\s+(?:UNIQUE\s+)?INDEX\s+{_TARGET}\s+ON\s+(?P<on>{_NAME})\s*\(", re.IGNORECASE)
_CREATE_VIRTUAL = re.compile(rf"CREATE\s+VIRTUAL\s+TABLE\s+{_TARGET}\s+USING\s+\w", re.IGNORECASE)
_ADD_COLUMN = re.compile(rf"ALTER\s+TABLE\s+(?P<name>{_NAME})\s+ADD\s+(?:COLUMN\s+)?\S", re.IGNORECASE)
_ADD = re.compile(rf"\AALTER\s+TABLE\s+{_NAME}\s+ADD\s+(?:COLUMN\s+)?", re.IGNORECASE)
_RENAME = re.compile(rf"ALTER\s+TABLE\s+(?P<name>{_NAME})\s+RENAME\s+TO\s+(?P<to>{_NAME})", re.IGNORECASE)
_COMMENT = re.compile(r"\A(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/)+", re.DOTALL)


@dataclass(frozen=True)
class Statement:
    """One schema statement."""

    kind: str
    """``table``, ``index``, ``virtual``, ``column`` or ``rename``."""
    table: str
    sql: str
    name: str
    """The table's or the index's name; for a rename the new name."""


def statements(text: str) -> list[Statement]:
    """Return the schema statements in a text of SQL, in order; others are left out."""
    found = []
    for sql in _split(text):
        plain = _COMMENT.sub("", sql)
        if len(plain) > LONGEST:
            continue
        if match := _CREATE_TABLE.match(plain):
            if not match["temp"] and _plain(match["schema"] or "main") == "main":
                found.append(Statement("table", _plain(match["name"]), plain, _plain(match["name"])))
        elif match := _CREATE_INDEX.match(plain):
            found.append(Statement("index", _plain(match["on"]), plain, _plain(match["name"])))
        elif match := _CREATE_VIRTUAL.match(plain):
            if _plain(match["schema"] or "main") == "main":
                found.append(Statement("virtual", _plain(match["name"]), plain, _plain(match["name"])))
        elif match := _ADD_COLUMN.match(plain):
            found.append(Statement("column", _plain(match["name"]), plain, _plain(match["name"])))
        elif match := _RENAME.match(plain):
            found.append(Statement("rename", _plain(match["name"]), plain, _plain(match["to"])))
    return found


def _plain(name: str) -> str:
    return name[1:-1] if name[:1] in ('"', "[", "`") else name


def _split(text: str) -> Iterable[str]:
    """Split SQL at the semicolons that end a statement, not at those in texts or triggers."""
    start = 0
    for match in re.finditer(";", text):
        piece = text[start : match.end()]
        if len(piece) > LONGEST or sqlite3.complete_statement(piece):
            yield piece[:-1]
            start = match.end()
    if text[start:].strip():
        yield text[start:]


@dataclass(frozen=True)
class Built:
    """What came of running statements."""

    tables: dict[str, Table]
    indexes: dict[str, str]
    refused: list[tuple[Statement, str]]
    """Statements that SQLite or the authorizer refused, with the reason."""


def build(wanted: Iterable[Statement]) -> Built:
    """Run statements, tables first, then columns, then indexes; a thing that is there already stays as it is."""
    ordered = sorted(wanted, key=lambda s: ("table", "column", "index").index(s.kind))
    refused: list[tuple[Statement, str]] = []
    added: dict[str, list[Column]] = {}
    with closing(_database()) as database:
        for statement in ordered:
            try:
                if statement.kind == "column":
                    added.setdefault(statement.table, []).append(_added(statement))
                else:
                    database.execute(statement.sql)
            except sqlite3.Error as error:
                # An index on a column that was added fails here: its table is made without it.
                if not re.search("already exists", str(error)) and statement.kind != "index":
                    refused.append((statement, str(error)))
        database.set_authorizer(None)
        names = [
            row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        tables = tables_of(database, names)
    for name, columns in added.items():
        if name in tables:
            tables[name] = _with(tables[name], columns)
        else:
            refused.extend((s, "no such table") for s in ordered if s.kind == "column" and s.table == name)
    return Built(tables, {s.name: " ".join(s.sql.split()) for s in ordered if s.kind == "index"}, refused)


def _with(table: Table, columns: list[Column]) -> Table:
    """Return a table with columns added at its end; one that is there already stays as it is."""
    found = list(table.columns)
    for column in columns:
        if table.column(column.name) is None and all(column.name != other.name for other in found):
            found.append(column)
    return Table(table.name, tuple(found))


def _added(statement: Statement) -> Column:
    """Return the column that an ALTER TABLE adds, read from a table of that column alone.

    SQLite's own ALTER TABLE calls functions and updates its schema table, which the authorizer does not allow.
    """
    clause = _ADD.sub("", statement.sql, count=1)
    with closing(_database()) as database:
        database.execute(f"CREATE TABLE added ({clause})")
        database.set_authorizer(None)
        return tables_of(database, ["added"])["added"].columns[0]


def _database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST + 100)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**20)
    database.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, 2000)
    deadline = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: time.monotonic() > deadline, 1000)
    database.set_authorizer(_authorize)
    return database


_SCHEMA_TABLES = frozenset(["sqlite_master", "sqlite_schema", "sqlite_sequence"])
_OWN_WORK = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
"""What SQLite itself does to its schema table when it writes down a new table or index."""
_MAKING = {sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_REINDEX}
_HARMLESS = frozenset(
    "abs coalesce glob hex ifnull instr json_type json_valid length like lower nullif substr trim typeof upper".split()
)
"""Functions that a CHECK or an index may name. There is no row on which they could run."""


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _inner: str | None) -> int:
    if action in _MAKING or action == sqlite3.SQLITE_READ or (action in _OWN_WORK and first in _SCHEMA_TABLES):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _HARMLESS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
