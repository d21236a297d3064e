"""Runs claims and notice rules in the workbench: how many subjects each claim has, what violates it, what is noted.

Claims may come from a stranger's descriptor: they run under an authorizer that lets them read ``native_*``
and ``record_*`` and nothing else, with a time limit.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from validator.claims import Claim, NoticeRule
from validator.descriptor import DescriptorError
from validator.workbench import out_of_space

SECONDS = 120.0
"""How long one query of a claim may take."""

THREADS = min(os.cpu_count() or 1, 4)
"""Claims that run at once on a large workbench."""

EXAMPLES = 20
"""Violations of one claim that are described; all are counted."""

COLUMNS = ("unit", "line", "at", "expected", "found")
"""What a violations query returns, in any order."""

NOTED = ("run", "source", "tab", "key", "unit", "col", "detail")
"""What a notice rule returns, in any order."""

FORBIDDEN_FUNCTIONS = frozenset(
    (  # one string: a list of this length would take a screen
        "-> ->> date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp "
        "printf format quote load_extension random randomblob changes total_changes last_insert_rowid "
        "sqlite_version sqlite_source_id"
    ).split()
)
"""Functions that differ between SQLite versions or runs, or lie on odd input; besides those named ``json…``."""

_ALLOWED_ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}


Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]
"""See ``sqlite3.Connection.set_authorizer``."""

@dataclass(frozen=True)
class Violation:
    """One place where a claim does not hold: units and lines by their number in the workbench."""

    unit: int | None
    line: int | None
    at: str | None
    expected: Any
    found: Any


@dataclass(frozen=True)
class Outcome:
    """What became of one claim on one capture."""

    claim: Claim
    subjects: int
    violated: int
    """Distinct subjects that violate it."""
    examples: tuple[Violation, ...]

    @property
    def status(self) -> str:
        """``violated``, ``holds`` or ``not exercised``."""
        if self.violated:
            return "violated"
        return "holds" if self.subjects else "not exercised"


def run(
    workbench: sqlite3.Connection,
    claims: Sequence[Claim],
    formats: set[str],
    subjects: Callable[[], Mapping[str, int]] = dict,
) -> list[Outcome]:
    """Run the claims that concern some of the formats; outcomes are in the order of the claims.

    ``subjects`` gives the counts that somebody else took, by claim; it is asked last. A workbench on disk is read by as
    many threads as there are cores to spare: SQLite works without Python's lock.
    """
    wanted = [claim for claim in claims if formats & set(claim.formats)]
    files = [(name, path) for _, name, path in workbench.execute("PRAGMA database_list") if name != "temp"]
    if not all(path for _, path in files):
        with guarded(workbench):
            return [run_one(workbench, claim) for claim in wanted]
    return _run_in_threads(files, wanted, subjects)


def _run_in_threads(
    files: Sequence[tuple[str, str]], claims: Sequence[Claim], subjects: Callable[[], Mapping[str, int]]
) -> list[Outcome]:
    """Run claims on a committed workbench, each thread with a connection of its own."""
    own = threading.local()
    opened: list[sqlite3.Connection] = []

    def connect() -> None:
        (_, path), *others = files
        own.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        opened.append(own.connection)
        for name, other in others:
            own.connection.execute(f"ATTACH ? AS {name}", (other,))
        own.connection.execute("PRAGMA query_only = ON")
        own.connection.set_authorizer(authorize)

    with ThreadPoolExecutor(max_workers=THREADS, initializer=connect) as pool:
        # The longest query is begun first: one that begins last keeps a thread alone.
        order = sorted(claims, key=lambda claim: -len(claim.query))
        begun = {claim.id: pool.submit(lambda one: _violated(own.connection, one), claim) for claim in order}
        try:
            found = [begun[claim.id].result() for claim in claims]
            known = subjects()
            rest = [claim for claim in claims if claim.id not in known]
            counted = pool.map(lambda one: count_subjects(own.connection, one), rest)
            counts = {**known, **{claim.id: count for claim, count in zip(rest, counted, strict=True)}}
            return [Outcome(claim, counts[claim.id], *one) for claim, one in zip(claims, found, strict=True)]
        finally:
            pool.shutdown(cancel_futures=True)
            for connection in opened:
                connection.close()


def note(workbench: sqlite3.Connection, rules: Sequence[NoticeRule], into: str = "native_notice") -> None:
    """Run notice rules, which read native tables only, and write what they find into a table."""
    columns = ", ".join(NOTED)
    with guarded(workbench, authorize_native):
        found = [list(query(workbench, rule, f"SELECT {columns} FROM {nested(rule.select)}")) for rule in rules]
    workbench.execute("BEGIN")  # otherwise each row would be a transaction of its own
    for rule, rows in zip(rules, found, strict=True):
        workbench.executemany(
            f"INSERT INTO {into} VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((run, source, rule.code, *others) for run, source, *others in rows),
        )
    workbench.execute("COMMIT")


def count_subjects(workbench: sqlite3.Connection, claim: Claim) -> int:
    """Count the subjects of a claim; ``DescriptorError`` names the claim and its file when its SQL fails."""
    counted: int = next(query(workbench, claim, f"SELECT count(*) FROM {nested(claim.subjects)}"))[0]
    return counted


def run_one(workbench: sqlite3.Connection, claim: Claim, examples: int = EXAMPLES) -> Outcome:
    """Run one claim; ``DescriptorError`` names the claim and its file when its SQL fails."""
    subjects = count_subjects(workbench, claim)
    return Outcome(claim, subjects, *_violated(workbench, claim, examples))


def _violated(
    workbench: sqlite3.Connection, claim: Claim, examples: int = EXAMPLES
) -> tuple[int, tuple[Violation, ...]]:
    """Return how many subjects violate a claim, and the first violations."""
    violated = 0
    found: list[Violation] = []
    last: tuple[Any, ...] | None = None
    for row in query(workbench, claim, _in_order(claim)):
        subject = (row[0], row[1] if row[0] is None else None, row[2] if row[0] is None and row[1] is None else None)
        if subject != last:
            violated += 1
            last = subject
        if len(found) < examples:
            found.append(Violation(*row))
    return violated, tuple(found)


def violations(workbench: sqlite3.Connection, claim: Claim) -> Iterator[Violation]:
    """Yield everything that violates a claim, one by one and in order, however long the reader takes.

    Only for a claim that has run: then its query is known to end.
    """
    yield from (Violation(*row) for row in query(workbench, claim, _in_order(claim), seconds=float("inf")))


def _in_order(claim: Claim) -> str:
    columns = ", ".join(COLUMNS)
    return f"SELECT {columns} FROM {nested(claim.violations)} ORDER BY unit IS NULL, {columns}"


def nested(sql: str) -> str:
    """Return a query as a subquery of another; it may end in a semicolon or a comment."""
    return "(" + sql.strip().rstrip(";") + "\n)"


def query(
    workbench: sqlite3.Connection, claim: Claim | NoticeRule, sql: str, seconds: float | None = None
) -> Iterator[tuple[Any, ...]]:
    """Run a query of a claim (or of a notice rule) with a time limit."""
    name = claim.id if isinstance(claim, Claim) else claim.code
    deadline = time.monotonic() + (SECONDS if seconds is None else seconds)
    workbench.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
    try:
        yield from workbench.execute(sql)
    except sqlite3.Error as error:
        if out_of_space(error):
            raise
        reason = f"took longer than {SECONDS:g} s" if str(error) == "interrupted" else str(error)
        raise DescriptorError(f"{claim.file}: the SQL of {name} fails: {reason}; mend the query") from None
    finally:
        workbench.set_progress_handler(None, 0)


def authorize(action: int, first: str | None, second: str | None, database: str | None, _inner: str | None) -> int:
    """Let reads of ``native_*`` and ``record_*`` through, and of what a query itself names, and nothing else.

    Not of ``native_notice``, which is filled afterwards from what rules find.
    """
    if action in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ:
        name = (first or "").lower()
        known = name.startswith(("native_", "record_")) or name in ("record", "")
        if database is None and second == "":  # the rows, and no column, of a table or of a named query (WITH)
            known = known or not name.startswith(("sqlite_", "pragma_", "json"))
        return sqlite3.SQLITE_OK if known and name != "native_notice" else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION:
        function = (second or "").lower()
        forbidden = function in FORBIDDEN_FUNCTIONS or function.startswith("json")
        return sqlite3.SQLITE_DENY if forbidden else sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def authorize_native(
    action: int, first: str | None, second: str | None, database: str | None, inner: str | None
) -> int:
    """Let through what ``authorize`` does, but no reads of records: notices are about what is native."""
    name = (first or "").lower()
    if action == sqlite3.SQLITE_READ and (name == "record" or name.startswith("record_")):
        return sqlite3.SQLITE_DENY
    return authorize(action, first, second, database, inner)


@contextmanager
def guarded(workbench: sqlite3.Connection, rule: Authorizer = authorize) -> Iterator[None]:
    """Let only reads of ``native_*`` and ``record_*`` through while it lasts, or what another rule does."""
    workbench.set_authorizer(rule)
    try:
        yield
    finally:
        workbench.set_authorizer(None)
