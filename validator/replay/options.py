"""How to replay: which converter, which namespaces, which schema engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from validator.replay.converters import Converter


@dataclass(frozen=True)
class Options:
    """How to replay."""

    converter: Converter
    namespaces: Mapping[str | None, str] = field(default_factory=dict)
    """Namespaces for stores that hold none: by source, or under None for the only such store."""
    engine: str = "auto"
    """Which schema engine reads the lines: ``rust``, ``python``, or the faster one that is there."""
    rollback: bool = False
    """Whether ``describe`` changes records and takes the changes back."""
    only: frozenset[str] = frozenset()
    """The formats that are replayed; none means all."""
    progress: Callable[[int], None] | None = None
    """Is told of every batch of record lines how many they were."""
    twice: bool = False
    """Whether every converter runs a second time, which must give the same bytes."""
    resume: bool = False
    """Whether a converter that says ``after`` runs from positions on, which must give exactly the rest."""
