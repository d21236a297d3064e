"""Measures what a check costs: grows stores of the size that is asked for and runs the command line on them.

`python -m tests.bench [MESSAGES…]` prints one line for each verb and size: wall-clock and CPU seconds, the peak
memory of the largest process, and microseconds of wall-clock time a message. It ends with 1 where a verb fails
or does not give every row a record.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from tests.bench.grow import NAMESPACE, grow

ROOT = Path(__file__).parents[2]
SIZES = (10_000, 100_000)
SESSION = 400
"""Messages of a session."""


@dataclass(frozen=True)
class Cost:
    """What one command took."""

    wall: float
    cpu: float
    peak: int
    """Bytes of the largest process."""
    status: int
    output: str


def units(store: Path) -> int:
    """How many rows must be in records."""
    with closing(sqlite3.connect(store)) as opened:
        tables = ("messages", "sessions", "session_model_usage")
        return sum(opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)


def run(arguments: Sequence[str], output: Path) -> Cost:
    """Runs the validator with its standard output in a file, and waits for it."""
    started = time.monotonic()
    with output.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "validator", *arguments], cwd=ROOT, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, process.returncode, str(output))


def records(verb: str, cost: Cost) -> int:
    """How many records a run of the verb says there are."""
    with Path(cost.output).open(encoding="utf-8") as output:
        if verb == "check":
            report = json.load(output)
            return int(report["totals"]["records"]) if report["verdict"] == "conforms" else -1
        *_, last = output
        return int(json.loads(last)["records"])


def main(arguments: Sequence[str]) -> int:
    """Measures each size; returns the exit code."""
    sizes = [int(argument) for argument in arguments] or SIZES
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            store = Path(folder, str(size), "state.db")
            store.parent.mkdir()
            expected = units(grow(store, size, SESSION))
            for verb, options in (("convert", []), ("check", ["--json"])):
                cost = run([verb, str(store), "--namespace", NAMESPACE, *options], Path(folder, "output"))
                sound = cost.status == 0 and records(verb, cost) == expected
                failed |= not sound
                per_message = 1e6 * cost.wall / size
                rows.append(
                    (verb, size, cost.wall, cost.cpu, cost.peak / 2**20, per_message, "" if sound else "FAILED")
                )
    headers = ("verb", "messages", "wall s", "CPU s", "peak MiB", "µs a message", "")
    print(tabulate(rows, headers, floatfmt=("", "", ".2f", ".2f", ".0f", ".1f", "")))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
