"""The audit: what a version of the producer changes against the native shape, and which claims that touches.

``audit`` reads a target (a store, a home, a capture, source, or a release), compares its layout with the shape or with
another version, and hands on an ``Audit``. Nothing of the target is run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from validator.audit.compare import Drift, compare
from validator.audit.expected import of_layout, of_shape
from validator.audit.layout import Layout
from validator.audit.targets import REQUIREMENT, Target, UnreadableError, read_target
from validator.audit.touched import Touched
from validator.audit.vocabulary import Vocabulary, load_vocabulary
from validator.capture import TargetError
from validator.claims import load as load_claims
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape

__all__ = ["Audit", "Drift", "UnreadableError", "as_document", "audit", "shape_of"]

VERSION = "0.1"


@dataclass(frozen=True)
class Audit:
    """What an audit found."""

    target: Target
    against: str
    """What the target was compared with, in words."""
    drift: tuple[Drift, ...]
    unread: tuple[str, ...]
    shape: Shape
    vocabulary: Vocabulary
    damaged: bool = False
    """Whether a part of a store could not be read."""


def audit(target: str, descriptor: Descriptor, since: str | None = None) -> Audit:
    """Audit a target against the native shape, or against an older version.

    Raises ``TargetError`` for wrong usage and ``UnreadableError`` where a layout cannot be read.
    """
    shape = shape_of(descriptor)
    vocabulary = load_vocabulary(descriptor, shape.format)
    touched = Touched(shape, load_claims(descriptor))
    read = read_target(target, descriptor, shape, vocabulary)
    older = read_target(_older(since, read, shape), descriptor, shape, vocabulary) if since else None
    against = ""
    drift: list[Drift] = []
    for _, layout in read.layouts:
        if older is None:
            expected = of_shape(shape, vocabulary, layout, read.package)
        else:
            expected = of_layout(_same_ground(older, layout), older.name)
        against = expected.of
        drift.extend(found for found in compare(layout, expected, shape, vocabulary, touched) if found not in drift)
    unread = tuple(
        f"{where}: {line}" if where != "source" else line for where, it in read.layouts for line in it.unread
    )
    damaged = any(it.unread for where, it in read.layouts if where != "source")
    return Audit(read, against, tuple(drift), unread, shape, vocabulary, damaged)


def shape_of(descriptor: Descriptor) -> Shape:
    """Return the shape of the descriptor's format of tables; ``TargetError`` where it has none."""
    for shape in descriptor.shapes:
        if shape.tables:
            return shape
    raise TargetError(f"{descriptor.name} has no format of tables; there is nothing to audit")


def _older(since: str, target: Target, shape: Shape) -> str:
    """Return the older target that ``--since`` names: a version alone is one of the target's own package."""
    if Path(since).exists() or REQUIREMENT.fullmatch(since):
        return since
    packages = [str(release["package"]) for release in shape.releases]
    package = target.package or (packages[0] if packages else None)
    requirement = f"{package}=={since}"
    if package is None or not REQUIREMENT.fullmatch(requirement):
        raise TargetError(f"--since {since}: no version; name one such as 0.19.0, a release, or a path")
    return requirement


def _same_ground(older: Target, layout: Layout) -> Layout:
    """Return the older layout; a store has not all tables of its version, so that none of them is missed."""
    first = older.layouts[0][1]
    return first if layout.whole else replace(first, whole=False)


def as_document(found: Audit) -> dict[str, Any]:
    """Return an audit as its JSON document (schema ``audit``)."""
    return {
        "schema": VERSION,
        "target": found.target.name,
        "version": found.target.version,
        "layout": next((layout.version for _, layout in found.target.layouts), None),
        "against": found.against,
        "drift": [
            {
                "class": drift.level,
                "kind": drift.kind,
                "change": drift.change,
                "name": drift.name,
                "detail": drift.detail,
                "claims": list(drift.claims),
            }
            for drift in found.drift
        ],
        "unread": list(found.unread),
    }
