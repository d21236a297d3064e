"""Reads a store's layout, and the words in its enumerated and JSON columns, by introspection of a private copy.

Hands on a ``Layout``; damage costs what cannot be read, and is named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from validator.audit.layout import Layout, Table, indexes_of, tables_of
from validator.audit.vocabulary import Place, Vocabulary
from validator.census import StoreError
from validator.census.cells import decode_json
from validator.census.store import identifier, open_store
from validator.census.store import tables as native_tables
from validator.descriptor.shape import Shape

MOST_WORDS = 500
"""Distinct words of one column that are read; more is no enumeration."""
LONGEST_WORD = 100
"""Characters of a word; longer texts are no words."""


def read_store(path: Path, shape: Shape, vocabulary: Vocabulary) -> Layout:
    """Return the layout of a store, a private copy; raises ``StoreError``."""
    with closing(open_store(path)) as store:
        unread: list[str] = []
        try:
            names = [table.name for table in native_tables(store, shape) if table.kind != "derived"]
            tables = tables_of(store, names)
            indexes = indexes_of(store)
        except sqlite3.Error as error:
            raise StoreError(f"its schema cannot be read: {error}; restore the store or capture it again") from None
        if not any(table.name in tables for table in shape.tables if table.kind == "converted"):
            raise StoreError("none of the tables that the native shape describes; is it another program's?")
        return Layout(
            version=_layout_number(store, tables, vocabulary),
            tables=tables,
            indexes=indexes,
            values={place.name: _read(store, tables, place, unread) for place in vocabulary.enumerations},
            members={place.name: _read(store, tables, place, unread) for place in vocabulary.members},
            whole=False,
            unread=tuple(unread),
        )


def _layout_number(store: sqlite3.Connection, tables: dict[str, Table], vocabulary: Vocabulary) -> int | None:
    table, column = vocabulary.layout_table, vocabulary.layout_column
    if table is None or column is None or table not in tables or tables[table].column(column) is None:
        return None
    try:
        row = store.execute(f"SELECT max({identifier(column)}) FROM {identifier(table)}").fetchone()
    except sqlite3.Error:
        return None
    return row[0] if row and type(row[0]) is int else None


def _read(store: sqlite3.Connection, tables: dict[str, Table], place: Place, unread: list[str]) -> frozenset[str]:
    """Return the words at a place, over all of its columns."""
    words: set[str] = set()
    for name in place.columns:
        table, column = name.split(".")
        if table not in tables or tables[table].column(column) is None:
            continue
        cells = f"SELECT DISTINCT {identifier(column)} FROM {identifier(table)}"
        try:
            for (cell,) in store.execute(cells):
                words.update(_words(cell, place.at))
                if len(words) > MOST_WORDS:
                    unread.append(f"{place.name}: more than {MOST_WORDS} different words; the rest is unread")
                    return frozenset(sorted(words)[:MOST_WORDS])
        except sqlite3.Error as error:
            unread.append(f"{name}: {error}")
    return frozenset(words)


def _words(cell: Any, at: str | None) -> Iterator[str]:
    if at is None:
        if isinstance(cell, str) and len(cell) <= LONGEST_WORD:
            yield cell
        return
    for found in _at(decode_json(cell).value, at.split("/")[1:]):
        if isinstance(found, dict):
            yield from (name for name in found if len(name) <= LONGEST_WORD)


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    """Yield the values that a pointer pattern names; ``*`` is every element of an array."""
    if not steps:
        yield value
    elif steps[0] == "*":
        for element in value if isinstance(value, list) else ():
            yield from _at(element, steps[1:])
    elif isinstance(value, dict) and steps[0] in value:
        yield from _at(value[steps[0]], steps[1:])
