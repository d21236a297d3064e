"""What lies in a store's write-ahead log beyond its last commit, and whether SQLite uses the log at all.

Works on a private copy, before it is read: SQLite itself says how many frames it takes from the log, and the
frame headers say how many there are.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Literal

_HEADER = 32
_FRAME_HEADER = 24
_LITTLE_ENDIAN = 0x377F0682


def log_notice(store: sqlite3.Connection, path: Path) -> tuple[str, str | None] | None:
    """Return the code and detail of the notice that a store's ``-wal`` deserves, or None.

    The log is moved into the private copy on the way, as SQLite does when a store is closed.
    """
    log = path.with_name(path.name + "-wal")
    try:
        content = log.read_bytes() if log.stat().st_size >= _HEADER else b""
    except OSError:
        return None
    if not content:
        return None
    written = _frames_of_this_generation(content)
    try:
        used = max(store.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1], 0)
    except sqlite3.Error:
        return None
    if used == 0 and (written == 0 or not _first_frame_is_sound(content)):
        return "stale-wal", None
    if written > used:
        return "uncommitted-frames", f"{written - used} frames"
    return None


def _page_size(content: bytes) -> int:
    return int.from_bytes(content[8:12], "big") or 65536


def _frames_of_this_generation(content: bytes) -> int:
    """Count the frames from the first on that carry the salts of the log's header."""
    salts = content[16:24]
    step = _FRAME_HEADER + _page_size(content)
    count = 0
    for start in range(_HEADER, len(content) - step + 1, step):
        if content[start + 8 : start + 16] != salts:
            break
        count += 1
    return count


def _first_frame_is_sound(content: bytes) -> bool:
    """Whether the first frame's checksum follows from the header's; else the log is of another file or time."""
    order: Literal["little", "big"] = "little" if int.from_bytes(content[0:4], "big") == _LITTLE_ENDIAN else "big"
    end = _HEADER + _FRAME_HEADER + _page_size(content)
    first, second = 0, 0
    for piece in (content[:24], content[_HEADER : _HEADER + 8], content[_HEADER + _FRAME_HEADER : end]):
        for at in range(0, len(piece) - 7, 8):
            first = (first + int.from_bytes(piece[at : at + 4], order) + second) & 0xFFFFFFFF
            second = (second + int.from_bytes(piece[at + 4 : at + 8], order) + first) & 0xFFFFFFFF
    stored = content[_HEADER + 16 : _HEADER + 24]
    return stored == first.to_bytes(4, "big") + second.to_bytes(4, "big")
