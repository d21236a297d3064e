"""Sources: what each file under a capture's root is.

Every file is identified by a format (a ``-wal`` or ``-journal`` belongs to its store), known or excluded
by a rule of the descriptor with its reason, or unidentified. Unidentified files are listed and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape


@dataclass(frozen=True)
class Source:
    """A file, and what it was taken for."""

    path: str
    format: str | None
    status: str
    """``identified``, ``excluded`` or ``unidentified``."""
    reason: str | None = None
    owner: str | None = None
    """The file that this one belongs to, such as the store of a ``-wal``."""


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Compile a path pattern: ``*`` stays within a folder, ``**/`` is any folders or none, ``/**`` all below."""
    out = []
    rest = pattern
    while rest:
        if rest.startswith("**/"):
            out.append("(?:.*/)?")
            rest = rest[3:]
        elif rest.startswith("**"):
            out.append(".*")
            rest = rest[2:]
        elif rest[0] == "*":
            out.append("[^/]*")
            rest = rest[1:]
        else:
            out.append(re.escape(rest[0]))
            rest = rest[1:]
    return re.compile("".join(out), re.DOTALL)


def matches(path: str, pattern: str) -> bool:
    """Whether a relative path is one that a pattern names."""
    return _pattern(pattern).fullmatch(path) is not None


def is_format_file(path: str, descriptor: Descriptor) -> bool:
    """Whether a file's path is one where some format keeps its units."""
    return any(matches(path, pattern) for shape in descriptor.shapes for pattern, _ in shape.files)


def looks_like(path: Path, descriptor: Descriptor) -> bool:
    """Whether a file of any name has the content of some format."""
    contents = {content for shape in descriptor.shapes for _, content in shape.files}
    if "sqlite" not in contents:
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def identify(paths: Iterable[str], descriptor: Descriptor, bare: str | None = None) -> list[Source]:
    """Say of each path what it is, sorted by path; ``bare`` names a store whose own name does not count."""
    known = sorted(paths)
    owners = {path: shape.format for path in known if (shape := _shape_of(path, descriptor, bare))}
    return [_identify(path, owners, descriptor) for path in known]


def _shape_of(path: str, descriptor: Descriptor, bare: str | None) -> Shape | None:
    for shape in descriptor.shapes:
        for pattern, content in shape.files:
            if matches(path, pattern) or (path == bare and content == "sqlite"):
                return shape
    return None


def _identify(path: str, owners: dict[str, str], descriptor: Descriptor) -> Source:
    if path in owners:
        return Source(path, owners[path], "identified")
    for shape in descriptor.shapes:
        for suffix in (*shape.companions, *shape.scratch):
            owner = path.removesuffix(suffix)
            if owner != path and owners.get(owner) == shape.format:
                return Source(path, shape.format, "identified", owner=owner)
    for rule in descriptor.file_rules:
        if matches(path, rule.pattern):
            return Source(path, rule.format, rule.status, rule.reason)
    return Source(path, None, "unidentified")
