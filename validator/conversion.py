"""Converts a source in place of a capture: a private copy is made and the built-in converter runs on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from validator.capture import TargetError, copy
from validator.converter import Request, convert
from validator.descriptor import load
from validator.descriptor.shape import Shape
from validator.replay.runs import snapshot as snapshot_of


def converted(
    target: str, format_id: str | None, snapshot: str | None, namespace: str | None, after: str | None
) -> Iterator[bytes]:
    """Yield the record stream of a source; the source itself is never opened.

    Raises ``TargetError``, ``DescriptorError`` and ``ConversionError``.
    """
    path = Path(target)
    if not path.exists():
        raise TargetError(f"{target}: no such file; name a store such as state.db")
    descriptor = load()
    shape = descriptor.shape(format_id or descriptor.shapes[0].format)
    private = Path(tempfile.mkdtemp(prefix="validator-"))
    try:
        root, names = _files(path, shape)
        position = snapshot or snapshot_of(root, names)
        copied = copy(root, names, private / "source")
        yield from convert(Request(shape.format, copied / path.name, position, namespace, after))
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _files(path: Path, shape: Shape) -> tuple[Path, tuple[str, ...]]:
    if path.is_dir():
        raise TargetError(f"{path.name}: a folder; name the store in it, such as state.db")
    beside = (path.name + suffix for suffix in shape.companions)
    return path.parent, (path.name, *(name for name in beside if (path.parent / name).is_file()))
