"""Private copies: every reader and every run of a converter gets its own, and may do to it what it likes."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from validator.capture.manifest import CaptureError

TRIES = 5
PAUSE = 0.2
"""Seconds between two tries to copy files that are being written."""


def copy(root: Path, paths: Iterable[str], into: Path) -> Path:
    """Copy files of a root into a fresh folder, as one consistent state; returns that folder.

    Files that change while they are copied (a live store) are copied again, a few times; raises
    ``CaptureError`` if they never hold still.
    """
    wanted = sorted(paths)
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE)
            shutil.rmtree(into, ignore_errors=True)
        before = [_state(root / path) for path in wanted]
        try:
            for path in wanted:
                target = into / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / path, target, follow_symlinks=False)
        except OSError as error:
            reason = error.strerror or "unreadable"
            if attempt == TRIES - 1:
                full = error.errno == errno.ENOSPC
                remedy = "free some disk space, or set TMPDIR" if full else "make it readable"
                raise CaptureError(f"{path} cannot be copied: {reason}; {remedy}") from None
            continue
        if [_state(root / path) for path in wanted] == before:
            return into
    raise CaptureError(f"{wanted[0]} is being written; stop the agent, or try again when it rests")


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
