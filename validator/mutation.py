"""Breaks the built-in converter's records in every way the claims know, and reports which breaks are noticed.

Each capture is replayed once; then every mutant of every claim that has a subject there is applied and taken back.
A mutant is killed when its own claim noticed it on at least one capture.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from validator import claims as claims_station
from validator.capture import Capture, find
from validator.capture.targets import constructed, shipped
from validator.claims import Claim, Mutant
from validator.claims.edits import edited, parse
from validator.claims.mutate import Bench, Trial
from validator.claims.reads import Columns
from validator.descriptor import Descriptor, load
from validator.replay import Options, Replay, replay
from validator.replay.feed import checks
from validator.replay.sums import link_units
from validator.stream.ingest import Ingest, batches

SCHEMA_VERSION = "0.1"
MAKERS = ("agent", "driver", "constructed")


@dataclass
class Tally:
    """What became of one mutant over all captures."""

    mutant: Mutant
    applied: int = 0
    fired: set[str] = field(default_factory=set)
    silent: list[str] = field(default_factory=list)

    @property
    def state(self) -> str:
        """``not applied``, ``killed`` or ``survived``."""
        if not self.applied:
            return "not applied"
        return "killed" if len(self.silent) < self.applied else "survived"


@dataclass
class Course:
    """What became of one claim and its mutants over all captures."""

    claim: Claim
    exercised: dict[str, list[str]] = field(default_factory=lambda: {maker: [] for maker in MAKERS})
    violated: list[str] = field(default_factory=list)
    """Captures on which it does not hold without any mutant."""
    mutants: list[Tally] = field(default_factory=list)

    @property
    def enforced(self) -> bool:
        """Whether it has a subject somewhere, and at least two mutants, all of which it kills."""
        states = [tally.state for tally in self.mutants]
        return any(self.exercised.values()) and len(states) >= 2 and set(states) == {"killed"}


@dataclass
class Courses:
    """What became of all claims; ``unusable`` are the captures that could not be used, with the reason."""

    claims: list[Course]
    captures: int = 0
    unusable: list[tuple[str, str]] = field(default_factory=list)


def everything() -> list[str]:
    """Name what mutants are applied on unless targets are: what ships, and in a checkout what is constructed."""
    return [str(folder) for folder in (shipped(), constructed()) if folder.is_dir()]


Told = Callable[[int, int], None]
"""Is told how many captures are done, of how many."""


def mutate(
    targets: Sequence[str],
    descriptor: str | None,
    options: Options,
    progress: Told | None = None,
    *,
    brief: bool = False,
) -> Courses:
    """Apply all mutants on the captures that targets name, or on everything.

    ``brief`` applies each mutant only until its claim notices it, and asks no other claim. Raises the errors of wrong
    usage and configuration, and ``NotRestoredError``.
    """
    known = load(descriptor)
    claims = claims_station.load(known)
    columns: dict[str, Columns] = {}
    courses = Courses([Course(claim, mutants=[Tally(mutant) for mutant in claim.mutants]) for claim in claims])
    captures = find(targets or everything(), known)

    def use(bench: Bench, result: Replay) -> None:
        for course in courses.claims:
            take(course, bench, result, brief=brief)

    for number, capture in enumerate(captures):
        if progress is not None:
            progress(number, len(captures))
        result = on_bench(capture, known, claims, options, use, columns)
        courses.captures += 1
        if result.unusable or result.failures:
            courses.unusable.append((capture.id, "; ".join(result.problems)))
    return courses


def on_bench(
    capture: Capture,
    descriptor: Descriptor,
    claims: Sequence[Claim],
    options: Options,
    use: Callable[[Bench, Replay], None],
    columns: dict[str, Columns] | None = None,
) -> Replay:
    """Replay a capture and hand its workbench over for mutants, unless the capture or the converter failed."""

    def describe(bench: sqlite3.Connection, result: Replay) -> None:
        if not (result.unusable or result.failures):
            reload = _reloader(bench, result, descriptor, options)
            use(Bench(bench, result.outcomes, reload, columns), result)

    changing = replace(options, rollback=True)
    return replay(capture, descriptor, claims, claims_station.load_notices(descriptor), changing, describe)


def take(course: Course, bench: Bench, result: Replay, *, brief: bool) -> None:
    """Note what a capture says of a claim, and apply its mutants there if they count."""
    outcome = next((outcome for outcome in result.outcomes if outcome.claim.id == course.claim.id), None)
    if outcome is None:
        return
    maker = result.capture.manifest["made"]["by"] if result.capture.manifest else "unstated"
    if outcome.subjects:
        course.exercised.setdefault(maker, []).append(result.capture.id)
    if outcome.violated:
        course.violated.append(result.capture.id)
    if bench.counts(course.claim):
        for tally in course.mutants:
            if not (brief and tally.state == "killed"):
                _count(tally, course.claim, bench.trial(course.claim, tally.mutant, alone=brief), result.capture.id)


def _count(tally: Tally, claim: Claim, trial: Trial, capture: str) -> None:
    if not trial.applied:
        return
    tally.applied += 1
    tally.fired.update(trial.fired)
    if claim.id not in trial.fired:
        tally.silent.append(capture)


def _reloader(
    bench: sqlite3.Connection, result: Replay, descriptor: Descriptor, options: Options
) -> Callable[[Claim, Mutant], None]:
    """Return what replaces all records by those of lines edited for a claim; the native side stays as it is."""
    check, explain = checks(options.engine)
    kept: dict[int, tuple[list[bytes], list[dict[str, Any]]]] = {}
    tables = [
        name for (name,) in bench.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'record%'")
    ]

    def reload(claim: Claim, mutant: Mutant) -> None:
        for table in sorted(tables, reverse=True):  # rows of a record before the record
            bench.execute(f"DELETE FROM {table}")
        for run in result.runs:
            if run.number not in kept:
                with result.spools[run.number].open("rb") as spool:
                    raw = list(spool)
                kept[run.number] = (raw, parse(raw))
            raw, parsed = kept[run.number]
            first = bench.execute("SELECT coalesce(max(line), 0) FROM record").fetchone()[0]
            ingest = Ingest(bench, run.number, run.keys, check, explain, descriptor.aliases, first)
            concerned = run.format in claim.formats
            for batch in batches(edited(raw, parsed, mutant.lines or "", mutant.where or {}) if concerned else raw):
                ingest.lines(batch)
            ingest.finish()
        link_units(bench)

    return reload


def document(courses: Courses) -> dict[str, Any]:
    """Return what ``mutate --json`` writes (schema ``mutate``)."""
    tallies = [(course.claim, tally) for course in courses.claims for tally in course.mutants]
    listed = {
        state: [{"claim": claim.id, "mutant": tally.mutant.name} for claim, tally in tallies if tally.state == state]
        for state in ("killed", "survived", "not applied")
    }
    return {
        "schema": SCHEMA_VERSION,
        "captures": courses.captures,
        "unusable": [{"capture": capture, "reason": reason} for capture, reason in courses.unusable],
        "mutants": len(tallies),
        "killed": len(listed["killed"]),
        "survived": listed["survived"],
        "not_applied": listed["not applied"],
        "claims": [_claim(course) for course in courses.claims],
    }


def _claim(course: Course) -> dict[str, Any]:
    return {
        "claim": course.claim.id,
        "exercised": {maker: _distinct(captures) for maker, captures in course.exercised.items()},
        "violated": _distinct(course.violated),
        "mutants": [
            {
                "mutant": tally.mutant.name,
                "state": tally.state,
                "applied": tally.applied,
                "killed_by": sorted(tally.fired),
                "silent": _distinct(tally.silent),
            }
            for tally in course.mutants
        ],
    }


def _distinct(captures: Sequence[str]) -> list[str]:
    return sorted(set(captures))  # the same capture may have been named twice
