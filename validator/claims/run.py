"""Runs claims and notice rules in the workbench: how many subjects each claim has, what violates it, what is noted.

Claims may come from a stranger's descriptor: they run under an authorizer that lets them read ``native_*``
and ``record_*`` and nothing else, with a time limit.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from validator.claims import Claim, NoticeRule
from validator.descriptor import DescriptorError

SECONDS = 120.0
"""How long one query of a claim may take."""

THREADS = min(os.cpu_count() or 1, 4)
"""Claims and rules that run at once on a large workbench."""

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


Files = tuple[tuple[str, str], ...]
"""Names and paths of a workbench's databases; the first is opened, the others are attached."""

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]
"""See ``sqlite3.Connection.set_authorizer``."""

Asked = TypeVar("Asked", Claim, NoticeRule)
Found = TypeVar("Found")


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


def run(workbench: sqlite3.Connection, claims: Sequence[Claim], formats: set[str]) -> list[Outcome]:
    """Run the claims that concern some of the formats; outcomes are in the order of the claims."""
    return run_all(workbench, claims, formats, (), lambda: None)[0]


def run_all(
    workbench: sqlite3.Connection,
    claims: Sequence[Claim],
    formats: set[str],
    rules: Sequence[NoticeRule],
    link: Callable[[], None],
) -> tuple[list[Outcome], list[list[tuple[Any, ...]]]]:
    """Run notice rules and claims; gives the outcomes, and what each rule finds, as rows of NOTED.

    ``link`` writes what claims need beside what is loaded. It runs before them, and beside the rules where the native
    tables have a file of their own. A workbench on disk is read by as many threads as there are cores to spare: SQLite
    works without Python's lock.
    """
    wanted = [claim for claim in claims if formats & set(claim.formats)]
    files = tuple((name, path) for _, name, path in workbench.execute("PRAGMA database_list") if name != "temp")
    if not all(path for _, path in files):
        link()
        with guarded(workbench, authorize_native):
            noted = [_noted(workbench, rule) for rule in rules]
        with guarded(workbench):
            return [run_one(workbench, claim) for claim in wanted], noted
    native = tuple(file for file in files if file[0] == "native")
    with _Readers() as readers:
        if not native:
            link()
        noting = readers.submit(native or files, authorize_native, _noted, rules)
        if native:
            link()
        outcomes = readers.submit(files, authorize, run_one, wanted)
        return [outcome.result() for outcome in outcomes], [found.result() for found in noting]


class _Readers:
    """Threads that read a workbench on disk, each with connections of its own, which last as long as the context."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=THREADS)
        self._own = threading.local()
        self._opened: list[sqlite3.Connection] = []

    def __enter__(self) -> _Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        for connection in self._opened:
            connection.close()

    def submit(
        self, files: Files, rule: Authorizer, run: Callable[[sqlite3.Connection, Asked], Found], asked: Sequence[Asked]
    ) -> list[Future[Found]]:
        """Begin to run all that is asked, and give what will be found, in its order.

        The longest query is begun first: one that begins last keeps a thread alone.
        """
        order = sorted(range(len(asked)), key=lambda number: -len(asked[number].query))
        begun = {n: self._pool.submit(lambda one: run(self._connection(files, rule), one), asked[n]) for n in order}
        return [begun[number] for number in range(len(asked))]

    def _connection(self, files: Files, rule: Authorizer) -> sqlite3.Connection:
        """Return this thread's connection to some files under an authorizer."""
        mine: dict[Any, sqlite3.Connection] = self._own.__dict__
        if (files, rule) not in mine:
            (_, path), *others = files
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._opened.append(connection)
            for name, other in others:
                connection.execute(f"ATTACH ? AS {name}", (other,))
            connection.execute("PRAGMA query_only = ON")
            connection.set_authorizer(rule)
            mine[files, rule] = connection
        return mine[files, rule]


def _noted(workbench: sqlite3.Connection, rule: NoticeRule) -> list[tuple[Any, ...]]:
    return list(query(workbench, rule, f"SELECT {', '.join(NOTED)} FROM {nested(rule.select)}"))


def run_one(workbench: sqlite3.Connection, claim: Claim, examples: int = EXAMPLES) -> Outcome:
    """Run one claim; ``DescriptorError`` names the claim and its file when its SQL fails."""
    subjects = next(query(workbench, claim, f"SELECT count(*) FROM {nested(claim.subjects)}"))[0]
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
    return Outcome(claim, subjects, violated, tuple(found))


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
