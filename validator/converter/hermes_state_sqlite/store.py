"""Opens a store read only and finds its tables: what each one's columns are, and how its rows are told apart.

Nothing is taken from `schema_version`: the layout is what the store has. No view, trigger, index, full-text
table or module is needed, and an entry of the schema that makes no sense costs itself alone.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from validator.converter import SourceUnusable
from validator.converter.hermes_state_sqlite.cells import is_utf8, text_bytes
from validator.converter.hermes_state_sqlite.tables import Kind, kind_of

_ROWIDS = ("rowid", "_rowid_", "oid")


@dataclass(frozen=True)
class Table:
    """A table whose rows are units.

    `name` is as the schema has it, `columns` are the names that `SELECT *` gives, in its order, both as text
    that can be written. `source` stands after FROM; `expressions` are the columns in SQL. `key` are the
    positions of the key columns, or None where rows are told apart by rowid alone. `rowid` is the rowid in
    SQL, None where it cannot be had (WITHOUT ROWID, or all its names are taken); `alias` is the position of
    the column that is the rowid, None where none is.
    """

    name: str
    kind: Kind
    columns: tuple[str, ...]
    source: str
    expressions: tuple[str, ...]
    key: tuple[int, ...] | None
    rowid: str | None
    alias: int | None

    @property
    def lead(self) -> int:
        """How many cells stand before the columns of a scanned row: 1 where the rowid is no column."""
        return int(self.rowid is not None and self.alias is None)

    @property
    def everything(self) -> str:
        """What to select for a scanned row."""
        return ", ".join((self.rowid, *self.expressions) if self.lead and self.rowid else self.expressions)

    def position(self, column: str) -> int | None:
        """Where a column stands; None where the store has none of that name."""
        return self.columns.index(column) if column in self.columns else None


@dataclass(frozen=True)
class Unreadable:
    """A table of the schema whose columns cannot even be listed or selected."""

    name: str


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading the store in one transaction; TEXT that is not UTF-8 has lone surrogates.

    Raises `SourceUnusable` where the file is none or is no SQLite database.
    """
    if not path.is_file():
        raise SourceUnusable(f"{_shown(path)} is not a file; give the store itself, such as state.db")
    if path.stat().st_size == 0:
        raise SourceUnusable(
            f"{_shown(path)} is empty, not a SQLite database; was only a part of the store copied?"
        )
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        connection = _connected(path, Path(folder))
        try:
            yield connection
        finally:
            connection.close()


def _connected(path: Path, folder: Path) -> sqlite3.Connection:
    try:
        return _begun(path, "ro")
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise _unusable(path, error) from error
    # A hot rollback journal must be rolled back, and a -wal may need its index, before anything can be read:
    # that is writing, so it is done on a copy.
    copy = folder / "store.db"
    try:
        for suffix in ("", "-journal", "-wal"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
        return _begun(copy, "rw")
    except (sqlite3.DatabaseError, OSError) as error:
        raise _unusable(path, error) from error


def _begun(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file://{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = _text
    try:
        # Not for writing: without it one senseless entry of the schema makes every statement fail.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _unusable(path: Path, error: Exception) -> SourceUnusable:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
        return SourceUnusable(f"{_shown(path)} is not a SQLite database")
    reason = error.strerror if isinstance(error, OSError) else error
    return SourceUnusable(f"{_shown(path)} cannot be opened as a SQLite database: {str(reason)[:200]}")


def _shown(path: Path) -> str:
    return source_name(path)[:200]


def source_name(path: Path) -> str:
    """The file's name, without its folder, as text that can be written."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def tables(connection: sqlite3.Connection) -> list[Table | Unreadable]:
    """The tables whose rows are units, sorted by name; those of context and derived data are left out."""
    names: set[str] = set()
    virtual: set[str] = set()
    entries = connection.execute("SELECT name, rootpage, sql FROM main.sqlite_master WHERE type = 'table'")
    for name, root, sql in entries:
        if not isinstance(name, str) or not name:
            continue
        if isinstance(sql, str) and sql.lstrip().lower().startswith("create virtual"):
            virtual.add(name)
        elif isinstance(root, int) and root > 0:
            names.add(name)
    found: list[Table | Unreadable] = []
    for name in sorted(names):
        kind = kind_of(name, frozenset(virtual))
        if kind is not None:
            found.append(_described(connection, name, kind))
    return found


def _described(connection: sqlite3.Connection, name: str, kind: Kind) -> Table | Unreadable:
    quoted = quoted_name(name)
    try:
        infos = connection.execute(f"PRAGMA main.table_xinfo({quoted})").fetchall()
        clustered = connection.execute(f"PRAGMA main.index_info({quoted})").fetchall()
        indexes = connection.execute(f"PRAGMA main.index_list({quoted})").fetchall()
        # hidden = 1 is a virtual table's; generated columns are 2 and 3, and SELECT * gives them.
        infos = [info for info in infos if info[6] != 1]
        if not infos:
            return Unreadable(shown_name(name))
        rowid, alias = _rowid(infos, bool(clustered), indexes)
        columns = _writable([str(info[1]) for info in infos])
        key = _key(columns, kind, infos if clustered else None)
        table = Table(
            shown_name(name), kind, columns, key=key, alias=alias, **_selection(quoted, infos, rowid)
        )
        connection.execute(f"SELECT {table.everything} FROM {table.source} LIMIT 0")
    except (sqlite3.DatabaseError, UnicodeError):
        return Unreadable(shown_name(name))
    return table


def _rowid(
    infos: list[tuple[object, ...]], clustered: bool, indexes: list[tuple[object, ...]]
) -> tuple[str | None, int | None]:
    """The rowid's SQL name, and the column that is the rowid.

    A single INTEGER PRIMARY KEY is the rowid unless it has an index of its own (as INTEGER PRIMARY KEY DESC
    has).
    """
    if clustered:
        return None, None
    keys = [position for position, info in enumerate(infos) if info[5]]
    alias = None
    if (
        len(keys) == 1
        and str(infos[keys[0]][2]).upper() == "INTEGER"
        and all(index[3] != "pk" for index in indexes)
    ):
        alias = keys[0]
    taken = {str(info[1]).lower() for info in infos}
    free = [name for name in _ROWIDS if name not in taken]
    if free:
        return free[0], alias
    return (None, None) if alias is None else (quoted_name(str(infos[alias][1])), alias)


def _key(
    columns: tuple[str, ...], kind: Kind, clustered: list[tuple[object, ...]] | None
) -> tuple[int, ...] | None:
    positions = {name: position for position, name in enumerate(columns)}
    for names in kind.keys:
        if all(name in positions for name in names):
            return tuple(positions[name] for name in names)
    if clustered is None:
        return None
    ordered = sorted((info[5], position) for position, info in enumerate(clustered) if info[5])
    return tuple(position for _, position in ordered)


def _selection(quoted: str, infos: list[tuple[object, ...]], rowid: str | None) -> dict[str, Any]:
    """How to name the table, its columns and its rowid in SQL; indexes may be damaged and are not read."""
    names = [str(info[1]) for info in infos]
    if all(is_utf8(name) for name in names):
        expressions = tuple(quoted_name(name) for name in names)
        return {"source": f"main.{quoted} NOT INDEXED", "expressions": expressions, "rowid": rowid}
    # A name that is not UTF-8 can neither be said nor be given back, so the columns get other names by their
    # places.
    renamed = tuple(f"c{place}" for place in range(len(names)))
    inner = "*" if rowid is None else f"{rowid}, *"
    outer = renamed if rowid is None else ("r", *renamed)
    source = (
        f"(WITH t({', '.join(outer)}) AS (SELECT {inner} FROM main.{quoted} NOT INDEXED) SELECT * FROM t)"
    )
    return {"source": source, "expressions": renamed, "rowid": None if rowid is None else "r"}


def _writable(names: list[str]) -> tuple[str, ...]:
    written: list[str] = []
    for name in names:
        shown = shown_name(name)
        while shown in written:
            shown += "\ufffd"
        written.append(shown)
    return tuple(written)


def shown_name(name: str) -> str:
    """A name of the schema as text that can be written."""
    return name if is_utf8(name) else text_bytes(name).decode("utf-8", "replace")


def quoted_name(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'
