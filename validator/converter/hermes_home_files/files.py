"""Finds the files of a home that hold units, and says of what kind each is. No link is followed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LARGEST = 64 * 2**20
"""Bytes of a file, or of a line of a log, that is still read; a larger one is a gap."""

MARKDOWN, JSON, LOG, CONFIGURATION = "memory-md", "memory-json", "session-log", "configuration"

_KINDS = (
    (MARKDOWN, re.compile(r"memories/[^/]*\.md", re.DOTALL)),
    (JSON, re.compile(r"memories/[^/]*\.json", re.DOTALL)),
    (LOG, re.compile(r"sessions/[^/]*/[^/]*\.jsonl", re.DOTALL)),
    (CONFIGURATION, re.compile(r"config\.yaml")),
)


@dataclass(frozen=True)
class HomeFile:
    """A file with units: its kind, its path relative to the home, where it is, and its size in bytes."""

    kind: str
    path: str
    place: Path
    size: int


def home_files(home: Path) -> list[HomeFile]:
    """The home's files by kind in the order of the stream, within a kind by path."""
    found = []
    for path, place in _regular(home, "", 2):
        kind = next((kind for kind, pattern in _KINDS if pattern.fullmatch(path)), None)
        if kind is not None and _is_unicode(path):
            found.append(HomeFile(kind, path, place, place.stat().st_size))
    order = (LOG, MARKDOWN, JSON, CONFIGURATION)
    return sorted(found, key=lambda file: (order.index(file.kind), file.path))


def _regular(folder: Path, prefix: str, levels: int) -> Iterator[tuple[str, Path]]:
    """Regular files at most so many folders down."""
    with os.scandir(folder) as listing:
        for entry in listing:
            if entry.is_dir(follow_symlinks=False):
                if levels:
                    yield from _regular(folder / entry.name, f"{prefix}{entry.name}/", levels - 1)
            elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                yield prefix + entry.name, folder / entry.name


def _is_unicode(path: str) -> bool:
    """Whether a record can name the file: a name that is not UTF-8 cannot be written."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
