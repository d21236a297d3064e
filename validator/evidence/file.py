"""Replaces a file whole: whoever reads it, at any moment, reads the old bytes or the new ones.

The new bytes go to a file beside it, reach the disk, and only then take its name. One writer at a time: the folder is
locked, and the system unlocks it when a writer dies.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from validator.evidence import EvidenceError

PATIENCE = 10.0
"""Seconds to wait for another writer."""

PIECE = 4096
"""Bytes that are written at once."""


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep other writers of this project out of a folder while it lasts; ``EvidenceError`` when one does not end."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise EvidenceError(f"{folder.name}: cannot be opened: {error.strerror}; make it readable") from None
    try:
        _lock(handle, folder.name)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, name: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise EvidenceError(f"{name}: another run is writing there; try again when it has ended") from None
            time.sleep(0.05)


def replace_file(path: Path, data: bytes) -> None:
    """Put bytes in the place of a file, which keeps its mode; ``EvidenceError`` when that cannot be done."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.new")
    try:
        beside.unlink(missing_ok=True)  # what a killed run left
        try:
            _write(beside, data, _mode(target))
            beside.replace(target)
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
        _settle(target.parent)
    except OSError as error:
        raise EvidenceError(f"{path.name}: cannot be written: {error.strerror}; the old file stands") from None


def _mode(target: Path) -> int | None:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(beside: Path, data: bytes, mode: int | None) -> None:
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest[:PIECE]) :]
        if mode is not None:
            os.fchmod(handle, mode)
        os.fsync(handle)
    finally:
        os.close(handle)


def _settle(folder: Path) -> None:
    """Let the new name reach the disk, too."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
