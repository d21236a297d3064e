"""Sources: what each file under a capture's root is.

Every file is identified by a format (a ``-wal`` or ``-journal`` belongs to its store), known or excluded
by a rule of the descriptor with its reason, or unidentified. Unidentified files are listed and counted. The root may
hold homes within the home: kinds of files and rules hold in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from validator.descriptor import Descriptor, FileRule
from validator.descriptor.kinds import FileKind
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
    home: str = ""
    """The home that it lies in, relative to the root: empty for the root itself."""
    kind: FileKind | None = None
    """Of a file that is a unit, or whose lines are: its kind."""
    priority: dict[str, Any] | None = None
    """How much of it is worth extracting, where the format's document says so."""

    @property
    def inside(self) -> str:
        """The path relative to its home."""
        return self.path[len(self.home) + 1 :] if self.home else self.path


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
    if any(matches(path, pattern) for shape in descriptor.shapes for pattern, _ in shape.files):
        return True
    kind = _kind_of(_inside(path, _home_of(path, descriptor)), descriptor)
    return kind is not None and kind[1].alone is None


def looks_like(path: Path, descriptor: Descriptor) -> bool:
    """Whether a file of any name has the content of some format."""
    contents = {content for shape in descriptor.shapes for _, content in shape.files}
    if "sqlite" not in contents:
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def identify(
    paths: Iterable[str], descriptor: Descriptor, bare: str | None = None, links: Iterable[str] = ()
) -> list[Source]:
    """Say of each path what it is, sorted by path; ``bare`` names a store whose own name does not count.

    ``links`` are what is no plain file, and is never read.
    """
    known = sorted(paths)
    owners = {path: shape.format for path in known if (shape := _shape_of(path, descriptor, bare))}
    found = [_identify(path, owners, descriptor) for path in known]
    found += [_link(path, descriptor) for path in links]
    used = {(source.format, source.home) for source in found if source.kind and source.kind.alone is None}
    return sorted((_alone(source, used) for source in found), key=lambda source: source.path)


def _shape_of(path: str, descriptor: Descriptor, bare: str | None) -> Shape | None:
    for shape in descriptor.shapes:
        for pattern, content in shape.files:
            if matches(path, pattern) or (path == bare and content == "sqlite"):
                return shape
    return None


def _home_of(path: str, descriptor: Descriptor) -> str:
    """Return the innermost home that a path lies in."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        folder = "/".join(parts[:length])
        if any(matches(folder, pattern) for pattern in descriptor.homes):
            return folder
    return ""


def _inside(path: str, home: str) -> str:
    return path[len(home) + 1 :] if home else path


def _kind_of(inside: str, descriptor: Descriptor) -> tuple[Shape, FileKind] | None:
    for shape in descriptor.shapes:
        for kind in shape.kinds:
            if any(matches(inside, pattern) for pattern in kind.patterns):
                return shape, kind
    return None


def _identify(path: str, owners: dict[str, str], descriptor: Descriptor) -> Source:
    home = _home_of(path, descriptor)
    if path in owners:
        return Source(path, owners[path], "identified", home=home)
    for shape in descriptor.shapes:
        for suffix in (*shape.companions, *shape.scratch):
            owner = path.removesuffix(suffix)
            if owner != path and owners.get(owner) == shape.format:
                return Source(path, shape.format, "identified", owner=owner, home=home)
    if (found := _kind_of(_inside(path, home), descriptor)) is not None:
        if not _is_unicode(path):
            return Source(path, None, "unidentified", "its name is not UTF-8, so no record can name it", home=home)
        shape, kind = found
        return Source(path, shape.format, "identified", home=home, kind=kind, priority=kind.priority)
    if (rule := _rule_of(path, home, descriptor)) is not None:
        return Source(path, rule.format, rule.status, rule.reason, home=home, priority=rule.priority)
    return Source(path, None, "unidentified", home=home)


def _link(path: str, descriptor: Descriptor) -> Source:
    home = _home_of(path, descriptor)
    rule = _rule_of(path, home, descriptor)
    if rule is not None and rule.status == "excluded":
        return Source(path, None, "excluded", rule.reason, home=home, priority=rule.priority)
    return Source(path, None, "unidentified", "a link or no regular file: never followed or read", home=home)


def _rule_of(path: str, home: str, descriptor: Descriptor) -> FileRule | None:
    inside = _inside(path, home)
    return next((rule for rule in descriptor.file_rules if matches(inside, rule.pattern)), None)


def _alone(source: Source, used: set[tuple[str | None, str]]) -> Source:
    """Take a file that is no unit by itself for what it is in a home that has nothing else."""
    if source.kind is None or source.kind.alone is None or (source.format, source.home) in used:
        return source
    return replace(source, reason=source.kind.alone)


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
