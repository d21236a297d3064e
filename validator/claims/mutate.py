"""Applies mutants to the records in a filled workbench and sees which claims notice.

``Bench`` takes a workbench whose claims have run, applies one mutant at a time, hands on a ``Trial`` (did it change a
value, who noticed), and puts everything back. That everything is back is verified each time.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from marshal import dumps

from validator.claims import Claim, Mutant, NotRestoredError
from validator.claims.edits import EditError
from validator.claims.reads import Columns, Guard, Writes, reads, writing
from validator.claims.run import SECONDS, Outcome, authorize, nested, run_one
from validator.descriptor import DescriptorError
from validator.stream.protocol import ProtocolError

PROTOCOL = "stream.protocol"
"""What stands in place of the claims where a mutant's lines are no record stream: nothing is judged then."""

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Trial:
    """What came of one mutant on one capture."""

    applied: bool
    """Whether it changed a value."""
    fired: tuple[str, ...] = ()
    """The claims, by id, that held before it and did not after it."""


class Bench:
    """A filled workbench on which claims have run, ready for mutants."""

    def __init__(
        self,
        bench: sqlite3.Connection,
        outcomes: Sequence[Outcome],
        reload: Callable[[Claim, Mutant], None],
        columns: dict[str, Columns] | None = None,
    ) -> None:
        """``reload`` replaces all records by those of the lines that an edit gives, of the claim's formats only.

        ``columns`` keeps, by claim, what claims read; benches of the same native shapes may share it.
        """
        self.bench, self._reload = bench, reload
        self._guard = Guard(bench)
        self._outcomes = {outcome.claim.id: outcome for outcome in outcomes}
        self._holding = [outcome.claim for outcome in outcomes if not outcome.violated]
        self._reads = {} if columns is None else columns
        self.tables = sorted(
            name
            for (name,) in bench.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name == "record" or name.startswith("record_")
        )
        self._children = {name for name in self.tables if bench.execute(f"PRAGMA foreign_key_list({name})").fetchall()}
        self._before = self._digests(self.tables)

    def counts(self, claim: Claim) -> bool:
        """Whether the claim's mutants count here: it holds and has a subject."""
        outcome = self._outcomes.get(claim.id)
        return outcome is not None and outcome.status == "holds"

    def judge(self, claim: Claim) -> Outcome:
        """Run a claim on the workbench as it stands, with one example."""
        with self._guard.under(authorize):
            return run_one(self.bench, claim, examples=1)

    def trial(self, claim: Claim, mutant: Mutant, *, alone: bool = False) -> Trial:
        """Apply a mutant, ask every claim that can notice (``alone``: only its own), and take it back.

        Raises ``DescriptorError`` for a mutant that fails or may not do what it does, ``NotRestoredError``.
        """
        with self.mutated(claim, mutant) as writes:
            if writes is None:
                return Trial(True, (PROTOCOL,))
            if not writes.tables:
                return Trial(False)
            asked = [claim] if alone else self._holding
            concerned = [other for other in asked if writes.concern(self._columns(other))]
            return Trial(True, tuple(other.id for other in concerned if self._fires(other)))

    @contextmanager
    def mutated(self, claim: Claim, mutant: Mutant) -> Iterator[Writes | None]:
        """Let a mutant stand while it lasts, and verify afterwards that it is gone.

        Gives what it really changed; None where the lines are no record stream any more.
        """
        self.bench.execute("SAVEPOINT mutant")
        try:
            yield self._apply(claim, mutant)
        finally:
            if self.bench.in_transaction:
                self.bench.execute("ROLLBACK TO mutant")
                self.bench.execute("RELEASE mutant")
            if self._digests(self.tables) != self._before:
                raise NotRestoredError(
                    f"{claim.file}: after mutant {mutant.name!r} of {claim.id} the workbench is not as before; "
                    "does it keep a rollback journal?"
                )

    def _apply(self, claim: Claim, mutant: Mutant) -> Writes | None:
        named = f"{claim.file}: mutant {mutant.name!r} of {claim.id}"
        deadline = time.monotonic() + SECONDS
        self.bench.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
        try:
            writes = self._statements(mutant) if mutant.lines is None else self._lines(claim, mutant)
            if writes is not None:
                self._keep_changes(writes)
        except (sqlite3.Error, sqlite3.Warning) as error:
            reason = f"took longer than {SECONDS:g} s" if str(error) == "interrupted" else str(error)
            raise DescriptorError(f"{named} fails: {reason}; mend its SQL (a mutant may write record_* only)") from None
        except EditError as error:
            raise DescriptorError(f"{named}: {error}") from None
        finally:
            self.bench.set_progress_handler(None, 0)
        return writes

    def _statements(self, mutant: Mutant) -> Writes:
        with writing(self._guard) as writes:
            for statement in mutant.sql:
                self.bench.execute(self._guard.fresh(statement))
        if "record" in writes.rows:  # rows of a deleted record go with it
            writes.rows |= self._children
        return writes

    def _lines(self, claim: Claim, mutant: Mutant) -> Writes | None:
        try:
            self._reload(claim, mutant)
        except ProtocolError:
            return None
        return Writes(rows=set(self.tables))

    def _keep_changes(self, writes: Writes) -> None:
        """Strike from what was written the tables that are as before: an update may set what is there."""
        after = self._digests(writes.tables)
        same = {table for table, digest in after.items() if digest == self._before[table]}
        writes.rows -= same
        writes.updated = {(table, column) for table, column in writes.updated if table not in same}

    def _columns(self, claim: Claim) -> Columns:
        if claim.id not in self._reads:
            self._reads[claim.id] = reads(self._guard, claim, claim.violations)
        return self._reads[claim.id]

    def _fires(self, claim: Claim) -> bool:
        deadline = time.monotonic() + SECONDS
        self.bench.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
        try:
            with self._guard.under(authorize):
                sql = f"SELECT EXISTS (SELECT 1 FROM {nested(claim.violations)})"
                return bool(self.bench.execute(sql).fetchone()[0])
        except sqlite3.Error as error:
            raise DescriptorError(f"{claim.file}: the SQL of {claim.id} fails: {error}; mend the query") from None
        finally:
            self.bench.set_progress_handler(None, 0)

    def _digests(self, tables: Sequence[str] | set[str]) -> dict[str, bytes]:
        return {table: _digest(self.bench, table) for table in tables}


def _digest(bench: sqlite3.Connection, table: str) -> bytes:
    """Digest a table's rows, each value with its type, in row order."""
    digest = blake2b(digest_size=16)
    rows = bench.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid")
    while held := list(islice(rows, ROWS_AT_ONCE)):
        digest.update(dumps(held, 2))  # version 2: bytes depend on nothing but the values
    return digest.digest()
