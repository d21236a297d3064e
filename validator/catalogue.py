"""The claim catalogue: every claim with what exercises it and whether it can fail, and one claim in full.

``catalogue`` and ``explanation`` hand on plain data (schemas ``claims`` and ``explain``) that the verbs render.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from validator import claims as claims_station
from validator.capture import find
from validator.claims import Claim, UnknownClaimError
from validator.claims.mutate import Bench
from validator.descriptor import Descriptor, load
from validator.mutation import Course, Tally, Told, everything, mutate, on_bench, take
from validator.replay import Options, Replay
from validator.report.findings import place, shown

SCHEMA_VERSION = "0.1"

MAKERS = ("agent", "driver", "constructed")


def catalogue(
    targets: Sequence[str], descriptor: str | None, options: Options, progress: Told | None = None
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return all claims with what exercises them, and the captures that could not be used, with the reason.

    Without targets: everything that ships; where nothing does, the claims alone, their mutants not run.
    """
    if not (targets or everything()):
        claims = claims_station.load(load(descriptor))
        return {"schema": SCHEMA_VERSION, "claims": [_entry(Course(claim), ran=False) for claim in claims]}, []
    courses = mutate(targets, descriptor, options, brief=True)
    return {
        "schema": SCHEMA_VERSION,
        "claims": [_entry(course, ran=True) for course in courses.claims],
    }, courses.unusable


def _entry(course: Course, *, ran: bool) -> dict[str, Any]:
    claim = course.claim
    return {
        "claim": claim.id,
        "level": claim.level,
        "statement": claim.statement,
        "formats": list(claim.formats),
        "evidence": list(claim.evidence),
        "enforced": course.enforced if ran else None,
        "mutants": [mutant.name for mutant in claim.mutants],
        "killed": sum(tally.state == "killed" for tally in course.mutants) if ran else None,
        "captures": course.exercised["agent"],
        "driver": course.exercised["driver"],
        "constructed": len(course.exercised["constructed"]),
    }


def explanation(
    name: str, targets: Sequence[str], descriptor: str | None, options: Options, progress: Told | None = None
) -> dict[str, Any]:
    """Return one claim in full; raises ``UnknownClaimError`` when there is none of that id."""
    known = load(descriptor)
    claim = _named(claims_station.load(known), name)
    course = Course(claim, mutants=[Tally(mutant) for mutant in claim.mutants])
    example: list[dict[str, Any]] = []

    def use(bench: Bench, result: Replay) -> None:
        take(course, bench, result, brief=True)
        if not example and bench.counts(claim):
            example.extend(_example(bench, claim, result.capture.id))

    at_hand = targets or everything()
    captures = find(at_hand, known) if at_hand else []
    for number, capture in enumerate(captures):
        if progress is not None:
            progress(number, len(captures))
        on_bench(capture, known, (claim,), options, use)
    return {
        "schema": SCHEMA_VERSION,
        "claim": claim.id,
        "level": claim.level,
        "statement": claim.statement,
        "file": claim.file,
        "source": claim.source,
        "note": claim.note,
        "formats": list(claim.formats),
        "evidence": [{"index": index, **_evidence(known, index)} for index in claim.evidence],
        "subjects": _tidy(claim.subjects),
        "violations": _tidy(claim.written),
        "mutants": [_mutant(tally) for tally in course.mutants],
        "enforced": course.enforced if at_hand else None,
        "exercised": {maker: course.exercised[maker] for maker in MAKERS},
        "example": example[0] if example else None,
        "remedy": claim.remedy,
    }


def _named(claims: Sequence[Claim], name: str) -> Claim:
    for claim in claims:
        if claim.id == name:
            return claim
    close = difflib.get_close_matches(name, [claim.id for claim in claims], n=1, cutoff=0.4)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise UnknownClaimError(f"there is no claim {name[:200]!r}; {hint}`validator claims` lists them all")


def _evidence(descriptor: Descriptor, index: int) -> dict[str, Any]:
    items = descriptor.document["evidence"]
    if not 0 <= index < len(items):
        return {}
    item = items[index]
    return {name: item[name] for name in ("label", "version", "revision", "scope") if name in item}


def _mutant(tally: Tally) -> dict[str, Any]:
    mutant = tally.mutant
    entry: dict[str, Any] = {"mutant": mutant.name, "state": tally.state}
    if mutant.lines is None:
        return {**entry, "sql": [_tidy(statement) for statement in mutant.sql]}
    return {**entry, "lines": mutant.lines, "where": mutant.where or {}}


def _tidy(sql: str) -> str:
    return sql.strip().rstrip(";").rstrip()


def _example(bench: Bench, claim: Claim, capture: str) -> list[dict[str, Any]]:
    """Make a finding: apply the claim's first mutant that it notices here, and describe what it finds."""
    for mutant in claim.mutants:
        with bench.mutated(claim, mutant) as writes:
            if writes is None or not writes.tables:
                continue
            outcome = bench.judge(claim)
            if outcome.violated:
                found = outcome.examples[0]
                return [
                    {
                        "capture": capture,
                        "mutant": mutant.name,
                        "where": place(bench.bench, found),
                        "expected": shown(found.expected),
                        "found": shown(found.found),
                        "count": outcome.violated,
                    }
                ]
    return []
