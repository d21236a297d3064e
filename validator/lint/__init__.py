"""The lint: a descriptor, its native shapes, its claims and its evidence, against their schemas and each other.

``lint`` reads descriptors' folders as they are, however broken, and hands on one document of plain data (schema
``lint``): every fault with its file, its place and its remedy. It runs no converter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from validator.capture import Capture, find
from validator.capture.targets import shipped
from validator.descriptor import Descriptor, DescriptorError, available, folder_of, load
from validator.descriptor.shape import Shape
from validator.lint import claims as claims_part
from validator.lint import references, shapes, shown
from validator.lint.documents import DESCRIPTOR, Documents, read
from validator.lint.fault import ERROR, NOTICE, Fault

LINT_VERSION = "0.1"


@dataclass
class _Course:
    """What becomes of one descriptor."""

    documents: Documents
    faults: list[Fault] = field(default_factory=list)
    captures: int = 0

    @property
    def name(self) -> str:
        """The producer's name; that of the folder where the descriptor does not say it."""
        name = (self.documents.descriptor or {}).get("name")
        return name[:200] if isinstance(name, str) else self.documents.folder.name


def lint(targets: Sequence[str], captures: Sequence[str] = (), *, strict: bool = False) -> dict[str, Any]:
    """Lint descriptors, by name, alias or path; without a target all that ship.

    ``captures``: where to look for what the shapes describe; without any, those that ship, if they do. ``strict``
    makes an error of what no capture has shown. Raises ``DescriptorError`` for a target that is none, and
    ``TargetError`` for captures that are none.
    """
    folders = [folder_of(target) for target in targets or available()]
    if not folders:
        raise DescriptorError("no descriptor ships with this installation; name the folder of one")
    courses = [_Course(read(folder)) for folder in folders]
    for course in courses:
        course.faults.extend(_faults(course.documents))
    _names(courses)
    for course in courses:
        _look_at_captures(course, captures, strict)
    return _document(courses)


def _faults(documents: Documents) -> Iterator[Fault]:
    yield from documents.faults
    document = documents.descriptor
    if document is None:
        return
    yield from references.nowhere(document)
    yield from references.items(document)
    yield from references.destinations(document)
    yield from shapes.formats(document, documents.shapes)
    if documents.sources is not None:
        yield from shapes.sources(documents.sources, document)
    families = _families(document)
    for file, shape in documents.shapes.items():
        yield from shapes.shape(file, shape, families)
    descriptor = _loaded(documents)
    yield from references.beyond(document, descriptor.shapes if descriptor else ())
    if descriptor is None:
        yield Fault(
            DESCRIPTOR, None, "claims-not-read", "the claims were not read, because files beside them are broken",
            "mend what is broken, and lint again", NOTICE,
        )  # fmt: skip
    else:
        yield from claims_part.claims(descriptor)
        yield from claims_part.notices(descriptor)
        if documents.page is not None:
            yield from claims_part.page(descriptor, documents.page)


def _families(document: dict[str, Any]) -> set[str]:
    positions = document.get("positions")
    listed = [entry for entry in positions if isinstance(entry, dict)] if isinstance(positions, list) else []
    return {family for entry in listed if isinstance(family := entry.get("family"), str)}


def _loaded(documents: Documents) -> Descriptor | None:
    """The descriptor as the other stations load it, or None where they refuse it."""
    if not documents.sound:
        return None
    try:
        return load(str(documents.folder))
    except DescriptorError:
        return None


def _names(courses: list[_Course]) -> None:
    """Hold the names and aliases of all descriptors against each other, and against those of other producers that ship.

    A descriptor of a producer that ships is another edition of that one.
    """
    linted = {course.name for course in courses}
    others = [read(folder_of(name)) for name in available() if name not in linted]
    known = others + [course.documents for course in courses]
    found = references.names(
        [documents.descriptor or {} for documents in known], [documents.folder.name for documents in known]
    )
    for number, fault in found:
        if number >= len(others):
            courses[number - len(others)].faults.append(fault)


def _look_at_captures(course: _Course, targets: Sequence[str], strict: bool) -> None:
    descriptor = _loaded(course.documents)
    if descriptor is None:
        return
    captures: list[Capture] = []
    if targets or shipped().is_dir():
        captures = find(targets, descriptor)
    seen = shown.look(captures, descriptor)
    course.captures = seen.captures
    if not seen.captures:
        message = "there is no capture of this producer: nothing has shown its shapes"
        level = ERROR if strict else NOTICE
        course.faults.append(
            Fault("formats", None, "no-captures", message, "name captures with --captures", level)
        )
        return
    by_file: dict[str, Shape] = {}
    for file, shape in course.documents.shapes.items():
        by_file[file] = descriptor.shape(shape["format"])
    course.faults.extend(shown.not_shown(seen, by_file, ERROR if strict else NOTICE))


def _document(courses: list[_Course]) -> dict[str, Any]:
    totals = {
        f"{level}s": sum(fault.level == level for course in courses for fault in course.faults)
        for level in (ERROR, NOTICE)
    }
    return {
        "lint": LINT_VERSION,
        "exit": 1 if totals["errors"] else 0,
        "descriptors": [
            {
                "descriptor": course.name,
                "captures": course.captures,
                "faults": [fault.entry() for fault in sorted(course.faults, key=_order)],
            }
            for course in courses
        ],
        "totals": totals,
    }


def _order(fault: Fault) -> tuple[Any, ...]:
    """By level, then file, then place with indices as numbers."""
    place = [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in (fault.place or "").split("/")]
    return (fault.level != ERROR, fault.file, place, fault.code, fault.message)
