"""Renders a report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tabulate import tabulate

from validator.report.formats import View, how_many
from validator.report.visible import logged
from validator.verdict import CONFORMS

MOST = 10
"""Unidentified files that are named."""

LONGEST = 4000
"""Characters of one line."""

SUMS = ("native", "records", "excluded", "lost", "duplicated", "unreadable")
COUNTS = ("streams", "errors", "notices", "gaps", "unidentifiedSources")


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield the report as text: a row for each capture, then what was found, then the verdict."""
    for line in _lines(report, view):
        yield line + "\n"


def _lines(report: dict[str, Any], view: View) -> Iterator[str]:
    rows = [
        [
            logged(entry["capture"]),
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
    count, silent = exercised(report)
    if count or silent:
        names = f": {', '.join(silent)}" if silent else ""
        yield logged(f"{count} claims exercised, {len(silent)} not exercised{names}", LONGEST)
    yield logged(f"{report['validator']}, converter {report['converter'] or 'unknown'}")
    if view.engine is not None:
        yield f"lines were judged by {view.engine}"
    yield colored(f"verdict: {report['verdict']} (exit {report['exit']})", report["verdict"] == CONFORMS, view.color)


def colored(text: str, good: bool, color: bool) -> str:
    """Return a text in green or red, where colours are shown."""
    return f"\x1b[{32 if good else 31}m{text}\x1b[0m" if color else text


def exercised(report: dict[str, Any]) -> tuple[int, list[str]]:
    """Return how many claims had a subject in some capture, and the others by name."""
    subjects: dict[str, int] = {}
    for entry in report["captures"]:
        for claim in entry["claims"]:
            subjects[claim["claim"]] = subjects.get(claim["claim"], 0) + claim["subjects"] + claim["violations"]
    silent = sorted(name for name, count in subjects.items() if not count)
    return len(subjects) - len(silent), silent


def _entry(entry: dict[str, Any]) -> Iterator[str]:
    name = logged(entry["capture"])
    if "message" in entry:
        yield f"\n{name}: {logged(entry['message'], LONGEST)}"
    for text in entry.get("stderr", ()):
        yield f"\n{name}: the converter's standard error:"
        # Behind a bar: a line of a converter's log must be no command to the runner of a build.
        yield from (f"  | {logged(line, LONGEST)}" for line in text.rstrip().splitlines())
    for claim, group in groupby(entry["findings"], key=lambda finding: finding["claim"]):
        findings = list(group)
        yield f"\n{name}: {findings[0]['level']}: {logged(claim)}, {how_many(findings[:1])} violated:"
        for finding in findings:
            yield f"  {logged(found_text(finding), LONGEST)}"
        more = findings[0].get("count", len(findings)) - len(findings)
        if more > 0:
            yield f"  and {more} more (--format jsonl --all-findings lists them all)"
        if not claim.startswith("stream."):
            yield f"  what to do: validator explain {logged(claim)}"
    yield from _notices(name, entry)
    unidentified = [source["path"] for source in entry["sources"] if source["status"] == "unidentified"]
    if unidentified:
        more = f" and {len(unidentified) - MOST} more" if len(unidentified) > MOST else ""
        yield f"\n{name}: unidentified: {logged(', '.join(unidentified[:MOST]) + more, LONGEST)}"


def _notices(name: str, entry: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each code of notice: how many, and the first place."""
    listed = entry.get("notices", [])
    if listed:
        yield f"\n{name}: {entry['counts']['notices']} notices (docs/notices.md says what each is):"
    for code, group in groupby(listed, key=lambda notice: notice["code"]):
        notices = list(group)
        first = notices[0]
        place = place_text(first["where"]) if "source" in first["where"] else "the capture"
        detail = f": {first['detail']}" if "detail" in first else ""
        more = f", and {len(notices) - 1} more listed in --json" if len(notices) > 1 else ""
        yield f"  {code}: {logged(place + detail, LONGEST)}{more}"


def found_text(finding: dict[str, Any]) -> str:
    """Return a finding on one line: its place, what was expected, what was found."""
    expected, found = value_text(finding["expected"]), value_text(finding["found"])
    return f"{place_text(finding['where'])}: expected {expected}, found {found}"


def place_text(where: dict[str, Any]) -> str:
    """Return a place on one line."""
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


def value_text(value: Any) -> str:
    """Return what was expected or found, in words where there is nothing."""
    return "nothing" if value is None else str(value)
