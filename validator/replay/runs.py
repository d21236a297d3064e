"""Plans the runs of a converter: one for each store of a capture, and one for the files of each home.

Each has its namespace and its snapshot.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from validator.capture import Capture
from validator.capture.manifest import digest_of
from validator.census import NativeFile, Store
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape
from validator.sources import Source
from validator.stream.columns import KeyRule

INSTALLATION = "installation"
"""The basis of a namespace that the store does not hold."""


class NamespaceError(Exception):
    """A namespace is missing or conflicts: wrong usage, exit code 2."""


@dataclass
class Run:
    """One run of a converter: over one store, or over the files of one home."""

    number: int
    shape: Shape
    source: str
    """What the converter reads, relative to the root: the store, or the home (``.`` for the root itself)."""
    source_number: int | None
    """The store's number among the sources; None for a home."""
    paths: tuple[str, ...]
    """The store and the files that belong to it, or the files of the home, relative to the root."""
    snapshot: str
    bytes: int
    home: str = ""
    """The home that the source lies in or is, relative to the root: empty for the root itself."""
    files: tuple[NativeFile, ...] = ()
    """For a home: its files."""
    namespace: str | None = None
    basis: str | None = None
    given: str | None = None
    """The namespace that the converter must be told, because the store does not hold it."""
    known: bool = False
    keys: dict[str, KeyRule] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The id of the run's format."""
        return self.shape.format

    def resolve(self, store: Store, capture: Capture, namespaces: Mapping[str | None, str], alone: bool) -> None:
        """Settle the namespace and the keys from the opened store; raises ``NamespaceError``.

        ``alone``: there is no other store that a namespace without a source could be meant for.
        """
        own = store.namespace()
        given = namespaces.get(self.source, namespaces.get(None))
        persisted = own or capture.installation or given
        if persisted is None:
            raise NamespaceError(
                f"{capture.id}: {self.source} holds no namespace of its own; "
                "give the installation's persisted one with --namespace VALUE"
            )
        if given is not None and given != persisted and (own is None or alone or self.source in namespaces):
            holder = "the store's own" if own else "the capture's"
            raise NamespaceError(
                f"{capture.id}: --namespace {given!r} conflicts with {holder} namespace {persisted!r} "
                f"({self.source}); leave --namespace out"
            )
        self.namespace = persisted
        self.basis = "store-instance-id" if own else INSTALLATION
        self.given = None if own else persisted
        self.known = store.known
        self.keys = {table.name: KeyRule(table.keys) for table in store.tables if table.kind != "derived"}

    def resolve_home(self, stores: Sequence[Run], capture: Capture, namespaces: Mapping[str | None, str]) -> bool:
        """Settle the namespace of a home's files: that of its store, else the installation's.

        Returns whether there is one; ``stores`` are the runs whose namespace is settled.
        """
        own = next((run.namespace for run in stores if not run.files and run.home == self.home), None)
        meant = namespaces.get(self.source)
        self.namespace = self.given = own or meant or capture.installation or namespaces.get(None)
        self.basis = INSTALLATION
        self.known = True
        return self.namespace is not None

    def write(self, bench: sqlite3.Connection) -> None:
        """Write the run's facts into the workbench."""
        bench.execute(
            "INSERT INTO native_run VALUES (?, ?, ?, ?, ?, ?)",
            (self.number, self.format, self.source, self.snapshot, self.namespace, self.basis),
        )
        numbers = [file.number for file in self.files] if self.source_number is None else [self.source_number]
        bench.executemany(
            "UPDATE native_source SET run = ? WHERE source = ?", [(self.number, number) for number in numbers]
        )


def shared_namespace(run: Run, others: Sequence[Run]) -> None:
    """Raise ``NamespaceError`` where two stores would share a namespace that neither of them holds."""
    for other in others:
        if other.format != run.format or {run.basis, other.basis} != {INSTALLATION}:
            continue
        if other.namespace == run.namespace:
            raise NamespaceError(
                f"{other.source} and {run.source} hold no namespace of their own, and session ids of two stores must "
                f"not mix; give each its own: --namespace {other.source}=VALUE --namespace {run.source}=VALUE"
            )


def snapshot(root: Path, paths: tuple[str, ...], known: Mapping[str, str] | None = None) -> str:
    """Return the position of current state: the digest over files sorted by path.

    Each counts as its SHA-256 in hexadecimal, two spaces, its path relative to the root, LF. ``known`` are those that
    need not be taken again.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        of_file = (known or {}).get(path) or digest_of(root / path)
        digest.update(f"{of_file}  ".encode() + path.encode("utf-8", "surrogateescape") + b"\n")
    return f"sha256:{digest.hexdigest()}"


def plan(capture: Capture, sources: list[Source], descriptor: Descriptor) -> list[Run]:
    """Return the runs that a capture needs: its stores in path order, then the files of its homes.

    One physical store under two names runs once.
    """
    runs: list[Run] = []
    seen: set[tuple[int, int]] = set()
    for number, source in enumerate(sources, 1):
        if source.kind is not None or source.owner is not None or source.status != "identified":
            continue
        shape = next((shape for shape in descriptor.shapes if shape.format == source.format), None)
        if shape is None or not shape.tables:
            continue
        status = (capture.root / source.path).stat()
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        companions = [
            other.path
            for other in sources
            if other.owner == source.path and other.path.endswith(shape.companions)
        ]
        paths = tuple(sorted([source.path, *companions]))
        size = sum((capture.root / path).stat().st_size for path in paths)
        position = snapshot(capture.root, paths, capture.digests)
        runs.append(
            Run(len(runs) + 1, shape, source.path, number, paths, position, size, source.home)
        )
    for shape in descriptor.shapes:
        for home, files in _homes(sources, shape.format).items():
            paths = tuple(f"{home}/{file.path}" if home else file.path for file in files)
            size = sum((capture.root / path).stat().st_size for path in paths)
            position = snapshot(capture.root, paths)
            runs.append(Run(len(runs) + 1, shape, home or ".", None, paths, position, size, home, tuple(files)))
    return runs


def _homes(sources: list[Source], format_id: str) -> dict[str, list[NativeFile]]:
    """Return by home the files with units of a format, of the homes that hold more than what is no unit alone."""
    homes: dict[str, list[NativeFile]] = {}
    for number, source in enumerate(sources, 1):
        if source.kind is not None and source.format == format_id:
            homes.setdefault(source.home, []).append(NativeFile(number, source.inside, source.kind))
    return {
        home: files for home, files in sorted(homes.items()) if any(file.kind.alone is None for file in files)
    }
