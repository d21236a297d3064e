"""The matrix: versions of the producer against claims, over all captures, with the schema's history beside it.

``matrix`` replays the captures and hands on one document of plain data (schema ``matrix``) from which Markdown, JSON
and the page are written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from validator import claims as claims_station
from validator.capture import Capture, find
from validator.claims import Claim
from validator.descriptor import Descriptor, load
from validator.matrix.applicable import Possible
from validator.matrix.timeline import timeline
from validator.replay import NamespaceError, Options, Replay, replay
from validator.report import capture_report, converter_name
from validator.report import report as sum_up
from validator.report.findings import SCHEMA_CLAIM, describe

MATRIX_VERSION = "0.1"

HOLDS, VIOLATED, SILENT, INAPPLICABLE, UNJUDGED = (
    "holds",
    "violated",
    "not exercised",
    "not applicable",
    "not judged",
)

Document = dict[str, Any]


def matrix(
    targets: Sequence[str],
    descriptor: str | None,
    options: Options,
    tell: Callable[[int, int], None] | None = None,
) -> Document:
    """Replay captures and return the matrix.

    ``tell`` is told after each capture how many of how many are done. Raises the errors of wrong usage and wrong
    configuration.
    """
    known = load(descriptor)
    claims = claims_station.load(known)
    captures = find(targets, known)
    layouts = sorted({int(release["layout"]) for shape in known.shapes for release in shape.releases})
    possible = Possible([shape for shape in known.shapes if shape.releases], claims, layouts)
    entries = []
    for number, capture in enumerate(captures, 1):
        entries.append(_entry(capture, known, claims, options, possible))
        if tell is not None:
            tell(number, len(captures))
    return _document(known, claims, captures, entries, possible)


def _entry(
    capture: Capture, descriptor: Descriptor, claims: tuple[Claim, ...], options: Options, possible: Possible
) -> Document:
    """Replay one capture: its entry of the report, while its workbench is also asked what older layouts could do."""

    def look(bench: sqlite3.Connection, result: Replay) -> None:
        describe(bench, result)
        possible.look(bench, [outcome.claim for outcome in result.outcomes if outcome.subjects])

    rules = claims_station.load_notices(descriptor)
    try:
        result = replay(capture, descriptor, claims, rules, options, look)
    except NamespaceError as error:
        result = Replay(capture, misused=True, problems=[str(error)])
    entry = capture_report(result, descriptor)
    entry["converter"] = converter_name(result)
    return entry


def _document(
    descriptor: Descriptor,
    claims: tuple[Claim, ...],
    captures: list[Capture],
    entries: list[Document],
    possible: Possible,
) -> Document:
    summary = sum_up(entries)
    versions = _versions(descriptor, captures)
    listed = [_claim(claim) for claim in claims] + _further(entries, {claim.id for claim in claims})
    return {
        "schema": MATRIX_VERSION,
        "producer": descriptor.name,
        "validator": summary["validator"],
        "converter": summary["converter"],
        "verdict": summary["verdict"],
        "totals": summary["totals"],
        "versions": versions,
        "claims": listed,
        "cells": [_cell(item["claim"], version, entries, possible) for item in listed for version in versions],
        "captures": [_capture(capture, entry) for capture, entry in zip(captures, entries, strict=True)],
        "timeline": timeline(descriptor),
    }


def _versions(descriptor: Descriptor, captures: list[Capture]) -> list[Document]:
    """List the versions that captures are of, by layout, package and version."""
    groups: dict[tuple[str | None, str | None], list[str]] = {}
    for capture in captures:
        manifest = capture.manifest or {}
        groups.setdefault((manifest.get("package"), manifest.get("version")), []).append(capture.id)
    found = [
        {"package": package, "version": version, "layout": _layout(descriptor, package, version), "captures": ids}
        for (package, version), ids in groups.items()
    ]
    return sorted(found, key=_by_age)


def _by_age(item: Document) -> tuple[Any, ...]:
    numbers = [int(part) if part.isdigit() else -1 for part in str(item["version"] or "").split(".")]
    return item["layout"] is None, item["layout"] or 0, item["package"] or "", numbers, item["version"] or ""


def _layout(descriptor: Descriptor, package: str | None, version: str | None) -> int | None:
    for shape in descriptor.shapes:
        for release in shape.releases:
            if release["package"] == package and version in release["versions"]:
                return int(release["layout"])
    return None


def _claim(claim: Claim) -> Document:
    return {"claim": claim.id, "level": claim.level, "statement": claim.statement}


def _further(entries: list[Document], known: set[str]) -> list[Document]:
    """List what is judged beside the descriptor's claims: the schema of the lines, and later runs if there were any."""
    named = {item["claim"] for entry in entries for item in entry["claims"]} - known
    lines = {
        "claim": SCHEMA_CLAIM,
        "level": "error",
        "statement": "Every line of the record stream satisfies its schema.",
    }
    reruns = "Another run on the same source says the same."
    return [lines, *({"claim": name, "level": "error", "statement": reruns} for name in sorted(named))]


def _cell(claim: str, version: Document, entries: list[Document], possible: Possible) -> Document:
    outcomes = [_outcome(claim, entry) for entry in entries if entry["capture"] in version["captures"]]
    subjects = sum(outcome["subjects"] for outcome in outcomes)
    violations = sum(outcome["violations"] for outcome in outcomes)
    cell = {"claim": claim, "package": version["package"], "version": version["version"]}
    layout = version["layout"]
    if violations:
        status = VIOLATED
    elif any(outcome["status"] == UNJUDGED for outcome in outcomes):
        status = UNJUDGED
    elif subjects:
        status = HOLDS
    elif layout is not None and not possible.applicable(claim, layout):
        status = INAPPLICABLE
        cell["lacks"] = possible.needs(claim, layout)
    else:
        status = SILENT
    return {**cell, "status": status, "subjects": subjects, "violations": violations}


def _outcome(claim: str, entry: Document) -> Document:
    """Return what one capture says of a claim."""
    if entry["verdict"] in ("converter failed", "capture unusable", "wrong usage") and not entry["claims"]:
        return {"status": UNJUDGED, "subjects": 0, "violations": 0}
    if claim == SCHEMA_CLAIM:
        broken = max((f["count"] for f in entry["findings"] if f["claim"] == claim), default=0)
        records = entry["counts"]["records"] + broken
        return {"status": VIOLATED if broken else HOLDS, "subjects": records, "violations": broken}
    for item in entry["claims"]:
        if item["claim"] == claim:
            return {name: item[name] for name in ("status", "subjects", "violations")}
    return {"status": SILENT, "subjects": 0, "violations": 0}


def _capture(capture: Capture, entry: Document) -> Document:
    """Return what the matrix keeps of a capture's entry: sums, outcomes and findings."""
    manifest = capture.manifest or {}
    codes: dict[str, int] = {}
    for notice in entry["notices"]:
        codes[notice["code"]] = codes.get(notice["code"], 0) + 1
    kept = {
        "capture": entry["capture"],
        "package": manifest.get("package"),
        "version": manifest.get("version"),
        "made": entry.get("made"),
        "about": manifest.get("made", {}).get("about"),
        "date": manifest.get("date"),
        "verdict": entry["verdict"],
        "conservation": entry["conservation"],
        "counts": entry["counts"],
        "claims": [
            {"claim": item["claim"], **_outcome(item["claim"], entry)}
            for item in [*entry["claims"], {"claim": SCHEMA_CLAIM}]
            if _outcome(item["claim"], entry)["subjects"] or _outcome(item["claim"], entry)["violations"]
        ],
        "findings": entry["findings"],
        "notices": dict(sorted(codes.items())),
        "unidentified": [source["path"] for source in entry["sources"] if source["status"] == "unidentified"],
    }
    if "message" in entry:
        kept["message"] = entry["message"]
    return kept
