"""Judges captures one after the other, or on any executor: processes of this machine, or a cluster's.

Hands on what each capture gave, in the order of the captures, whichever was done first. A worker is sent the paths of
captures, not their files: it must see the same folders.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from validator import claims as claims_station
from validator.capture import Capture
from validator.descriptor import Descriptor, load
from validator.replay import NamespaceError, Options, Replay, replay
from validator.report import capture_report, converter_name
from validator.report.findings import describe

MOST_AT_ONCE = 16
"""Captures that are sent to a worker together at most."""

ROUNDS = 8
"""How many portions each worker gets at least, so that none is left with much when the others are done."""

DASK = "dask:"


class JobsError(Exception):
    """Workers that cannot be had, or that died: wrong usage or configuration, exit code 2."""


@dataclass(frozen=True)
class Job:
    """How captures are judged."""

    descriptor: str
    """The descriptor's folder."""
    options: Options
    fail_on: str = "error"
    findings: Path | None = None
    """The folder in which all findings of each capture are kept."""


@dataclass(frozen=True)
class Judged:
    """What one capture gave."""

    entry: dict[str, Any]
    """Its entry of the report, with the converter's name beside the entry's own members."""
    seconds: float
    """Wall-clock time; not for reports, which hold no duration."""


Tell = Callable[[Judged, int, int], None]
"""Is told of each capture, in order, and how many of how many are done."""


def judge(capture: Capture, descriptor: Descriptor, job: Job, number: int = 0) -> Judged:
    """Replay and judge one capture, here; ``number`` is its place among all, from 0."""
    started = time.monotonic()
    options = job.options

    def look(bench: Any, result: Replay) -> None:
        describe(bench, result)
        if job.findings is not None:
            from validator.report.all_findings import keep

            keep(findings_file(job.findings, number), bench, result, descriptor, options.engine)

    rules = claims_station.load_notices(descriptor)
    try:
        result = replay(capture, descriptor, claims_station.load(descriptor), rules, options, look)
    except NamespaceError as error:
        result = Replay(capture, misused=True, problems=[str(error)])
    entry = capture_report(result, descriptor, job.fail_on)
    entry["converter"] = converter_name(result)
    return Judged(entry, time.monotonic() - started)


def findings_file(folder: Path, number: int) -> Path:
    """Return where all findings of a capture are kept."""
    return folder / f"findings-{number}.jsonl"


def judge_all(
    captures: Sequence[Capture], job: Job, executor: Executor | None = None, tell: Tell | None = None
) -> list[Judged]:
    """Judge captures, on an executor where one is given; raises ``JobsError`` where its workers die."""
    judged: list[Judged] = []
    for portion in _here(captures, job) if executor is None else _elsewhere(captures, job, executor):
        for one in portion:
            judged.append(one)
            if tell is not None:
                tell(one, len(judged), len(captures))
    return judged


def _here(captures: Sequence[Capture], job: Job) -> Iterator[list[Judged]]:
    descriptor = load(job.descriptor)
    for number, capture in enumerate(captures):
        yield [judge(capture, descriptor, job, number)]


def _elsewhere(captures: Sequence[Capture], job: Job, executor: Executor) -> Iterator[list[Judged]]:
    """Send the captures out in portions and wait for them in order."""
    sent = replace(job, options=replace(job.options, progress=None))
    size = max(1, min(MOST_AT_ONCE, len(captures) // (_workers(executor) * ROUNDS)))
    task = partial(_portion, sent)
    portions = [
        [(at, _absolute(captures[at])) for at in range(start, min(start + size, len(captures)))]
        for start in range(0, len(captures), size)
    ]
    futures: list[Future[list[Judged]]] = [executor.submit(task, portion) for portion in portions]
    try:
        for future in futures:
            yield future.result()
    except Exception as error:
        # The second is distributed's, which need not be installed.
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            raise JobsError("a worker died, perhaps for want of memory; try fewer --jobs") from None
        raise
    finally:
        for future in futures:
            future.cancel()


def _portion(job: Job, captures: Sequence[tuple[int, Capture]]) -> list[Judged]:
    """What a worker does; whatever it needs beside its arguments it reads, once, from its own disk."""
    descriptor = load(job.descriptor)
    return [judge(capture, descriptor, job, number) for number, capture in captures]


def _absolute(capture: Capture) -> Capture:
    """Return a capture as a worker in another folder finds it."""
    return replace(capture, folder=capture.folder.absolute(), root=capture.root.absolute())


def _workers(executor: Executor) -> int:
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


@contextmanager
def executor_of(jobs: str) -> Iterator[Executor | None]:
    """Give the executor that ``--jobs`` names: None for one job, processes for more, Dask's for ``dask:ADDRESS``.

    Raises ``JobsError``.
    """
    if jobs.startswith(DASK):
        with _dask(jobs.removeprefix(DASK)) as executor:
            yield executor
        return
    if not (jobs.isascii() and jobs.isdigit() and 1 <= int(jobs) <= 1024):
        raise JobsError(f"--jobs {jobs[:100]!r}: write a number from 1 on, or dask:ADDRESS")
    if int(jobs) == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Spawned, not forked: a fork copies locks that threads hold.
    pool = ProcessPoolExecutor(int(jobs), mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise JobsError("--jobs dask: needs the package distributed; install session-format-validator[dask]") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise JobsError(f"--jobs dask:{address[:200]}: no scheduler answers there: {reason}") from None
    with client:
        yield client.get_executor(pure=False, retries=0)
