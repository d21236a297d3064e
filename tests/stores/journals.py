"""Writes stores whose last word stands in a `-wal` or a `-journal`, and says what is committed in them.

The sidecars are those of a writer that died: the files are copied while it holds the store open, or it leaves
without closing.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

from tests.stores.construct import Contents, Rows, build

ROWS: Rows = {
    "sessions": [{"id": "s"}],
    "messages": [{"session_id": "s", "content": f"committed {n}"} for n in range(1, 4)],
}
INSERT = "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1750000100.0)"


def killed_writer(path: Path, rows: Rows | None = None) -> Contents:
    """Everything stands in the `-wal`: the store is one page that names no table."""

    return _left_open(path, _into_log, rows or ROWS)


def exited_writer(path: Path) -> Contents:
    """As `killed_writer`, but a process of its own exits without closing: an `-shm` is left, too."""
    with tempfile.TemporaryDirectory() as private:
        spare = Path(private, "spare.db")
        contents = build(spare, rows=ROWS)
        program = (
            "import os, sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "c.execute('PRAGMA journal_mode = wal')\n"
            "c.execute('PRAGMA wal_autocheckpoint = 0')\n"
            "sqlite3.connect(sys.argv[2]).backup(c)\n"
            "os._exit(1)\n"
        )
        subprocess.run([sys.executable, "-c", program, path, spare], check=False)
    return replace(contents, path=path)


def half_in_log(path: Path) -> Contents:
    """Three messages stand in the store, two more only in the `-wal`."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for n in (4, 5):
            connection.execute(INSERT, (f"committed {n}",))

    return _more(_left_open(path, work, ROWS), 2)


def uncommitted_frames(path: Path) -> Contents:
    """Behind the last commit the `-wal` holds frames of a transaction that never committed."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        _begin(connection)
        connection.execute(INSERT, ("never committed " * 20_000,))

    return _left_open(path, work, ROWS)


def only_uncommitted_frames(path: Path) -> Contents:
    """The store is complete; its `-wal` holds nothing but frames of a transaction that never committed."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _begin(connection)
        connection.execute(INSERT, ("never committed " * 20_000,))

    return _left_open(path, work, ROWS)


def rewritten_uncommitted_frames(path: Path) -> Contents:
    """As `uncommitted_frames`, but pages were written twice: SQLite left the last frames unsalted."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        _rewrite(connection)

    return _left_open(path, work, ROWS)


def stale_log(path: Path) -> Contents:
    """The `-wal` holds frames of an earlier generation only: its header has other salts than they have.

    Two messages stood in those frames; SQLite ignores them, so three are left.
    """
    contents = half_in_log(path)
    log = path.with_name(path.name + "-wal")
    octets = bytearray(log.read_bytes())
    octets[16:24] = bytes(255 - b for b in octets[16:24])
    octets[24:32] = _checksum(bytes(octets[:24]))
    log.write_bytes(octets)
    return _more(contents, -2)


def restarted_log(path: Path) -> Contents:
    """The `-wal` was begun anew over older frames, some of which still stand behind the new ones."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
        connection.execute(INSERT, ("committed 4",))

    return _more(_left_open(path, work, ROWS), 1)


def torn_log(path: Path) -> Contents:
    """The `-wal` breaks off in the middle of the frame of the last commit: that commit did not happen."""

    def work(connection: sqlite3.Connection, source: Path) -> None:
        _into_log(connection, source)
        connection.execute(INSERT, ("torn",))

    contents = _left_open(path, work, ROWS)
    log = path.with_name(path.name + "-wal")
    log.write_bytes(log.read_bytes()[:-2048])
    return contents


def empty_log(path: Path) -> Contents:
    """A `-wal` of no bytes beside a complete store, as a truncating checkpoint leaves it."""
    contents = build(path, rows=ROWS, journal="wal")
    path.with_name(path.name + "-wal").write_bytes(b"")
    return contents


def garbage_log(path: Path) -> Contents:
    """A `-wal` that is no log at all beside a complete store."""
    contents = build(path, rows=ROWS, journal="wal")
    path.with_name(path.name + "-wal").write_bytes(b"not a log " * 1000)
    return contents


def lost_log(path: Path) -> Contents:
    """The one page of a store whose every row stood in a `-wal` that was not copied with it."""
    killed_writer(path)
    path.with_name(path.name + "-wal").unlink()
    return Contents(path, {})


def hot_journal(path: Path) -> Contents:
    """The store holds pieces of a transaction that never committed; its `-journal` undoes them.

    A reader that ignores the journal sees changed text.
    """

    def work(connection: sqlite3.Connection, source: Path) -> None:
        connection.execute("PRAGMA journal_mode = delete")
        _fill(connection, source)
        _rewrite(connection)

    return _left_open(path, work, ROWS, suffix="-journal")


def _left_open(
    path: Path, work: Callable[[sqlite3.Connection, Path], None], rows: Rows, suffix: str = "-wal"
) -> Contents:
    """Does `work` on a new store and copies its files while they are open; `work` gets a store of `rows`."""
    with tempfile.TemporaryDirectory() as private:
        contents = build(Path(private, "spare.db"), rows=rows)
        live = Path(private, "live.db")
        with closing(sqlite3.connect(live, isolation_level=None)) as connection:
            work(connection, contents.path)
            for part in ("", suffix):
                shutil.copyfile(Path(private, "live.db" + part), path.with_name(path.name + part))
    return replace(contents, path=path)


def _into_log(connection: sqlite3.Connection, source: Path) -> None:
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    _fill(connection, source)


def _fill(connection: sqlite3.Connection, source: Path) -> None:
    with closing(sqlite3.connect(source)) as spare:
        spare.backup(connection)


def _begin(connection: sqlite3.Connection) -> None:
    """Begins a transaction whose pages are written out before it commits."""
    connection.execute("PRAGMA cache_size = 2")
    connection.execute("PRAGMA cache_spill = ON")
    connection.execute("BEGIN")


def _rewrite(connection: sqlite3.Connection) -> None:
    """Begins a transaction that changes every message and adds many, so that pages are written repeatedly."""
    _begin(connection)
    connection.execute("UPDATE messages SET content = 'never committed'")
    for _ in range(200):
        connection.execute(INSERT, ("never committed " * 50,))


def _more(contents: Contents, messages: int) -> Contents:
    return replace(contents, counts={**contents.counts, "messages": contents.counts["messages"] + messages})


def _checksum(header: bytes) -> bytes:
    """The checksum of a log's header (https://www.sqlite.org/fileformat2.html, section 4.2)."""
    order: Literal["little", "big"] = "big" if header[3] & 1 else "little"
    first = second = 0
    for at in range(0, len(header), 8):
        first = first + int.from_bytes(header[at : at + 4], order) + second & 0xFFFFFFFF
        second = second + int.from_bytes(header[at + 4 : at + 8], order) + first & 0xFFFFFFFF
    return first.to_bytes(4, "big") + second.to_bytes(4, "big")
