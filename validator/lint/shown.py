"""Looks through captures for what the native shapes describe: which tables, columns and files has no capture shown?

Every store and every file with units is copied and read once. Hands on one fault for each table or kind of file that is
nowhere, and for each table one for the columns that are nowhere and one for those that are empty everywhere.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from validator import workbench as workbench_station
from validator.capture import Capture, CaptureError, copy
from validator.census import Files, StoreError
from validator.census.store import identifier, open_store, tables
from validator.descriptor import Descriptor
from validator.descriptor.kinds import Facet, FileKind
from validator.descriptor.shape import Shape, Table
from validator.lint.fault import NOTICE, Fault
from validator.replay.runs import Run, plan
from validator.sources import identify

MOST_NAMES = 12
"""Columns that one message names."""

Place = tuple[str, str, str]
"""Format, table and column."""


@dataclass
class Seen:
    """What captures have shown."""

    captures: int = 0
    unread: list[str] = field(default_factory=list)
    """Captures of which a store could not be read."""
    there: set[tuple[str, str]] = field(default_factory=set)
    """Format and table of every table that is in some store."""
    columns: set[Place] = field(default_factory=set)
    filled: set[Place] = field(default_factory=set)
    """Columns that hold something in some row."""
    rows: set[tuple[str, str]] = field(default_factory=set)
    """Format and table of every table that has a row somewhere."""


def look(captures: Sequence[Capture], descriptor: Descriptor) -> Seen:
    """Read the stores of captures of the descriptor's producer."""
    seen = Seen()
    for capture in captures:
        if capture.problem is not None:
            seen.unread.append(capture.id)
            continue
        if capture.manifest is not None and capture.manifest["producer"] != descriptor.name:
            continue
        seen.captures += 1
        private = Path(tempfile.mkdtemp(prefix="validator-"))
        try:
            _look(capture, descriptor, private, seen)
        except (CaptureError, StoreError, sqlite3.Error):
            seen.unread.append(capture.id)
        finally:
            shutil.rmtree(private, ignore_errors=True)
    return seen


def _look(capture: Capture, descriptor: Descriptor, private: Path, seen: Seen) -> None:
    sources = identify(capture.paths, descriptor)
    for source in sources:
        if source.kind is not None and source.format is not None:
            seen.there.add((source.format, source.kind.name))
    for run in plan(capture, sources, descriptor):
        folder = copy(capture.root, run.paths, private / str(run.number))
        if run.files:
            _files(folder / run.source, run, seen)
        else:
            _store(folder / run.source, run.shape, seen)


def _store(path: Path, shape: Shape, seen: Seen) -> None:
    store = open_store(path)
    try:
        for table in tables(store, shape):
            if table.spec is None or not table.columns:
                continue
            seen.there.add((shape.format, table.name))
            seen.columns.update((shape.format, table.name, column) for column in table.columns)
            counts = ", ".join(f"count({identifier(column)})" for column in table.columns)
            row = store.execute(f"SELECT count(*), {counts} FROM {identifier(table.name)}").fetchone()
            _counted((shape.format, table.name), table.columns, row, seen)
    finally:
        store.close()


def _files(home: Path, run: Run, seen: Seen) -> None:
    bench = workbench_station.create(None, [run.shape])
    try:
        Files(home, run.shape, run.files).load(bench, run.number)
        for kind in run.shape.kinds:
            for name, table, entity, facets in _units(kind):
                columns = [facet.name for facet in facets]
                counts = "".join(f", count(t.{identifier(column)})" for column in columns)
                source = f"native_unit AS u JOIN {table} AS t USING (unit) WHERE u.tab = ? AND u.etype = ?"
                row = bench.execute(f"SELECT count(*){counts} FROM {source}", (kind.name, entity)).fetchone()
                _counted((run.shape.format, name), columns, row, seen)
    finally:
        bench.close()


def _units(kind: FileKind) -> Iterator[tuple[str, str, str, tuple[Facet, ...]]]:
    """The kinds of units of a kind of file: name, workbench table, entity, and what is taken from each."""
    if kind.workbench is not None:
        yield kind.name, kind.workbench, kind.entity, kind.facets
    for line in kind.lines:
        yield f"{kind.name}/{line.name}", line.workbench, line.entity, line.facets


def _counted(unit: tuple[str, str], columns: Sequence[str], row: Sequence[int], seen: Seen) -> None:
    if row[0]:
        seen.rows.add(unit)
    seen.filled.update((*unit, column) for column, count in zip(columns, row[1:], strict=True) if count)


def not_shown(seen: Seen, shapes: dict[str, Shape], level: str) -> Iterator[Fault]:
    """Yield what the shapes (by file) describe and no capture has shown; ``level`` is that of what should be there."""
    for file, shape in shapes.items():
        for index, table in enumerate(shape.tables):
            yield from _table(f"/tables/{index}", file, shape, table, seen, level)
        for index, kind in enumerate(shape.kinds):
            yield from _kind(f"/kinds/{index}", file, shape, kind, seen, level)
    for capture in seen.unread:
        yield Fault(
            "formats", None, "capture-unread", f"the capture {capture} could not be read, and shows nothing here",
            "see what validator check says of it", NOTICE,
        )  # fmt: skip


def _table(at: str, file: str, shape: Shape, table: Table, seen: Seen, level: str) -> Iterator[Fault]:
    documented = [column.name for column in table.columns if not isinstance(column.since, int)]
    if documented:
        yield Fault(
            file, at, "source-only",
            f"{table.name}: {_some(documented)} known from the producer's source only; no capture shows them",
            "capture a release that writes them, and name the layout in since", NOTICE,
        )  # fmt: skip
    released = [column.name for column in table.columns if isinstance(column.since, int)]
    if not released:
        return
    if (shape.format, table.name) not in seen.there:
        yield Fault(
            file, at, "not-shown", f"{table.name}: no capture has this table",
            "capture a run that makes it, or say that only the source shows it", level,
        )  # fmt: skip
        return
    absent = [name for name in released if (shape.format, table.name, name) not in seen.columns]
    if absent:
        yield Fault(
            file, f"{at}/columns", "not-shown", f"{table.name}: no capture has {_some(absent)}",
            "capture a release that has them, or take them out", level,
        )  # fmt: skip
    yield from _empty(at, file, shape, table, seen, [name for name in released if name not in absent])


def _empty(at: str, file: str, shape: Shape, table: Table, seen: Seen, there: list[str]) -> Iterator[Fault]:
    if (shape.format, table.name) not in seen.rows:
        yield Fault(
            file, at, "never-filled", f"{table.name}: no capture has a row in it",
            "capture a run that writes one; until then nothing about its rows is observed", NOTICE,
        )  # fmt: skip
        return
    empty = [name for name in there if (shape.format, table.name, name) not in seen.filled]
    if empty:
        yield Fault(
            file, f"{at}/columns", "never-filled", f"{table.name}: {_some(empty)} NULL in every row of every capture",
            "capture a run that fills them; until then nothing about their values is observed", NOTICE,
        )  # fmt: skip


def _kind(at: str, file: str, shape: Shape, kind: FileKind, seen: Seen, level: str) -> Iterator[Fault]:
    """What no capture has shown of a kind of file, of its kinds of lines, and of what is taken from each."""
    since = shape.document["kinds"][int(at.rpartition("/")[2])].get("since")
    if (shape.format, kind.name) not in seen.there:
        if isinstance(since, int):
            message = f"{kind.name}: no capture has such a file"
            yield Fault(file, at, "not-shown", message, "capture a run that writes one", level)
        else:
            yield Fault(
                file, at, "source-only", f"{kind.name} is known from the format's document only; no capture shows it",
                "capture a run that writes one; until then it is validated on constructed files only", NOTICE,
            )  # fmt: skip
        return
    for name, _, _, facets in _units(kind):
        if (shape.format, name) not in seen.rows:
            continue  # a file that is no unit where it is alone
        empty = [
            f"{facet.name} ({facet.pointer})"
            for facet in facets
            if facet.pointer is not None and (shape.format, name, facet.name) not in seen.filled
        ]
        if empty:
            yield Fault(
                file, at, "never-filled", f"{name}: {_some(empty)} absent from every file of every capture",
                "capture a run that writes them; until then nothing about their values is observed", NOTICE,
            )  # fmt: skip


def _some(names: list[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "") + (
        " are" if len(names) > 1 else " is"
    )  # fmt: skip
