"""Makes a capture of a live store or home: its files in one consistent state, and a namespace that persists.

Only files of the descriptor's formats are taken, and what is asked for: a home also holds keys. Hands on the manifest.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from validator.capture import Capture, CaptureError, TargetError, copy, find
from validator.capture.live import copy_live
from validator.capture.manifest import read_manifest
from validator.capture.new import Manifest, write_capture
from validator.census import Store, StoreError
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape
from validator.sources import Source, identify, matches


@dataclass(frozen=True)
class Request:
    """What a capture is to be made of, and what its manifest is to say."""

    source: str
    dest: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Members of the manifest that are known: id, package, version, revision, date, made, scope, limitations."""
    installation: str | None = None
    continues: str | None = None
    """A capture whose namespace this one goes on with."""
    include: Sequence[str] = ()
    """Patterns of files to take although no format describes them."""
    exclude: Sequence[str] = ()


def take(request: Request, descriptor: Descriptor) -> Manifest:
    """Make a capture; raises ``TargetError`` and ``CaptureError``."""
    capture = _source(request.source, descriptor)
    dest = Path(request.dest)
    bare = capture.id if capture.id in capture.paths else None
    if bare is None and capture.root.resolve() in [dest.resolve(), *dest.resolve().parents]:
        raise TargetError(f"{dest.name}: inside what is to be captured; name a folder outside it")
    sources = identify(capture.paths, descriptor, bare=bare)
    groups, others, omitted = _chosen(sources, descriptor, request)
    if not groups and not others:
        raise TargetError(f"{request.source}: holds no file that the descriptor's formats describe")
    with TemporaryDirectory(prefix="validator-") as private:
        taken = Path(private) / "taken"
        paths: list[str] = []
        for store, _, companions in groups:
            paths.extend(copy_live(capture.root, store, companions, taken))
        if others:
            copy(capture.root, others, Path(private) / "others")
            shutil.copytree(Path(private) / "others", taken, dirs_exist_ok=True)
            paths.extend(others)
        renamed = _renamed(paths, descriptor, capture)
        own = [_namespace(taken, store, shape, Path(private)) for store, shape, _ in groups]
        fields = _fields(request, descriptor, sorted(renamed.values()), omitted)
        installation = _installation(request, own)
        if installation is not None:
            fields["installation"] = installation

        def fill(root: Path) -> Iterator[str]:
            for path, name in renamed.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(taken / path, root / name)
                yield name

        return write_capture(dest, fields, fill)


def _source(source: str, descriptor: Descriptor) -> Capture:
    found = find([source], descriptor)
    if len(found) != 1 or found[0].manifest is not None:
        raise TargetError(f"{source}: a capture, or a folder of captures; name a live store or home")
    if found[0].problem:
        raise TargetError(f"{source}: {found[0].problem}")
    return found[0]


Group = tuple[str, Shape, list[str]]
"""A store, its shape, and the files that may belong to it."""


def _chosen(
    sources: list[Source], descriptor: Descriptor, request: Request
) -> tuple[list[Group], list[str], list[str]]:
    """Return the stores to take, the other files to take, and what is left out."""
    groups: list[Group] = []
    others: list[str] = []
    omitted: list[str] = []
    for source in sources:
        shape = next((shape for shape in descriptor.shapes if shape.format == source.format), None)
        named = any(matches(source.path, pattern) for pattern in request.include)
        if any(matches(source.path, pattern) for pattern in request.exclude):
            omitted.append(source.path)
        elif source.owner is not None:
            if shape is not None and source.path.endswith(shape.scratch):
                omitted.append(source.path)
        elif shape is not None and shape.tables and source.kind is None and not source.reason:
            groups.append((source.path, shape, [source.path + suffix for suffix in shape.companions]))
        elif named or (source.kind is not None and source.kind.alone is None):
            others.append(source.path)
        else:
            omitted.append(source.path)
    return groups, others, omitted


def _renamed(paths: list[str], descriptor: Descriptor, capture: Capture) -> dict[str, str]:
    """Return the names of files in the capture: a bare store gets the name that its format gives it."""
    known = [pattern for shape in descriptor.shapes for pattern, _ in shape.files if "*" not in pattern]
    bare = capture.id
    if bare not in paths or not known or any(matches(bare, pattern) for pattern in known):
        return {path: path for path in paths}
    return {path: known[0] + path.removeprefix(bare) if path.startswith(bare) else path for path in paths}


def _namespace(taken: Path, store: str, shape: Shape, private: Path) -> str | None:
    """Return the namespace that a store holds itself, looked up in a copy of the copy."""
    beside = [store + suffix for suffix in shape.companions if (taken / (store + suffix)).is_file()]
    with TemporaryDirectory(dir=private) as folder:
        copied = copy(taken, [store, *beside], Path(folder) / "store")
        try:
            opened = Store(copied / store, shape)
        except StoreError as error:
            raise CaptureError(f"{store}: {error}") from None
        try:
            return opened.namespace()
        finally:
            opened.close()


def _installation(request: Request, own: list[str | None]) -> str | None:
    """Return the namespace to keep with the capture, for stores that hold none; a new one where none is given."""
    given = request.installation
    if request.continues is not None:
        before = read_manifest(Path(request.continues)).get("installation")
        if given is not None and before != given:
            raise TargetError(f"--installation {given!r} conflicts with that of {request.continues}; give one of them")
        if before is None and None in own:
            raise TargetError(f"{request.continues}: keeps no namespace; give it with --installation VALUE")
        given = before
    if None not in own:
        if request.installation is not None and own and request.installation not in own:
            raise TargetError(f"--installation {given!r} conflicts with the store's own namespace; leave it out")
        return None
    return given or str(uuid.uuid4())


def _fields(request: Request, descriptor: Descriptor, paths: list[str], omitted: list[str]) -> dict[str, Any]:
    """Return the manifest's members: what was given, and for the rest what can be said without asking."""
    made = {"by": "agent", "scenario": "snapshot", "about": "a snapshot of files in use", "through": "not recorded"}
    made.update(request.fields.get("made", {}))
    companions = tuple(suffix for shape in descriptor.shapes for suffix in shape.companions)
    described = [path for path in paths if not companions or not path.endswith(companions)]
    fields = {
        "id": Path(request.dest).name or Path(request.dest).resolve().name,
        "producer": descriptor.name,
        "package": None,
        "version": None,
        "revision": None,
        "date": datetime.now(UTC).date().isoformat(),
        "scope": f"{', '.join(described)}; {made['about']}.",
        "limitations": "A snapshot of what was there; what was not used before it is not shown.",
        "omitted": omitted,
    }
    return {**fields, **{name: value for name, value in request.fields.items() if value is not None}, "made": made}
