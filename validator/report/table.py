"""Renders a report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

SUMS = ("native", "records", "excluded", "lost", "duplicated", "unreadable")
COUNTS = ("streams", "errors", "notices", "gaps", "unidentifiedSources")


def render(report: dict[str, Any], engine: str | None = None) -> str:
    """Return the report as text: a row for each capture, then what was found, then the verdict.

    ``engine`` is the schema engine that judged the lines.
    """
    lines = list(_lines(report))
    if engine is not None:
        lines.insert(-1, f"lines were judged by {engine}")
    return "\n".join(lines) + "\n"


def _lines(report: dict[str, Any]) -> Iterator[str]:
    rows = [
        [
            entry["capture"],
            entry["verdict"],
            *(entry["conservation"][name] for name in SUMS),
            *(entry["counts"][name] for name in COUNTS),
        ]
        for entry in report["captures"]
    ]
    heads = ["capture", "verdict", *SUMS, *COUNTS[:-1], "unidentified"]
    yield tabulate(rows, headers=heads, disable_numparse=[0, 1])
    for entry in report["captures"]:
        yield from _entry(entry)
    yield ""
    totals = report["totals"]
    parts = [f"{totals[name]} {name}" for name in ("captures", "streams", "records", "errors", "notices", "gaps")]
    parts.append(f"{totals['unidentifiedSources']} unidentified sources")
    yield ", ".join(parts)
    exercised, silent = _exercised(report)
    if exercised or silent:
        names = f": {', '.join(silent)}" if silent else ""
        yield f"{exercised} claims exercised, {len(silent)} not exercised{names}"
    yield f"{report['validator']}, converter {report['converter'] or 'unknown'}"
    yield f"verdict: {report['verdict']} (exit {report['exit']})"


def _exercised(report: dict[str, Any]) -> tuple[int, list[str]]:
    subjects: dict[str, int] = {}
    for entry in report["captures"]:
        for claim in entry["claims"]:
            subjects[claim["claim"]] = subjects.get(claim["claim"], 0) + claim["subjects"] + claim["violations"]
    silent = sorted(name for name, count in subjects.items() if not count)
    return len(subjects) - len(silent), silent


def _entry(entry: dict[str, Any]) -> Iterator[str]:
    if "message" in entry:
        yield f"\n{entry['capture']}: {entry['message']}"
    for text in entry.get("stderr", ()):
        yield f"\n{entry['capture']}: the converter's standard error:\n{text.rstrip()}"
    last = None
    for finding in entry["findings"]:
        if finding["claim"] != last:
            last = finding["claim"]
            yield f"\n{entry['capture']}: {finding['level']}: {last}, {finding['count']} violated:"
        yield f"  {found_text(finding)}"


def found_text(finding: dict[str, Any]) -> str:
    """Return a finding on one line: its place, what was expected, what was found."""
    expected, found = _value(finding["expected"]), _value(finding["found"])
    return f"{_place(finding['where'])}: expected {expected}, found {found}"


def _place(where: dict[str, Any]) -> str:
    text = str(where["source"])
    if "table" in where:
        text += f" {where['table']}"
    if "key" in where:
        text += " " + ", ".join(str(part) for part in where["key"])
    for name in ("column", "pointer"):
        if name in where:
            text += f" {where[name]}"
    if "streamLine" in where:
        text += f" (line {where['streamLine']} of the stream)"
    return text


def _value(value: Any) -> str:
    return "nothing" if value is None else str(value)
