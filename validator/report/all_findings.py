"""Writes every finding of a replay, one line of JSON each, as they are found: there may be a million.

The report lists the first of each claim with their count; here each stands for itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from validator.claims.run import guarded, violations
from validator.descriptor import Descriptor
from validator.replay import Replay
from validator.replay.feed import checks
from validator.replay.runs import Run
from validator.report.findings import broken_line, described, rerun_findings
from validator.stream.columns import RecordColumns
from validator.stream.ingest import SchemaError


def keep(file: Path, bench: sqlite3.Connection, replay: Replay, descriptor: Descriptor, engine: str) -> None:
    """Write all findings into a file while the workbench is still there."""
    with file.open("w", encoding="utf-8", newline="\n") as lines:
        for finding in _every(bench, replay, descriptor, engine):
            lines.write(json.dumps(finding) + "\n")


def kept(file: Path) -> Iterator[dict[str, Any]]:
    """Go through the findings that were written; there are none where the capture could not be judged."""
    if file.is_file():
        with file.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def _every(
    bench: sqlite3.Connection, replay: Replay, descriptor: Descriptor, engine: str
) -> Iterator[dict[str, Any]]:
    """Yield the findings in the order of the report: broken lines, claims, later runs."""
    if replay.broken_lines <= len(replay.schema_errors):
        yield from (broken_line(run.source, error) for run, error in replay.schema_errors)
    else:
        for run in replay.runs:
            yield from _broken_lines(run, replay.spools[run.number], descriptor, engine)
    for outcome in replay.outcomes:
        if outcome.violated:
            with guarded(bench):
                for violation in violations(bench, outcome.claim):
                    yield described(bench, replay, outcome.claim, violation)
    for finding in rerun_findings(replay, most=10**9):
        yield {name: value for name, value in finding.items() if name != "count"}


def _broken_lines(run: Run, spool: Path, descriptor: Descriptor, engine: str) -> Iterator[dict[str, Any]]:
    """Judge a run's lines once more: only the first of those that break the schema were held."""
    check, explain = checks(engine)
    columns = RecordColumns(run.number, run.keys, descriptor.aliases)
    with spool.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            item = _record(line)
            if item is not None and not check(item):
                table, key = columns.unit_of(item)
                pointer, message = (explain(item) or [("", "breaks the schema")])[0]
                yield broken_line(run.source, SchemaError(number, pointer, message, key, table))


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) and item.get("line") == "record" else None
