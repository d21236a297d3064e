"""Converts a source in place of a capture: a private copy is made and the built-in converter runs on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from validator.capture import TargetError, copy
from validator.capture.targets import walk
from validator.converter import Request, convert
from validator.descriptor import Descriptor, load
from validator.descriptor.shape import Shape
from validator.replay.runs import snapshot as snapshot_of
from validator.sources import identify


def converted(
    target: str, format_id: str | None, snapshot: str | None, namespace: str | None, after: str | None
) -> Iterator[bytes]:
    """Yield the record stream of a source; the source itself is never opened.

    Raises ``TargetError``, ``DescriptorError`` and ``ConversionError``.
    """
    path = Path(target)
    if not path.exists():
        raise TargetError(f"{target}: no such file or folder; name a store such as state.db, or a home")
    descriptor = load()
    shape = descriptor.shape(format_id) if format_id else _shape_for(path, descriptor)
    root, names, source = _home_files(path, shape, descriptor) if shape.kinds else _store_files(path, shape)
    private = Path(tempfile.mkdtemp(prefix="validator-"))
    try:
        copied = copy(root, names, private / "source")
        position = snapshot or snapshot_of(copied, names)
        yield from convert(Request(shape.format, copied / source, position, namespace, after))
    finally:
        shutil.rmtree(private, ignore_errors=True)


Files = tuple[Path, tuple[str, ...], str]
"""A root, the files below it that are copied, and what of the copy is the source."""


def _shape_for(path: Path, descriptor: Descriptor) -> Shape:
    """Return the first format whose source is a folder, or is a file."""
    return next(shape for shape in descriptor.shapes if bool(shape.kinds) == path.is_dir())


def _store_files(path: Path, shape: Shape) -> Files:
    if path.is_dir():
        raise TargetError(f"{path.name}: a folder; name the store in it, such as state.db")
    beside = (path.name + suffix for suffix in shape.companions)
    return path.parent, (path.name, *(name for name in beside if (path.parent / name).is_file())), path.name


def _home_files(path: Path, shape: Shape, descriptor: Descriptor) -> Files:
    if not path.is_dir():
        raise TargetError(f"{path.name}: not a folder; name the home whose files are to be converted")
    sources = identify(walk(path)[0], descriptor)
    names = tuple(source.path for source in sources if source.kind is not None and not source.home)
    if not any(source.path in names and source.kind and source.kind.alone is None for source in sources):
        raise TargetError(
            f"{path.name}: a folder without a file of {shape.format}; name the store in it, such as state.db"
        )
    return path, names, "."
