"""Finds the captures that a command's targets name.

A target is a capture folder, a folder of captures, a bare store, or a producer's home. Hands on
``Capture`` values: where the native files are and which they are; a manifest is read, not yet verified.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from validator.capture.manifest import MANIFEST, CaptureError, read_manifest
from validator.descriptor import Descriptor, descriptors_root
from validator.sources import is_format_file, looks_like


class TargetError(Exception):
    """A target that names nothing that can be checked: wrong usage, exit code 2."""


@dataclass(frozen=True)
class Capture:
    """What is to be checked: native files under a root, with a manifest or without one."""

    id: str
    folder: Path
    """The capture folder; for a bare store or home, the folder that is its root."""
    root: Path
    """Where the native files are."""
    paths: tuple[str, ...]
    """The native files, relative to the root, sorted; ``/`` between the parts."""
    manifest: dict[str, Any] | None = None
    problem: str | None = None
    """Why it cannot be used at all, when that is known already."""
    links: tuple[str, ...] = field(default=())
    """Symbolic links and other irregular files that were found under the root; never followed."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of files under the root, as far as they are known already."""

    @property
    def installation(self) -> str | None:
        """The persisted namespace of the installation, where the manifest keeps one."""
        return self.manifest.get("installation") if self.manifest else None


def shipped() -> Path:
    """The captures that ship: the folder beside the package in a checkout."""
    return descriptors_root().parent / "captures"


def constructed() -> Path:
    """The constructed captures: the folder among the tests of a checkout; an installation has none."""
    return descriptors_root().parent / "tests" / "constructed"


def find(targets: Sequence[str], descriptor: Descriptor) -> list[Capture]:
    """Return the captures that targets name, in order; without a target, those that ship.

    Raises ``TargetError`` for a path that does not exist.
    """
    if not targets:
        if not shipped().is_dir():
            raise TargetError("no captures ship with this installation; name a capture, a store or a home")
        targets = [str(shipped())]
    found: list[Capture] = []
    for target in targets:
        path = Path(target)
        if not target or not path.exists():
            raise TargetError(f"{target or 'an empty name'}: no such file or folder; name a capture, a store or a home")
        found.extend(_captures(path, descriptor))
    return found


def _captures(path: Path, descriptor: Descriptor) -> list[Capture]:
    if not path.is_dir():
        return [_bare_store(path, descriptor)]
    if (path / MANIFEST).exists():
        return [_capture_folder(path)]
    regular, links = walk(path)
    if any(is_format_file(name, descriptor) for name in regular):
        return [Capture(_name(path), path, path, tuple(regular), links=tuple(links))]
    inside = sorted(entry for entry in path.iterdir() if (entry / MANIFEST).exists())
    if inside:
        return [_capture_folder(folder) for folder in inside]
    problem = "neither a capture (no capture.json), nor a folder of captures, nor a home (no state.db)"
    return [Capture(_name(path), path, path, (), problem=f"{problem}; point at one of these")]


def _name(path: Path) -> str:
    return path.name or path.resolve().name or "home"


def _bare_store(path: Path, descriptor: Descriptor) -> Capture:
    known = is_format_file(path.name, descriptor) or looks_like(path, descriptor)
    problem = None if known else "not a store that the descriptor knows; point at a state.db, a capture or a home"
    suffixes = [suffix for shape in descriptor.shapes for suffix in shape.companions]
    beside = [path.name + suffix for suffix in suffixes if path.with_name(path.name + suffix).is_file()]
    return Capture(path.name, path.parent, path.parent, tuple(sorted([path.name, *beside])), problem=problem)


def _capture_folder(folder: Path) -> Capture:
    try:
        manifest = read_manifest(folder)
    except CaptureError as error:
        return Capture(_name(folder), folder, folder, (), problem=str(error))
    root = manifest["root"]
    listed = [entry["path"] for entry in manifest["files"]]
    inside = sorted(path[len(root) + 1 :] for path in listed if path.startswith(root + "/"))
    return Capture(manifest["id"], folder, folder / root, tuple(inside), manifest)


def walk(folder: Path) -> tuple[list[str], list[str]]:
    """List the regular files under a folder, and apart from them links and irregular files; both sorted."""
    regular: list[str] = []
    other: list[str] = []
    for path, mode in _entries(folder, ""):
        (regular if stat.S_ISREG(mode) else other).append(path)
    return sorted(regular), sorted(other)


def _entries(folder: Path, prefix: str) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as listing:
        for entry in listing:
            name = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(folder / entry.name, name + "/")
            else:
                yield name, entry.stat(follow_symlinks=False).st_mode
