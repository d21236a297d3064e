"""Measures a command: wall-clock and CPU time, and the memory of each of its processes and of all together."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE = 0.02
"""Seconds between two looks at the memory."""


@dataclass(frozen=True)
class Cost:
    """What one run of a command took. Seconds, and bytes of resident memory."""

    wall: float
    cpu: float
    largest: int
    """Peak of the largest process."""
    together: int
    """Peak of all processes at one moment; pages that they share count for each."""
    status: int


def run(
    command: Sequence[str], output: Path, cwd: Path, env: Mapping[str, str] | None = None, *, memory: bool = False
) -> Cost:
    """Run a command with its standard output in a file.

    ``memory``: look at its processes until it ends. Whoever looks takes time that the command lacks, so that the
    times of such a run are not to be quoted.
    """
    before = os.times()
    started = time.monotonic()
    largest = together = 0
    with output.open("wb") as out:
        process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL, env=env)
        if memory:
            root = psutil.Process(process.pid)
            while process.poll() is None:
                sizes = _sizes(root)
                largest, together = max([largest, *sizes]), max(together, sum(sizes))
                time.sleep(SAMPLE)
        process.wait()
    wall = time.monotonic() - started
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(wall, cpu, largest, together, process.returncode)


def _sizes(root: psutil.Process) -> list[int]:
    sizes = []
    try:
        for process in [root, *root.children(recursive=True)]:
            sizes.append(process.memory_info().rss)
    except psutil.NoSuchProcess:
        pass
    return sizes


def median(costs: Sequence[Cost], watched: Cost | None = None) -> Cost:
    """Return the medians of times over several runs, and the peaks of memory of a run that was watched."""
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        watched.largest if watched else 0,
        watched.together if watched else 0,
        max(abs(cost.status) for cost in [*costs, *([watched] if watched else [])]),
    )
