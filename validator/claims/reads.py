"""Finds out, from SQLite itself, which columns a claim reads and which a mutant writes.

A claim that reads nothing a mutant writes says after it what it said before: it need not run again. Hands on
sets of (table, column); SQLite names them while it prepares a statement, so nothing is parsed here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

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


_NUMBERS = count(1)

Rule = Callable[[int, str | None, str | None, str | None, str | None], int]
"""What SQLite asks of each thing that a statement would do; see ``sqlite3.Connection.set_authorizer``."""


class Guard:
    """The one authorizer of a workbench: statements are prepared under the rule that is in force, or under none.

    It is set once, because SQLite prepares every statement anew when the authorizer changes. What is prepared already
    is not asked about again: a rule that notes things needs a ``fresh`` statement.
    """

    def __init__(self, bench: sqlite3.Connection) -> None:
        self.bench = bench
        self._rule: Rule | None = None
        bench.set_authorizer(self._decide)

    def _decide(
        self, action: int, first: str | None, second: str | None, database: str | None, inner: str | None
    ) -> int:
        return sqlite3.SQLITE_OK if self._rule is None else self._rule(action, first, second, database, inner)

    def fresh(self, sql: str) -> str:
        """Return a statement in a form that is prepared nowhere yet."""
        return f"{sql}\n-- {next(_NUMBERS)}"

    @contextmanager
    def under(self, rule: Rule) -> Iterator[None]:
        """Put a rule in force while it lasts."""
        before, self._rule = self._rule, rule
        try:
            yield
        finally:
            self._rule = before


def reads(bench: Guard | sqlite3.Connection, claim: Claim, sql: str) -> Columns:
    """Return the columns that one of a claim's queries reads; ``DescriptorError`` when it cannot be prepared."""
    guard = bench if isinstance(bench, Guard) else Guard(bench)
    seen: set[tuple[str, str]] = set()

    def note(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            seen.add(((first or "").lower(), (second or "").lower()))
        return authorize(action, first, second, database, inner)

    with guard.under(note):
        try:
            guard.bench.execute(guard.fresh(f"EXPLAIN SELECT * FROM {nested(sql)}")).close()
        except sqlite3.Error as error:
            raise DescriptorError(f"{claim.file}: the SQL of {claim.id} fails: {error}; mend the query") from None
    return frozenset(seen)


@contextmanager
def writing(guard: Guard) -> Iterator[Writes]:
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

    with guard.under(note):
        yield writes
