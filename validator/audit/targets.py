"""Finds out what the target of an audit is, fetches a release where it is one, and reads its layout.

A target is a store, a home, a capture, a source tree, a wheel, an sdist, or ``PACKAGE==VERSION``. Hands on ``Target``
values; what lies in place is never opened there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from validator.audit.child import ChildError, in_child
from validator.audit.layout import Layout
from validator.audit.members import TreeError, read_tree
from validator.audit.source import read_source
from validator.audit.stores import read_store
from validator.audit.transport import from_document, to_document
from validator.audit.vocabulary import Vocabulary
from validator.capture import Capture, CaptureError, TargetError, copy, find, verify
from validator.census import StoreError
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape
from validator.sources import is_format_file, looks_like, matches

REQUIREMENT = re.compile(r"(?P<package>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==(?P<version>[A-Za-z0-9][\w.!+-]*)")
ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
FETCH_SECONDS = 600


class UnreadableError(Exception):
    """A target from which no layout can be read: exit code 3."""


@dataclass(frozen=True)
class Target:
    """What was read of a target."""

    name: str
    """The requirement, or the last part of the path."""
    package: str | None
    version: str | None
    layouts: tuple[tuple[str, Layout], ...]
    """The layouts by where each was read: the path of a store in its home, or the source."""


def read_target(target: str, descriptor: Descriptor, shape: Shape, vocabulary: Vocabulary) -> Target:
    """Read a target; raises ``TargetError`` (wrong usage) and ``UnreadableError``."""
    path = Path(target)
    requirement = REQUIREMENT.fullmatch(target)
    if requirement and not path.exists():
        with _private() as folder:
            wheel = fetch(target, folder)
            read = _source(wheel, shape, vocabulary)
        return Target(target, requirement["package"], requirement["version"], read.layouts)
    if not path.exists():
        raise TargetError(
            f"{target}: no such file or folder, and no PACKAGE==VERSION; "
            "name a store, a home, a capture, a source tree, a wheel, an sdist or a release"
        )
    if path.is_dir() and not _holds_stores(path, descriptor):
        return _source(path, shape, vocabulary)
    if path.is_file() and path.name.endswith(ARCHIVES):
        return _source(path, shape, vocabulary)
    if path.is_file() and not (is_format_file(path.name, descriptor) or looks_like(path, descriptor)):
        raise TargetError(f"{path.name}: neither a store nor a wheel or sdist; name one of these")
    return _stores(target, descriptor, shape, vocabulary)


def fetch(requirement: str, folder: Path) -> Path:
    """Download the wheel of a release, and nothing else, into a private folder; raises ``UnreadableError``.

    Wheels only: to download an sdist, pip runs its build script.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input",
               "--disable-pip-version-check", "--quiet", "--dest", str(folder), requirement]  # fmt: skip
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=FETCH_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        raise UnreadableError(f"{requirement}: pip did not finish; download the wheel yourself and name it") from None
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = next((line for line in reversed(said) if line.startswith("ERROR")), "ERROR: pip gave no wheel")
        raise UnreadableError(
            f"{requirement}: no wheel could be fetched ({reason.removeprefix('ERROR: ')[:200]}); "
            "check the version, or download the release yourself and name the file"
        )
    return wheels[0]


def _source(path: Path, shape: Shape, vocabulary: Vocabulary) -> Target:
    """Read an archive or a tree in a child process: it is a stranger's."""

    def read() -> dict[str, Any]:
        try:
            tree = read_tree(path)
            layout = read_source(tree, shape, vocabulary)
        except TreeError as error:
            return {"problem": str(error)}
        return {"package": tree.package, "version": tree.version, "layout": to_document(layout)}

    try:
        document = in_child(read)
    except ChildError as error:
        raise UnreadableError(f"{path.name}: {error}; it is damaged or hostile") from None
    if "problem" in document:
        raise UnreadableError(f"{path.name}: {document['problem']}")
    layout = from_document(document["layout"])
    named = re.match(r"(?P<package>[A-Za-z0-9_.]+?)-(?P<version>\d[\w.!+]*)(?:-|\.tar|\.zip|\.tgz)", path.name)
    package = document["package"] or (named["package"] if named else None)
    version = document["version"] or (named["version"] if named else None)
    return Target(path.name or path.resolve().name, package, version, (("source", layout),))


def _holds_stores(path: Path, descriptor: Descriptor) -> bool:
    """Whether a folder is a capture or a home: a tree of source is neither, even where a store lies about in it."""
    if (path / "capture.json").is_file() or any(path.glob("*/capture.json")):
        return True
    if any((path / name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg", "PKG-INFO")):
        return False
    inside = (entry.relative_to(path).as_posix() for pattern in ("*", "*/*", "*/*/*") for entry in path.glob(pattern))
    return any(is_format_file(name, descriptor) for name in inside)


def _stores(target: str, descriptor: Descriptor, shape: Shape, vocabulary: Vocabulary) -> Target:
    """Read every store of a capture, a home or a bare store from private copies."""
    found = find([target], descriptor)
    if len(found) != 1:
        raise TargetError(f"{target}: a folder of captures; audit them one by one")
    capture = found[0]
    try:
        if capture.problem:
            raise UnreadableError(f"{capture.id}: {capture.problem}")
        if capture.manifest is not None:
            verify(capture.folder, capture.manifest)
        layouts = tuple(_layouts(capture, shape, descriptor, vocabulary))
    except (CaptureError, StoreError) as error:
        raise UnreadableError(f"{capture.id}: {error}") from None
    if not layouts:
        raise UnreadableError(f"{capture.id}: holds no store of {shape.format}")
    manifest = capture.manifest or {}
    return Target(capture.id, manifest.get("package"), manifest.get("version"), layouts)


def _layouts(
    capture: Capture, shape: Shape, descriptor: Descriptor, vocabulary: Vocabulary
) -> Iterator[tuple[str, Layout]]:
    bare = capture.id if capture.manifest is None and capture.id in capture.paths else None
    for path in capture.paths:
        if path != bare and not any(matches(path, pattern) for pattern, _ in shape.files):
            continue
        beside = [path + suffix for suffix in shape.companions if path + suffix in capture.paths]
        with _private() as folder:
            copied = copy(capture.root, [path, *beside], folder / "store")
            yield path, read_store(copied / path, shape, vocabulary)


@contextmanager
def _private() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="validator-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
