"""Finds out, from SQLite itself, which columns a claim reads and which a mutant writes.

A claim that reads nothing a mutant writes says after it what it said before: it need not run again. Hands on
sets of (table, column); SQLite names them while it prepares a statement, so nothing is parsed here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from validator.claims import Claim
from validator.claims.run import authorize, nested
from validator.descriptor import DescriptorError

Columns = frozenset[tuple[str, str]]


@dataclass
class Writes:
    """What a statement writes: columns that it updates, and tables whose rows it adds or removes."""

    updated: set[tuple[str, str]] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)

    @property
    def tables(self) -> set[str]:
        """The tables that it touches."""
        return self.rows | {table for table, _ in self.updated}

    def concern(self, columns: Columns) -> bool:
        """Whether something that reads these columns can notice."""
        return any(table in self.rows or (table, column) in self.updated for table, column in columns)


def reads(bench: sqlite3.Connection, claim: Claim, sql: str) -> Columns:
    """Return the columns that one of a claim's queries reads; ``DescriptorError`` when it cannot be prepared."""
    seen: set[tuple[str, str]] = set()

    def note(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            seen.add(((first or "").lower(), (second or "").lower()))
        return authorize(action, first, second, database, inner)

    with authorizer(bench, note):
        try:
            bench.execute(f"EXPLAIN SELECT * FROM {nested(sql)}").close()
        except sqlite3.Error as error:
            raise DescriptorError(f"{claim.file}: the SQL of {claim.id} fails: {error}; mend the query") from None
    return frozenset(seen)


@contextmanager
def writing(bench: sqlite3.Connection) -> Iterator[Writes]:
    """Let statements write ``record_*``, and read what a claim may read, while it lasts; notes what they write."""
    writes = Writes()

    def note(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
        table = (first or "").lower()
        if action not in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_UPDATE):
            return authorize(action, first, second, database, inner)
        if table != "record" and not table.startswith("record_"):
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_UPDATE:
            writes.updated.add((table, (second or "").lower()))
        else:
            writes.rows.add(table)
        return sqlite3.SQLITE_OK

    with authorizer(bench, note):
        yield writes


@contextmanager
def authorizer(bench: sqlite3.Connection, function: object) -> Iterator[None]:
    """Set an authorizer while it lasts."""
    bench.set_authorizer(function)  # type: ignore[arg-type]
    try:
        yield
    finally:
        bench.set_authorizer(None)
