"""Drawn stores can be written and hold the rows that were drawn, cell by cell."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hypothesis import given, settings

from tests.stores import BadText, Cell, draw
from tests.stores.layouts import layout_of, quoted


@contextmanager
def written(drawn: draw.Drawn) -> Iterator[sqlite3.Connection]:
    """The drawn store, opened so that TEXT comes as bytearray and a BLOB as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        store = drawn.write(Path(folder, "state.db")).path
        with closing(sqlite3.connect(store)) as connection:
            connection.text_factory = bytearray
            yield connection


@settings(deadline=None, derandomize=True)
@given(draw.stores())
def test_a_drawn_store_has_as_many_rows_as_were_drawn(drawn: draw.Drawn) -> None:
    with written(drawn) as connection:
        for table, rows in drawn.rows.items():
            found = connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()
            assert found == (len(rows),)


@settings(deadline=None, derandomize=True)
@given(draw.stores())
def test_the_text_and_blobs_of_a_drawn_message_are_stored_as_drawn(drawn: draw.Drawn) -> None:
    with written(drawn) as connection:
        for row in drawn.rows.get("messages", []):
            for column, cell in row.items():
                sql = f"SELECT {quoted(column)} FROM messages WHERE id = ?"
                (found,) = connection.execute(sql, (row["id"],)).fetchone()
                assert is_stored(found, cell), (column, cell, found)


def is_stored(found: object, cell: Cell) -> bool:
    """Whether SQLite gave what was bound, numbers by value and after the column's affinity."""
    if isinstance(cell, BadText):
        return found == bytearray(cell.octets) and isinstance(found, bytearray)
    if isinstance(cell, str):
        return found == bytearray(cell.encode()) or (isinstance(found, (int, float)) and found == float(cell))
    if isinstance(cell, bytes):
        return found == cell and isinstance(found, bytes)
    if cell is not None and isinstance(found, bytearray):
        return float(found.decode()) == cell
    if isinstance(cell, int) and isinstance(found, float):
        return found == float(cell)
    return bool(found == cell)


def test_every_drawn_column_stands_in_some_layout() -> None:
    shapes = {s: layout_of(s).tables for s in draw.SCHEMAS}
    for table, columns in {"messages": draw.MESSAGE, "sessions": draw.SESSION}.items():
        known = {c.name for tables in shapes.values() for c in tables[table].columns}
        assert columns.keys() <= known
    for table, (named, unique) in draw.OTHERS.items():
        known = {c.name for tables in shapes.values() if table in tables for c in tables[table].columns}
        assert {*named, *unique} <= known, table
