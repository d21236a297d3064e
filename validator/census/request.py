"""Says what a census in a process of its own is to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from validator.descriptor.shape import Shape


@dataclass(frozen=True)
class Request:
    """A store of which a census is to be taken."""

    shape: Shape
    """That of the store."""
    shapes: tuple[Shape, ...]
    """All of the descriptor, for the tables that they add to the workbench."""
    store: Path
    workbench: Path
    """A file to make."""
    run: int
    source: int
    log: tuple[str, str | None] | None
    """The notice that its write-ahead log deserves; the log is used up by looking."""
