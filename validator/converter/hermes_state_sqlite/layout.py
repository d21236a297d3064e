"""Finds the tables of a store whose rows are units: what their columns are, and how their rows are told apart.

Nothing is taken from `schema_version`: the layout is what the store has. No view, trigger, index, full-text
table or module is needed, and an entry of the schema that makes no sense costs itself alone.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from validator.converter.hermes_state_sqlite.cells import is_utf8
from validator.converter.hermes_state_sqlite.damage import Gap
from validator.converter.hermes_state_sqlite.faults import UNREADABLE
from validator.converter.hermes_state_sqlite.scan import scan
from validator.converter.hermes_state_sqlite.table import Table, quoted_name, shown_name
from validator.converter.hermes_state_sqlite.tables import UNKNOWN, Kind, kind_of

_ROWIDS = ("rowid", "_rowid_", "oid")
_SCHEMA = Table(
    name="sqlite_master",
    kind=UNKNOWN,
    columns=("type", "name", "rootpage", "sql"),
    source="main.sqlite_master NOT INDEXED",
    expressions=("type", "name", "rootpage", "sql"),
    key=None,
    rowid="rowid",
    alias=None,
)
"""The list of tables, read like any table: what is damaged of it costs itself alone."""


@dataclass(frozen=True)
class Layout:
    """The tables of a store whose rows are units, by name in code point order.

    `unreadable` are those whose columns cannot be listed or selected; `whole` is False where a part of the schema
    is unreadable, so that there may be tables that nobody can name.
    """

    tables: dict[str, Table]
    unreadable: list[str]
    whole: bool


def layout(connection: sqlite3.Connection) -> Layout:
    """The layout of a store; tables of context and derived data are left out."""
    names: set[str] = set()
    virtual: set[str] = set()
    whole = True
    for entry in scan(connection, _SCHEMA):
        if isinstance(entry, Gap):
            whole = False
            continue
        kind, name, root, sql = entry[1:]
        if kind != "table" or not isinstance(name, str) or not name:
            continue
        if isinstance(sql, str) and sql.lstrip().lower().startswith("create virtual"):
            virtual.add(name)
        elif isinstance(root, int) and root > 0:
            names.add(name)
    tables: dict[str, Table] = {}
    unreadable: list[str] = []
    for name in sorted(names):
        what = kind_of(name, frozenset(virtual))
        if what is not None:
            table = _described(connection, name, what)
            if table is None:
                unreadable.append(shown_name(name))
            else:
                tables[name] = table
    return Layout(tables, unreadable, whole)


def _described(connection: sqlite3.Connection, name: str, kind: Kind) -> Table | None:
    quoted = quoted_name(name)
    try:
        infos = connection.execute(f"PRAGMA main.table_xinfo({quoted})").fetchall()
        clustered = connection.execute(f"PRAGMA main.index_info({quoted})").fetchall()
        indexes = connection.execute(f"PRAGMA main.index_list({quoted})").fetchall()
        # hidden = 1 is a virtual table's; generated columns are 2 and 3, and SELECT * gives them.
        infos = [info for info in infos if info[6] != 1]
        if not infos:
            return None
        rowid, alias = _rowid(infos, bool(clustered), indexes)
        columns = _writable([str(info[1]) for info in infos])
        key = _key(columns, kind, infos if clustered else None)
        table = Table(shown_name(name), kind, columns, key=key, alias=alias, **_selection(quoted, infos, rowid))
        connection.execute(f"SELECT {table.everything} FROM {table.source} LIMIT 0")
    except (*UNREADABLE, UnicodeEncodeError):
        return None
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
    if len(keys) == 1 and str(infos[keys[0]][2]).upper() == "INTEGER" and all(index[3] != "pk" for index in indexes):
        alias = keys[0]
    taken = {str(info[1]).lower() for info in infos}
    free = [name for name in _ROWIDS if name not in taken]
    if free:
        return free[0], alias
    return (None, None) if alias is None else (quoted_name(str(infos[alias][1])), alias)


def _key(columns: tuple[str, ...], kind: Kind, clustered: list[tuple[object, ...]] | None) -> tuple[int, ...] | None:
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
    source = f"(WITH t({', '.join(outer)}) AS (SELECT {inner} FROM main.{quoted} NOT INDEXED) SELECT * FROM t)"
    return {"source": source, "expressions": renamed, "rowid": None if rowid is None else "r"}


def _writable(names: list[str]) -> tuple[str, ...]:
    written: list[str] = []
    for name in names:
        shown = shown_name(name)
        while shown in written:
            shown += "\ufffd"
        written.append(shown)
    return tuple(written)
