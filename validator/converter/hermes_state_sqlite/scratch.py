"""Keeps rows on disk for a look-up: one table, with an index, in a private database that goes with the run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from validator.converter.hermes_state_sqlite.cells import is_utf8, text_bytes


class Scratch:
    """A table filled with rows at once and then only read; its index is over all columns, the first leading."""

    def __init__(self, name: str, columns: Sequence[str], rows: Iterable[tuple[object, ...]]) -> None:
        listed = ", ".join(columns)
        # An empty name is a private database in a temporary file that SQLite removes.
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(f"CREATE TABLE {name} ({listed})")
        self._connection.execute("BEGIN")
        self._connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", rows)
        self._connection.execute(f"CREATE INDEX {name}_index ON {name} ({listed})")
        self._connection.execute("COMMIT")

    def all(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[object, ...]]:
        """The rows that a SELECT gives."""
        return self._connection.execute(sql, parameters).fetchall()

    def close(self) -> None:
        """Removes the table."""
        self._connection.close()


def bindable(cell: object) -> object:
    """The cell as SQLite can be given it: text that is not UTF-8 as bytes, told apart from a BLOB."""
    if isinstance(cell, bytes):
        return b"blob:" + cell
    if isinstance(cell, str) and not is_utf8(cell):
        return b"text:" + text_bytes(cell)
    return cell


def unbound(value: object) -> object:
    """The cell that `bindable` was given."""
    if isinstance(value, bytes):
        rest = value[len(b"blob:") :]
        return rest if value.startswith(b"blob:") else rest.decode("utf-8", "surrogateescape")
    return value
