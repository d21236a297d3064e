"""Copies a store that a program may be writing, so that the copy is one committed state; the store is never opened.

A write-ahead log grows at its end while the store itself rests: the store, and as much of the log as there was, are
then a state that a reader would have seen. With a rollback journal, all files must hold still.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from validator.capture.manifest import CaptureError, digest_of

TRIES = 40
PAUSE = 0.25
"""Seconds between two tries."""

WAL = "-wal"
_WAL_HEADER = 32
"""Bytes of a log's header; its salts change when the log begins anew."""


def copy_live(root: Path, store: str, companions: list[str], into: Path) -> list[str]:
    """Copy a store and those of its companions that are there; returns the paths that were copied.

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
            if all(_held(root / path, into / path, before[path].st_mtime_ns) for path in present) and not [
                path for path in companions if path not in present and (root / path).exists()
            ]:
                return present
        except OSError as error:
            problem = error.strerror or "unreadable"
        else:
            problem = "it is being written all the time; let the agent rest"
        for path in present:
            (into / path).unlink(missing_ok=True)
    raise CaptureError(f"{store} cannot be copied: {problem}, and try again")


def _held(original: Path, copied: Path, modified: int) -> bool:
    """Whether a file still holds what was copied: all of it, or for a log all that there was of it."""
    if not original.name.endswith(WAL):
        with ThreadPoolExecutor(2) as threads:  # hashing works without Python's lock
            return original.stat().st_mtime_ns == modified and len(set(threads.map(digest_of, (original, copied)))) == 1
    size = copied.stat().st_size
    if size <= _WAL_HEADER:
        return original.stat().st_size <= _WAL_HEADER
    with original.open("rb") as file:
        digest = hashlib.sha256()
        left = size
        while left and (piece := file.read(min(left, 2**20))):
            digest.update(piece)
            left -= len(piece)
    return not left and digest.hexdigest() == digest_of(copied)
