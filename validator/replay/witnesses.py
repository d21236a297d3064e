"""Loads both witnesses of a capture into the workbench: every source's native units, and the converter's records.

Small captures are loaded in this process, one witness after the other. Of a large store the native side and the
converter run in processes of their own while this one reads the records.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from validator import workbench as workbench_station
from validator.capture import Capture, copy
from validator.census import Files, NativeFile, Store, StoreError, load_facts
from validator.claims import Claim, NoticeRule
from validator.claims.native import Request as NativeRequest
from validator.converter import Request
from validator.descriptor import Descriptor
from validator.replay.apart import BuiltInApart, NativeApart
from validator.replay.converters import BuiltIn, Converter
from validator.replay.feed import Fed, feed
from validator.replay.options import Options
from validator.replay.runs import NamespaceError, Run, shared_namespace
from validator.sources import Source

IN_MEMORY = 16 * 2**20
"""Sources up to this many bytes are judged in a workbench in memory, in one process."""


@dataclass(frozen=True)
class Asked:
    """What is asked of the workbench."""

    claims: Sequence[Claim]
    rules: Sequence[NoticeRule]


@dataclass
class Witnesses:
    """What was loaded: the runs with their stores or files, what each converter gave, and what could not be read."""

    runs: list[Run] = field(default_factory=list)
    stores: dict[int, Store] = field(default_factory=dict)
    files: dict[int, Files] = field(default_factory=dict)
    fed: dict[int, Fed] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    answers: Callable[[], dict[str, int]] | None = None
    """Where the native side is asked elsewhere: writes down what the notice rules found, and returns how many subjects
    claims have, as far as that is known there."""


@contextmanager
def load_witnesses(
    capture: Capture,
    sources: list[Source],
    runs: list[Run],
    descriptor: Descriptor,
    options: Options,
    private: Path,
    asked: Asked,
) -> Iterator[tuple[sqlite3.Connection, Witnesses]]:
    """Give a workbench with both witnesses in it; it and the private copies last as long as the context.

    ``asked`` is what will be asked: of a large store the native side is asked while it is loaded.
    """
    with ExitStack() as stack:
        loaded = Witnesses()
        stores = [run for run in runs if not run.files]
        for run in stores:
            _open(run, capture, options, loaded, private, stack, alone=len(stores) == 1)
        for run in runs:
            if run.files:
                _open_home(run, capture, options, loaded, private)
        large = sum(run.bytes for run in loaded.runs) > IN_MEMORY
        if large and len(loaded.runs) == len(loaded.stores) == 1 and not options.rollback:
            yield _load_apart(capture, sources, descriptor, options, private, loaded, asked, stack), loaded
        else:
            yield _load_in_turn(capture, sources, descriptor, options, private, loaded, large, stack), loaded


def _open(
    run: Run,
    capture: Capture,
    options: Options,
    loaded: Witnesses,
    private: Path,
    stack: ExitStack,
    alone: bool,
) -> None:
    """Open the census's private copy of a store and settle its namespace."""
    folder = private / f"census-{run.number}"
    copy(capture.root, run.paths, folder)
    try:
        store = Store(folder / run.source, run.shape)
    except StoreError as error:
        loaded.unreadable.append(f"{run.source}: {error}")
        return
    stack.callback(store.close)
    run.resolve(store, capture, options.namespaces, alone=alone)
    shared_namespace(run, loaded.runs)
    loaded.runs.append(run)
    loaded.stores[run.number] = store


def _open_home(run: Run, capture: Capture, options: Options, loaded: Witnesses, private: Path) -> None:
    """Make the census's private copy of a home's files and settle their namespace."""
    if not run.resolve_home(loaded.runs, capture, options.namespaces):
        if loaded.unreadable:  # then the store that may hold one is the fault
            loaded.unreadable.append(f"{run.source}: no namespace for its files; give one with --namespace VALUE")
            return
        raise NamespaceError(
            f"{capture.id}: {run.source} has files and no store with a namespace for them; "
            "give the installation's persisted one with --namespace VALUE"
        )
    shared_namespace(run, loaded.runs)
    folder = private / f"census-{run.number}"
    copy(capture.root, run.paths, folder)
    loaded.runs.append(run)
    loaded.files[run.number] = Files(folder / run.source, run.shape, run.files)


def _load_in_turn(
    capture: Capture,
    sources: list[Source],
    descriptor: Descriptor,
    options: Options,
    private: Path,
    loaded: Witnesses,
    large: bool,
    stack: ExitStack,
) -> sqlite3.Connection:
    path = private / "workbench.db" if large else None
    bench = workbench_station.create(path, descriptor.shapes, rollback=options.rollback)
    stack.callback(bench.close)
    for run in loaded.runs:
        if run.source_number is None:
            loaded.files[run.number].load(bench, run.number)
        else:
            loaded.stores[run.number].load(bench, run.number, run.source_number)
    workbench_station.index_native(bench, [run.shape for run in loaded.runs])
    _facts(bench, capture, descriptor, sources, loaded.runs, private)
    for run in loaded.runs:
        loaded.fed[run.number] = _fed(bench, run, options.converter, capture, descriptor, options, private)
    return bench


def _load_apart(
    capture: Capture,
    sources: list[Source],
    descriptor: Descriptor,
    options: Options,
    private: Path,
    loaded: Witnesses,
    asked: Asked,
    stack: ExitStack,
) -> sqlite3.Connection:
    (run,) = loaded.runs
    path, noted = private / "native.db", private / "noted.db"
    native = workbench_station.create(path, descriptor.shapes, parts=(workbench_station.NATIVE,))
    _facts(native, capture, descriptor, sources, loaded.runs, private)
    native.close()
    store = loaded.stores[run.number]
    copied = private / f"census-{run.number}" / run.source
    claims = tuple(claim for claim in asked.claims if run.format in claim.formats)
    assert run.source_number is not None
    apart = NativeApart(
        NativeRequest(
            run.shape, copied, path, noted, run.number, run.source_number, store.log, tuple(asked.rules), claims
        )
    )
    stack.callback(apart.close)
    bench = workbench_station.create(private / "workbench.db", (), parts=(workbench_station.RECORD,))
    stack.callback(bench.close)
    converter: Converter = BuiltInApart() if isinstance(options.converter, BuiltIn) else options.converter
    foreseen = store.first_units()
    loaded.fed[run.number] = _fed(bench, run, converter, capture, descriptor, options, private, foreseen)
    loaded.answers = dict
    try:
        apart.attach(bench)
        loaded.answers = partial(apart.answers, bench)
    except StoreError as error:
        loaded.unreadable.append(f"{run.source}: {error}")
    return bench


def _fed(
    bench: sqlite3.Connection,
    run: Run,
    converter: Converter,
    capture: Capture,
    descriptor: Descriptor,
    options: Options,
    private: Path,
    foreseen: Mapping[str, int] | None = None,
) -> Fed:
    """Run a converter on a private copy of its own, that lasts as long as the run, and load its records."""
    folder = private / f"run-{run.number}"
    folder.mkdir()
    copied = copy(capture.root, run.paths, folder / "source")
    request = Request(run.format, copied / run.source, run.snapshot, run.given)
    lines = converter.lines(request, folder)
    fed = feed(bench, run, lines, options.engine, descriptor, folder, options.progress, foreseen)
    shutil.rmtree(folder / "source", ignore_errors=True)
    return fed


def _facts(
    bench: sqlite3.Connection,
    capture: Capture,
    descriptor: Descriptor,
    sources: list[Source],
    runs: list[Run],
    private: Path,
) -> None:
    """Write what is known of the capture, its sources and its runs."""
    manifest: dict[str, Any] = capture.manifest or {}
    bench.execute("BEGIN")
    bench.execute(
        "INSERT INTO native_capture VALUES (?, ?, ?, ?, ?, ?, ?)",
        (capture.id, descriptor.name, ",".join(descriptor.aliases), manifest.get("package"), manifest.get("version"),
         capture.installation, manifest.get("root")),
    )  # fmt: skip
    bench.executemany(
        "INSERT INTO native_source VALUES (?, NULL, ?, ?, ?, ?, ?, ?, ?)",
        [
            (number, _name(s.path), s.format, s.status, s.reason, s.priority and json.dumps(s.priority), _name(s.home),
             _name(s.inside))
            for number, s in enumerate(sources, 1)
        ],
    )  # fmt: skip
    bench.executemany(
        "INSERT INTO native_destination VALUES (?, ?)",
        [(name, schema.get("type", "any")) for name, schema in sorted(descriptor.destinations.items())],
    )
    _priorities(bench, descriptor)
    units = {file.number for run in runs for file in run.files}
    for number, source in enumerate(sources, 1):
        if source.kind is not None and source.kind.facts and source.format is not None:
            place = copy(capture.root, [source.path], private / "facts") / source.path
            file = NativeFile(number, source.inside, source.kind)
            load_facts(bench, file, place, descriptor.shape(source.format), number in units)
    for run in runs:
        run.write(bench)
    bench.execute("COMMIT")


def _name(path: str) -> str:
    """Return a path as it can be written; a name that is not UTF-8 is shown with its bytes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _priorities(bench: sqlite3.Connection, descriptor: Descriptor) -> None:
    """Write what the formats' documents say of the worth of each entity type."""
    found = {}
    for shape in descriptor.shapes:
        for kind in shape.kinds:
            of_lines = [(line.entity, line.priority) for line in kind.lines]
            for entity, priority in of_lines if kind.lines else [(kind.entity, kind.priority)]:
                if priority is not None:
                    found[shape.format, entity] = priority["signal"], priority["noise"]
    bench.executemany("INSERT INTO native_priority VALUES (?, ?, ?, ?)", [(*key, *found[key]) for key in sorted(found)])
