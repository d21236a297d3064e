"""Reads an SQLite store row by row, whatever its schema and even where pages are damaged.

Hands on the tables that are there, each row's cells as SQLite holds them (text that is not UTF-8 keeps its
bytes as lone surrogates), and the ranges of rows that cannot be read. It needs no view, trigger,
module or ``schema_version``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from validator.descriptor.shape import Shape, Table

_SHADOWS = ["data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "rowid", "parent"]
_LACKING = ("no such module", "no such tokenizer", "no such function", "unsafe use")
"""How the error begins where it is this SQLite that lacks something, or will not run it: no fault of the store."""

_WORDS = " OR ".join(f"{character}*" for character in "0123456789abcdefghijklmnopqrstuvwxyz") + " OR aaa"
"""A search that looks into an index in many places; some tokenizers take three letters only."""

ESCAPING = partial(str, encoding="utf-8", errors="surrogateescape")
"""Reads any text; bytes that are not UTF-8 become lone surrogates."""

_ROWID_NAMES = ("rowid", "_rowid_", "oid")


class StoreError(Exception):
    """A store that cannot be read at all: why, and what to do about it."""


@dataclass(frozen=True)
class NativeTable:
    """A table that is in the store, with what the shape says of it."""

    name: str
    kind: str
    """``converted``, ``context``, ``derived`` or ``unknown``."""
    columns: tuple[str, ...]
    """In code point order, as rows are digested."""
    keys: tuple[str, ...]
    """The key columns; none where the rowid is the key."""
    rowid: str | None
    """A name of the rowid that no column hides; None for a table that has none."""
    spec: Table | None
    reason: str | None
    searchable: bool = False
    """Whether it is a full-text index."""


@dataclass(frozen=True)
class Lost:
    """A contiguous run of rows that cannot be read: the keys that bound it, and how many if known."""

    first: tuple[Any, ...]
    last: tuple[Any, ...]
    units: int | None


def open_store(path: Path) -> sqlite3.Connection:
    """Open a private copy for reading; raises ``StoreError`` for what is no readable store."""
    check_header(path)
    try:
        store = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None)
        store.text_factory = ESCAPING
        store.execute("PRAGMA trusted_schema = OFF")
        try:
            store.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            if "malformed database schema" not in str(error):
                raise
            store.execute("PRAGMA writable_schema = ON")
            store.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"SQLite cannot read it: {error}; restore it from a backup or capture it again") from None
    return store


def damaged_derived(store: sqlite3.Connection, found: list[NativeTable]) -> list[str]:
    """Name the derived tables and views that cannot be read, unless it is this SQLite that lacks their module.

    A full-text index is also searched once, from all its beginnings.
    """
    damaged = []
    for table in found:
        if table.kind != "derived":
            continue
        name = identifier(table.name)
        queries = [f"SELECT 1 FROM {name} LIMIT 1", f"SELECT 1 FROM {name} WHERE {name} MATCH '{_WORDS}' LIMIT 1"]
        for query in queries if table.searchable else queries[:1]:
            try:
                store.execute(query).fetchone()
            except sqlite3.Error as error:
                if not str(error).startswith(_LACKING):
                    damaged.append(table.name)
                    break
    return damaged


def check_header(path: Path) -> None:
    """Refuse what is no SQLite database before SQLite sees it, with the reason."""
    with path.open("rb") as file:
        head = file.read(100)
    size = path.stat().st_size
    if size == 0:
        raise StoreError("0 bytes: not a store but a truncated or freshly created file; capture it again")
    if not head.strip(b"\x00"):
        raise StoreError("begins with NUL bytes only: the file was lost, not written; restore it from a backup")
    if not head.startswith(b"SQLite format 3\x00"):
        raise StoreError("not an SQLite database (or an encrypted one); decrypt it, or point at the real store")
    if len(head) < 100:
        raise StoreError(f"truncated: {size} bytes are less than a header; capture it again")
    if head[19] > 2:
        raise StoreError(f"file format {head[19]} is newer than this SQLite reads; use a newer Python and SQLite")


def identifier(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def tables(store: sqlite3.Connection, shape: Shape) -> list[NativeTable]:
    """List the tables and views of a store, sorted by name, classed by the shape."""
    entries = store.execute("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    virtual = {name for name, kind, sql in entries if kind == "table" and _is_virtual(sql)}
    indexes = {name for name, _, sql in entries if name in virtual and "fts5" in sql.lower()}
    found = []
    for name, kind, _ in sorted(entries, key=lambda entry: _text(entry[0])):
        reason = _derived_reason(_text(name), kind, virtual, shape)
        if reason is not None:
            found.append(NativeTable(_text(name), "derived", (), (), None, None, reason, name in indexes))
        else:
            found.append(_base_table(store, _text(name), shape))
    return found


def _text(name: Any) -> str:
    return name if isinstance(name, str) else str(name)


def nameable(name: str) -> bool:
    """Whether a name is UTF-8: only then can it stand in a query, or in a record stream."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_virtual(sql: Any) -> bool:
    return isinstance(sql, str) and sql.lstrip().lower().startswith("create virtual table")


def _derived_reason(name: str, kind: str, virtual: set[str], shape: Shape) -> str | None:
    for pattern, reason in shape.derived:
        if fnmatchcase(name, pattern):
            return reason
    if kind == "view":
        return "a view: derived from other tables"
    if name in virtual:
        return "a virtual table: its rows are its module's"
    if any(name.startswith(owner + "_") and name[len(owner) + 1 :] in _SHADOWS for owner in virtual):
        return "the shadow of a virtual table"
    return None


def _base_table(store: sqlite3.Connection, name: str, shape: Shape) -> NativeTable:
    if not nameable(name):
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return NativeTable(shown, "unknown", (), (), None, None, None)
    info = store.execute(f"PRAGMA table_xinfo({identifier(name)})").fetchall()
    columns = tuple(sorted(_text(row[1]) for row in info if row[6] != 1))
    if not all(nameable(column) for column in columns):
        columns = ()
    spec = shape.table(name)
    rowid = _rowid_name(store, name, columns)
    keys: tuple[str, ...] = ()
    if spec is not None:
        keys = next((key for key in spec.keys if set(key) <= set(columns)), ())
    if not keys and rowid is None:
        keys = tuple(_text(row[1]) for row in sorted(info, key=lambda row: row[5]) if row[5])
    if spec is not None:
        return NativeTable(name, spec.kind, columns, keys, rowid, spec, spec.reason)
    if name.startswith("sqlite_"):
        return NativeTable(name, "context", columns, keys, rowid, None, "SQLite's own")
    return NativeTable(name, "unknown", columns, keys, rowid, None, None)


def _rowid_name(store: sqlite3.Connection, name: str, columns: tuple[str, ...]) -> str | None:
    taken = {column.lower() for column in columns}
    for candidate in _ROWID_NAMES:
        if candidate in taken:
            continue
        try:
            store.execute(f"SELECT {candidate} FROM {identifier(name)} LIMIT 0")
        except sqlite3.OperationalError:
            return None
        return candidate
    return None


def rows(store: sqlite3.Connection, table: NativeTable) -> Iterator[tuple[Any, ...] | Lost]:
    """Yield every row of a table in native order: (rowid or None, cells…), and ``Lost`` for what is unreadable.

    Native order is that of the rowid, or of the primary key in a table without one.
    """
    if not table.columns:  # its name, or those of its columns, cannot be written in SQL
        yield Lost((None,), (None,), None)
        return
    select = ", ".join(identifier(column) for column in table.columns)
    if table.rowid is None:
        yield from _rows_by_key(store, table, select)
        return
    source = f"SELECT {table.rowid}, {select} FROM {identifier(table.name)}"
    last: int | None = None
    store.text_factory = str  # several times as fast, until the first text that is not UTF-8
    while True:
        where = "" if last is None else f" WHERE {table.rowid} > {last}"
        try:
            for row in store.execute(f"{source}{where} ORDER BY {table.rowid}"):
                last = row[0]
                yield row
            store.text_factory = ESCAPING
            return
        except sqlite3.DatabaseError as error:
            undecoded = store.text_factory is str and "decode" in str(error)
            store.text_factory = ESCAPING
            if undecoded:
                continue
            resume = _first_readable(store, table, source, last)
            yield from _damaged(store, table, source, last, resume)
            if resume is None:
                return
            last = resume - 1


def _rows_by_key(store: sqlite3.Connection, table: NativeTable, select: str) -> Iterator[tuple[Any, ...] | Lost]:
    order = ", ".join(identifier(key) for key in table.keys)
    by_key = f" ORDER BY {order}" if order else ""
    last: tuple[Any, ...] | None = None
    positions = [table.columns.index(key) + 1 for key in table.keys]
    try:
        for row in store.execute(f"SELECT NULL, {select} FROM {identifier(table.name)}{by_key}"):
            yield row
            last = tuple(row[position] for position in positions)
    except sqlite3.DatabaseError:
        bound = last or (None,)
        yield Lost(bound, bound, None)


def _first_readable(store: sqlite3.Connection, table: NativeTable, source: str, last: int | None) -> int | None:
    """Find the next rowid after a damaged range that reads again; None when there is none.

    Looks ahead in steps that double, then halves back to the first row that reads.
    """
    low = last if last is not None else -(2**63)
    step = 1
    while low + step < 2**63 - 1:
        found = _read_after(store, table, source, low + step)
        if found is not None:
            return _halve(store, table, source, low, low + step, found)
        step *= 2
    return None


def _halve(
    store: sqlite3.Connection, table: NativeTable, source: str, bad: int, good: int, found: int
) -> int:
    while good - bad > 1:
        middle = (bad + good) // 2
        nearer = _read_after(store, table, source, middle)
        if nearer is None:
            bad = middle
        else:
            good, found = middle, nearer
    return found


def _read_after(store: sqlite3.Connection, table: NativeTable, source: str, rowid: int) -> int | None:
    try:
        query = f"{source} WHERE {table.rowid} > {rowid} ORDER BY {table.rowid} LIMIT 1"
        row = store.execute(query).fetchone()
    except sqlite3.DatabaseError:
        return None
    return row[0] if row else None


def _damaged(
    store: sqlite3.Connection, table: NativeTable, source: str, last: int | None, resume: int | None
) -> Iterator[tuple[Any, ...] | Lost]:
    """Yield what a damaged range holds: rows that still read one by one, and the runs that are lost.

    An index that still lists the rows gives their keys and their number; without one only the bounds are known.
    """
    low = -(2**63) if last is None else last
    high = 2**63 - 1 if resume is None else resume - 1
    listed = _listed(store, table, low, high)
    if listed is None:
        first = None if last is None else last + 1
        yield Lost((first,), (None if resume is None else high,), None)
        return
    run: list[tuple[Any, ...]] = []
    for rowid, key in listed:
        try:
            row = store.execute(f"{source} WHERE {table.rowid} = {rowid}").fetchone()
        except sqlite3.DatabaseError:
            run.append(key)
            continue
        if row is not None:
            if run:
                yield Lost(run[0], run[-1], len(run))
                run = []
            yield row
    if run:
        yield Lost(run[0], run[-1], len(run))


def _listed(
    store: sqlite3.Connection, table: NativeTable, low: int, high: int
) -> list[tuple[int, tuple[Any, ...]]] | None:
    keys = ", ".join(identifier(key) for key in table.keys) or table.rowid
    for index in _indexes(store, table):
        query = f"SELECT {table.rowid}, {keys} FROM {identifier(table.name)} INDEXED BY {identifier(index)}"
        try:
            found = [(row[0], tuple(row[1:])) for row in store.execute(query) if low < row[0] <= high]
        except sqlite3.DatabaseError:
            continue
        if found:
            return sorted(found, key=lambda pair: pair[0])
    return None


def _indexes(store: sqlite3.Connection, table: NativeTable) -> list[str]:
    """Name the indexes that list every row: those without a WHERE of their own."""
    try:
        found = store.execute(f"PRAGMA index_list({identifier(table.name)})").fetchall()
    except sqlite3.DatabaseError:
        return []
    return [row[1] for row in found if not row[4]]


def keeps_log(path: Path) -> bool:
    """Whether a store's header says that it keeps a write-ahead log."""
    with path.open("rb") as file:
        return file.read(20)[18:20] == b"\x02\x02"
