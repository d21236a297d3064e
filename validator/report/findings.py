"""Findings: a violated claim, where it is violated, what was expected and what was found.

Bounded and redacted: at most 200 characters of a value, control characters made visible, and never the text of
a message or prompt, which stands in the workbench by digest only.
"""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import replace
from typing import Any

from validator.claims import Claim
from validator.claims.run import Violation
from validator.replay import Replay
from validator.replay.sums import form_of
from validator.report.places import locator, redacted
from validator.report.rows import row_difference
from validator.stream.ingest import SchemaError

LONGEST_JSON = 60
"""Characters of a JSON value that are shown: a longer one may be what a tool was told."""

_PATH = re.compile(r"[/~\\]|[A-Za-z]:[/\\]|file:", re.ASCII)
"""How a path begins that would name a person's machine."""

SCHEMA_CLAIM = "stream.schema"
"""The id under which a line that breaks the record stream's schema is reported."""

EXAMPLES = 10
"""Findings of one claim that a report lists; ``count`` says how many there are."""


def describe(bench: sqlite3.Connection, replay: Replay) -> None:
    """Write the findings of a replay while its workbench is still there."""
    for outcome in replay.outcomes:
        if not outcome.violated:
            continue
        for violation in outcome.examples[:EXAMPLES]:
            finding = described(bench, replay, outcome.claim, violation)
            replay.findings.append({**finding, "count": outcome.violated})


def described(bench: sqlite3.Connection, replay: Replay, claim: Claim, violation: Violation) -> dict[str, Any]:
    """Return one finding, for itself alone."""
    located = _located(bench, replay, violation)
    return {
        "claim": claim.id,
        "level": claim.level,
        "where": place(bench, located),
        "expected": shown(located.expected),
        "found": shown(located.found),
    }


def _located(bench: sqlite3.Connection, replay: Replay, violation: Violation) -> Violation:
    """Name the column where a violation says only that a whole row differs."""
    whole = isinstance(violation.expected, bytes) and isinstance(violation.found, bytes)
    if violation.at not in (None, "/native/record"):
        return violation
    if not whole or violation.unit is None or violation.line is None:
        return violation
    found = row_difference(bench, replay, violation.unit, violation.line)
    if found is None:
        return violation
    return replace(violation, at=found[0], expected=found[1], found=found[2])


def place(bench: sqlite3.Connection, violation: Violation) -> dict[str, Any]:
    """Say where a violation is: the native unit, and the line of the record stream."""
    where: dict[str, Any] = {"source": redacted(_source_of(bench, violation), 500)}
    if violation.unit is not None:
        row = bench.execute(f"SELECT tab, key, {form_of('u')} FROM native_unit AS u WHERE unit = ?", (violation.unit,))
        for tab, key, form in row:
            where |= locator(None, tab, json.loads(key), form)
    if violation.line is not None:
        row = bench.execute("SELECT at FROM record WHERE line = ?", (violation.line,)).fetchone()
        if row is not None:
            where["streamLine"] = row[0]
    if violation.at:
        name = "pointer" if violation.at.startswith("/") else "column"
        if name == "pointer" or "table" in where:
            where[name] = redacted(violation.at)
    return where


def _source_of(bench: sqlite3.Connection, violation: Violation) -> str:
    if violation.unit is not None:
        row = bench.execute(
            "SELECT s.path FROM native_unit AS u JOIN native_source AS s USING (source) WHERE u.unit = ?",
            (violation.unit,),
        ).fetchone()
    elif violation.line is not None:
        row = bench.execute(
            "SELECT n.source FROM record AS r JOIN native_run AS n USING (run) WHERE r.line = ?", (violation.line,)
        ).fetchone()
    else:
        row = bench.execute("SELECT source FROM native_run ORDER BY run").fetchone()
    return str(row[0]) if row else "-"


def schema_findings(replay: Replay) -> list[dict[str, Any]]:
    """List the record lines that break the schema, first examples with the count of all."""
    return [
        {**broken_line(run.source, error), "count": replay.broken_lines}
        for run, error in replay.schema_errors[:EXAMPLES]
    ]


def broken_line(source: str, error: SchemaError) -> dict[str, Any]:
    """Return the finding of one line that breaks the schema, for itself alone."""
    where: dict[str, Any] = {"source": source, "streamLine": error.line}
    if error.tab is not None and error.key is not None:
        where["table"], where["key"] = redacted(error.tab), json.loads(error.key)
    where["pointer"] = redacted(error.pointer)
    return {
        "claim": SCHEMA_CLAIM,
        "level": "error",
        "where": where,
        "expected": "a line of the record stream's schema",
        "found": redacted(error.message),
    }


def rerun_findings(replay: Replay, most: int = EXAMPLES) -> list[dict[str, Any]]:
    """List where later runs of the converter were not what its first run promised."""
    findings = []
    for rerun in replay.reruns:
        for difference in rerun.differences[:most]:
            where: dict[str, Any] = {"source": rerun.source}
            if difference.line is not None:
                where["streamLine"] = difference.line
            findings.append(
                {
                    "claim": rerun.claim,
                    "level": "error",
                    "where": where,
                    "expected": redacted(difference.expected),
                    "found": redacted(difference.found),
                    "count": len(rerun.differences),
                }
            )
    return findings


def _json_text(value: bytes) -> str | None:
    """Return the JSON that a BLOB of the workbench holds; None for a digest, whose first byte may be any."""
    if value[:1] not in (b"{", b"="):
        return None
    try:
        text = value.removeprefix(b"=").decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return text


def shown(value: Any) -> str | int | float | None:
    """Return a workbench value as a finding shows it."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, bytes):
        text = _json_text(value)
        if text is None:
            return f"content with digest {value[-16:].hex()}"
        return redacted(text) if len(text) <= LONGEST_JSON else f"a JSON value of {len(text)} characters"
    if _PATH.match(value):
        return f"a path of {len(value)} characters"
    return redacted(value)


__all__ = ["SCHEMA_CLAIM", "describe", "place", "redacted", "rerun_findings", "schema_findings", "shown"]
