"""Opens a store for reading, with what stands in its write-ahead log, and hands on the connection."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from validator.converter import SourceUnusable
from validator.converter.hermes_state_sqlite.cells import any_text
from validator.converter.hermes_state_sqlite.faults import UNREADABLE


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading the store in one transaction; TEXT that is not UTF-8 has lone surrogates.

    Raises `SourceUnusable` where the file is none or is no SQLite database.
    """
    if not path.is_file():
        raise SourceUnusable(f"{_shown(path)} is not a file; give the store itself, such as state.db")
    if path.stat().st_size == 0:
        raise SourceUnusable(f"{_shown(path)} is empty, not a SQLite database; was only a part of the store copied?")
    with tempfile.TemporaryDirectory(prefix="store-") as folder:
        connection = _connected(path, Path(folder))
        try:
            yield connection
        finally:
            connection.close()


def _connected(path: Path, folder: Path) -> sqlite3.Connection:
    try:
        return _begun(path, "ro")
    except UNREADABLE as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise _unusable(path, error) from error
    # A hot rollback journal must be rolled back, and a -wal may need its index, before anything can be read:
    # that is writing, so it is done on a copy.
    copy = folder / "store.db"
    try:
        for suffix in ("", "-journal", "-wal"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
        return _begun(copy, "rw")
    except (*UNREADABLE, OSError) as error:
        raise _unusable(path, error) from error


def _begun(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file://{quote(os.fsencode(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = any_text
    try:
        # Not for writing: without it one senseless entry of the schema makes every statement fail.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("BEGIN")
        # Reads the schema, rolls back or recovers what has to be; a schema that is damaged further in is borne.
        connection.execute("SELECT 1 FROM main.sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _unusable(path: Path, error: Exception) -> SourceUnusable:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
        return SourceUnusable(f"{_shown(path)} is not a SQLite database")
    reason = error.strerror if isinstance(error, OSError) else error
    return SourceUnusable(f"{_shown(path)} cannot be opened as a SQLite database: {str(reason)[:200]}")


def _shown(path: Path) -> str:
    return source_name(path)[:200]


def source_name(path: Path) -> str:
    """The file's name, without its folder, as text that can be written."""
    return os.fsencode(path.name).decode("utf-8", "replace")
