"""Replays one capture through a converter and hands on what both witnesses and the claims say.

The order is fixed: the capture is verified, its sources are identified, the census counts every native unit from
one private copy, and then the converter is run on another and its records are read; of a large store both go on at
once, each on its own copy.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from validator.capture import Capture, CaptureError, copy, verify
from validator.capture.live import copy_live
from validator.census import Store
from validator.claims import Claim, NoticeRule
from validator.claims.run import Outcome, note
from validator.claims.run import run as run_claims
from validator.descriptor import Descriptor
from validator.replay.again import Again, Rerun, resume, twice
from validator.replay.converters import Converter
from validator.replay.feed import Failure
from validator.replay.options import Options
from validator.replay.runs import NamespaceError, Run, plan, snapshot
from validator.replay.sums import (
    Conservation,
    Gap,
    Notice,
    conservation,
    conservation_by_source,
    distinct_streams,
    gaps,
    link_units,
    notices,
)
from validator.replay.witnesses import Asked, Witnesses, load_witnesses
from validator.sources import Source, identify
from validator.stream.ingest import SchemaError
from validator.workbench import out_of_space

__all__ = ["Converter", "NamespaceError", "Options", "Replay", "replay", "snapshot"]


@dataclass
class Replay:
    """What the replay of one capture gave. ``problem`` says in one line why something could not be done."""

    capture: Capture
    sources: list[Source] = field(default_factory=list)
    unusable: bool = False
    misused: bool = False
    """Whether it could not be judged as it was given."""
    failures: list[Failure] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    conservation: Conservation | None = None
    by_source: dict[int, Conservation] = field(default_factory=dict)
    """The sums of each source that holds units, by its place among ``sources``, from 1."""
    streams: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    schema_errors: list[tuple[Run, SchemaError]] = field(default_factory=list)
    broken_lines: int = 0
    reruns: list[Rerun] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    converters: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    stores: dict[int, Store] = field(default_factory=dict)
    """The census's stores by run, open while ``describe`` looks on."""
    findings: list[dict[str, Any]] = field(default_factory=list)
    spools: dict[int, Path] = field(default_factory=dict)
    """For each run the lines that its converter wrote; they are there as long as the workbench is."""


def replay(
    capture: Capture,
    descriptor: Descriptor,
    claims: Sequence[Claim],
    rules: Sequence[NoticeRule],
    options: Options,
    describe: Callable[[sqlite3.Connection, Replay], None] | None = None,
) -> Replay:
    """Replay one capture. ``describe`` may look into the workbench before it goes.

    Raises ``NamespaceError`` (wrong usage of this capture) and ``DescriptorError`` (wrong configuration); every fault
    of the capture or the converter is in what is returned.
    """
    result = Replay(capture)
    if not _usable(capture, result):
        return result
    result.sources = identify(capture.paths, descriptor, bare=_bare(capture), links=capture.links)
    with _private_folder() as private:
        try:
            capture = _settled(capture, result.sources, descriptor, private)
            runs = plan(capture, result.sources, descriptor)
            for name in options.only:
                descriptor.shape(name)  # raises for a format that there is not
            if options.only:
                runs = [run for run in runs if run.format in options.only]
            asked = Asked(claims, rules)
            with load_witnesses(capture, result.sources, runs, descriptor, options, private, asked) as (bench, loaded):
                _take(loaded, result)
                if not result.failures:
                    _rerun(capture, descriptor, options, result, private)
                _judge(bench, asked, loaded, result)
                if describe is not None:
                    describe(bench, result)
        except CaptureError as error:
            result.unusable = True
            result.problems.append(str(error))
        except sqlite3.Error as error:
            if not out_of_space(error):
                raise
            result.unusable = True
            result.problems.append(f"the workbench cannot be written: {error}; free some disk space, or set TMPDIR")
        except OSError as error:
            name = Path(error.filename).name if isinstance(error.filename, str) else "a file"
            result.unusable = True
            result.problems.append(f"{name}: {error.strerror}; is it being changed? Try again when the agent rests")
    return result


def _usable(capture: Capture, result: Replay) -> bool:
    problem = capture.problem
    if problem is None and capture.manifest is not None:
        try:
            verify(capture.folder, capture.manifest)
        except CaptureError as error:
            problem = str(error)
        except OSError as error:
            problem = f"{Path(str(error.filename)).name}: {error.strerror}; make it readable"
    if problem is not None:
        result.unusable = True
        result.problems.append(problem)
    return problem is None


def _bare(capture: Capture) -> str | None:
    """The store that a bare target names: the one file whose name alone would not tell."""
    return capture.id if capture.manifest is None and capture.id in capture.paths else None


def _settled(capture: Capture, sources: list[Source], descriptor: Descriptor, private: Path) -> Capture:
    """Return a capture whose files stand still: of a live home or store, one copy for all that reads it."""
    if capture.manifest is not None:
        return capture
    into = private / "settled"
    into.mkdir()
    copy(capture.root, [source.path for source in sources if source.kind is not None], into)
    first: dict[tuple[int, int], Path] = {}
    digests: dict[str, str] = {}
    for source in sources:
        shape = next((shape for shape in descriptor.shapes if shape.tables and shape.format == source.format), None)
        if shape is None or source.owner is not None or source.status != "identified":
            continue
        status = (capture.root / source.path).lstat()
        target = into / source.path
        same = first.setdefault((status.st_dev, status.st_ino), target)
        if same is target:
            companions = [source.path + suffix for suffix in shape.companions]
            digests |= copy_live(capture.root, source.path, companions, into)
        else:  # one store under two names stays one
            target.parent.mkdir(parents=True, exist_ok=True)
            target.hardlink_to(same)
    return replace(capture, root=into, digests=digests)


@contextmanager
def _private_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="validator-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _take(loaded: Witnesses, result: Replay) -> None:
    """Take over what loading the witnesses gave."""
    result.runs, result.stores = loaded.runs, loaded.stores
    for problem in loaded.unreadable:
        result.unusable = True
        result.problems.append(problem)
    for run in loaded.runs:
        if not run.known and run.number in loaded.stores:
            result.problems.append(_strange(run, loaded.stores[run.number]))
        fed = loaded.fed[run.number]
        result.spools[run.number] = fed.spool
        result.broken_lines += fed.broken_lines
        result.schema_errors.extend((run, error) for error in fed.schema_errors)
        result.streams += fed.streams
        if fed.converter and fed.converter not in result.converters:
            result.converters.append(fed.converter)
        if fed.failure is not None:
            result.failures.append(fed.failure)
            result.problems.append(f"{run.source}: {fed.failure.message}")


def _rerun(capture: Capture, descriptor: Descriptor, options: Options, result: Replay, private: Path) -> None:
    """Run the converter again, as far as that is wanted."""
    wanted = [rerun for rerun, is_wanted in ((twice, options.twice), (resume, options.resume)) if is_wanted]
    for run in result.runs:
        folder = private / f"again-{run.number}"
        again = Again(capture, run, options.converter, options.engine, descriptor, folder)
        for rerun in wanted:
            found = rerun(again, result.spools[run.number])
            result.reruns.append(found)
            if found.failure is not None:
                result.failures.append(found.failure)
                result.problems.append(f"{run.source}: {found.failure.message}")
        shutil.rmtree(folder, ignore_errors=True)


def _strange(run: Run, store: Store) -> str:
    if not store.tables and store.logged and not any(path.endswith("-wal") for path in run.paths):
        return f"{run.source}: no table, but it keeps a write-ahead log: capture {run.source}-wal with it"
    return f"{run.source}: has none of the tables of {run.format}; name a store of that format"


def _judge(bench: sqlite3.Connection, asked: Asked, loaded: Witnesses, result: Replay) -> None:
    link_units(bench)
    formats = {run.format for run in result.runs}
    judged = () if result.failures else asked.claims
    if loaded.answers is None:
        note(bench, asked.rules)
    result.outcomes = run_claims(bench, judged, formats, loaded.answers or dict)
    result.conservation = conservation(bench)
    result.by_source = _by_source(bench, result)
    if len(result.runs) > 1:
        result.streams = distinct_streams(bench)
    result.gaps = gaps(bench)
    result.notices = notices(bench)
    result.tables = _tables(bench)


def _by_source(bench: sqlite3.Connection, result: Replay) -> dict[int, Conservation]:
    """Return the sums by the number of the source."""
    assert result.conservation is not None
    if len(result.runs) == 1 and result.runs[0].source_number is not None:
        return {result.runs[0].source_number: result.conservation}
    return conservation_by_source(bench)


def _tables(bench: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = bench.execute(
        "SELECT r.source, t.tab, t.class, t.reason, t.units, t.unreadable FROM native_table AS t JOIN native_run AS r "
        "USING (run) ORDER BY r.source, t.tab"
    )
    return [
        {"source": source, "table": tab, "class": kind, "reason": reason, "units": units, "unreadable": unreadable}
        for source, tab, kind, reason, units, unreadable in rows
    ]
