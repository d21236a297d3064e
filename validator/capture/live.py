"""Copies a store that a program may be writing, so that the copy is one committed state; the store is never opened.

A write-ahead log grows at its end while the store itself rests: the store, and as much of the log as there was, are
then a state that a reader would have seen. With a rollback journal, all files must hold still.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from validator.capture.manifest import CaptureError, digest_of

TRIES = 40
PAUSE = 0.25
"""Seconds between two tries."""

WAL = "-wal"
_WAL_HEADER = 32
"""Bytes of a log's header; its salts change when the log begins anew."""


def copy_live(root: Path, store: str, companions: list[str], into: Path) -> dict[str, str]:
    """Copy a store and those of its companions that are there; returns by path the SHA-256 of what was copied.

    Raises ``CaptureError`` if the files never held still.
    """
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE)
        present = [store, *(path for path in companions if (root / path).is_file())]
        try:
            before = {path: (root / path).stat() for path in present}
            for path in present:
                (into / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / path, into / path, follow_symlinks=False)
            held = {path: _held(root / path, into / path, before[path].st_mtime_ns) for path in present}
            digests = {path: digest for path, digest in held.items() if digest is not None}
            appeared = [path for path in companions if path not in present and (root / path).exists()]
            if len(digests) == len(present) and not appeared and _rests(root, before):
                return digests
        except OSError as error:
            problem = error.strerror or "unreadable"
        else:
            problem = "it is being written all the time; let the agent rest"
        for path in present:
            (into / path).unlink(missing_ok=True)
    raise CaptureError(f"{store} cannot be copied: {problem}, and try again")


def _rests(root: Path, before: Mapping[str, os.stat_result]) -> bool:
    """Whether, with a rollback journal, no transaction was under way: it writes the store until its journal goes."""
    if any(path.endswith(WAL) for path in before):
        return True
    return all((root / path).stat().st_mtime_ns == status.st_mtime_ns for path, status in before.items())


def _held(original: Path, copied: Path, modified: int) -> str | None:
    """Return the digest of a copy if the file still holds it: all of it, or for a log all that there was of it."""
    if not original.name.endswith(WAL):
        if original.stat().st_mtime_ns != modified:
            return None
        with ThreadPoolExecutor(2) as threads:  # hashing works without Python's lock
            before, digest = threads.map(digest_of, (original, copied))
        return digest if before == digest else None
    size, digest = copied.stat().st_size, digest_of(copied)
    if size <= _WAL_HEADER:
        return digest if original.stat().st_size <= _WAL_HEADER else None
    with original.open("rb") as file:
        begun = hashlib.sha256()
        left = size
        while left and (piece := file.read(min(left, 2**20))):
            begun.update(piece)
            left -= len(piece)
    return digest if not left and begun.hexdigest() == digest else None
