"""Plans the runs of a converter: one for each store of a capture, with its namespace and its snapshot."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from validator.capture import Capture
from validator.capture.manifest import digest_of
from validator.census import Store
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
    """One run of a converter over one store."""

    number: int
    shape: Shape
    source: str
    source_number: int
    paths: tuple[str, ...]
    """The store and the files that belong to it, relative to the root."""
    snapshot: str
    bytes: int
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

    def write(self, bench: sqlite3.Connection) -> None:
        """Write the run's facts into the workbench."""
        bench.execute(
            "INSERT INTO native_run VALUES (?, ?, ?, ?, ?, ?)",
            (self.number, self.format, self.source, self.snapshot, self.namespace, self.basis),
        )
        bench.execute("UPDATE native_source SET run = ? WHERE source = ?", (self.number, self.source_number))


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


def snapshot(root: Path, paths: tuple[str, ...]) -> str:
    """Return the position of current state: the digest over files sorted by path.

    Each counts as its SHA-256 in hexadecimal, two spaces, its path relative to the root, LF.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{digest_of(root / path)}  ".encode() + path.encode("utf-8", "surrogateescape") + b"\n")
    return f"sha256:{digest.hexdigest()}"


def plan(capture: Capture, sources: list[Source], descriptor: Descriptor) -> list[Run]:
    """Return the runs that a capture needs, in path order; one physical store under two names runs once."""
    runs: list[Run] = []
    seen: set[tuple[int, int]] = set()
    for number, source in enumerate(sources, 1):
        if source.format is None or source.owner is not None or source.status != "identified":
            continue
        shape = next((shape for shape in descriptor.shapes if shape.format == source.format), None)
        if shape is None or shape.reader != "sqlite-table":
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
        runs.append(
            Run(len(runs) + 1, shape, source.path, number, paths, snapshot(capture.root, paths), size)
        )
    return runs
