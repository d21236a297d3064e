"""The layout of a store: its tables, columns, keys and indexes, and the values that enumerations take.

Both readers of a target (of its source, of its store) hand on a ``Layout``; the comparison needs nothing else.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from validator.census.store import identifier


@dataclass(frozen=True)
class Column:
    """A column as it is declared."""

    name: str
    type: str
    not_null: bool
    default: str | None
    """The default as SQL; None where there is none."""
    pk: int = 0
    """The column's place in the primary key, from 1; 0 where it has none."""

    @property
    def declaration(self) -> tuple[str, bool, str | None]:
        """Type in capitals, NOT NULL, default: what makes two columns the same."""
        return self.type.upper(), self.not_null, self.default

    def __str__(self) -> str:
        parts = [self.type or "no type"]
        if self.not_null:
            parts.append("NOT NULL")
        if self.default is not None:
            parts.append(f"DEFAULT {self.default}")
        return " ".join(parts)


@dataclass(frozen=True)
class Table:
    """A table as it is declared, columns in their order."""

    name: str
    columns: tuple[Column, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key, in its order."""
        return tuple(column.name for column in sorted(self.columns, key=lambda c: c.pk) if column.pk)

    def column(self, name: str) -> Column | None:
        """Return the column of that name, or None."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class Layout:
    """What was read of one target."""

    version: int | None
    """The layout's number, where the target says it."""
    tables: dict[str, Table]
    indexes: dict[str, str] = field(default_factory=dict)
    """CREATE INDEX statements by name, blanks folded."""
    values: dict[str, frozenset[str]] = field(default_factory=dict)
    """The values of each enumerated column, ``table.column``."""
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    """The member names at each place of JSON columns, ``table.column`` and a pointer pattern."""
    whole: bool = True
    """Whether every table that is made at start-up must be here; false where only some could be read."""
    unread: tuple[str, ...] = ()
    """What could not be read or evaluated, one line each."""


def tables_of(connection: sqlite3.Connection, wanted: list[str]) -> dict[str, Table]:
    """Read the declarations of tables from an open database."""
    found = {}
    for name in wanted:
        rows = connection.execute(f"PRAGMA table_xinfo({identifier(name)})").fetchall()
        columns = tuple(
            Column(str(row[1]), str(row[2] or ""), bool(row[3]), None if row[4] is None else str(row[4]), int(row[5]))
            for row in rows
            if row[6] != 1
        )
        found[name] = Table(name, columns)
    return found


def indexes_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Read the indexes that were made by a statement of their own."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    return {str(name): " ".join(str(sql).split()) for name, sql in rows}
