"""The report: one document of plain data that every output format renders.

``capture_report`` turns a replay into its entry, ``report`` sums the entries up. The verdict is in the data
before anything is rendered; there is no clock, duration or absolute path in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validator import __version__, verdict
from validator.claims.run import Outcome
from validator.descriptor import Descriptor
from validator.observation import NAMED, observation
from validator.replay import Replay
from validator.replay.again import Rerun
from validator.replay.sums import Conservation, Gap
from validator.report.findings import rerun_findings, schema_findings
from validator.report.places import locator, redacted
from validator.shards import Shard
from validator.sources import Source

REPORT_VERSION = "0.1"
VALIDATOR = f"validator-v{__version__}"

MOST_GAPS = 100
"""Gaps that are listed; all are counted."""

EXAMPLE_NOTICES = 20
"""Notices of one code that are listed; all are counted."""


def capture_report(replay: Replay, descriptor: Descriptor, fail_on: str = "error") -> dict[str, Any]:
    """Return a capture's entry of the report."""
    manifest = replay.capture.manifest or {}
    counts = _counts(replay)
    sums = replay.conservation
    given = verdict.of_capture(
        misused=replay.misused,
        failed=bool(replay.failures),
        unusable=replay.unusable,
        unreadable=sums is not None and (sums.unreadable > 0 or sums.unbounded),
        converted=sums.converted if sums and any(run.known for run in replay.runs) else 0,
        subjects=sum(outcome.subjects for outcome in replay.outcomes),
        errors=counts["errors"],
        notices=counts["notices"],
        fail_on_notice=fail_on == "notice",
    )
    entry: dict[str, Any] = {
        "capture": replay.capture.id,
        "verdict": given,
        "producer": descriptor.name,
        "version": manifest.get("version"),
        "revision": manifest.get("revision"),
        "sources": [_source(source, replay.by_source.get(at)) for at, source in enumerate(replay.sources, 1)],
        "conservation": _sums(sums),
        "counts": counts,
        "claims": [_claim(outcome) for outcome in replay.outcomes] + _reruns(replay.reruns),
        "findings": schema_findings(replay) + replay.findings + rerun_findings(replay),
        "notices": _notices(replay),
        "gaps": [_gap(gap) for gap in replay.gaps[:MOST_GAPS]],
        "excluded": [
            {name: table[name] for name in ("source", "table", "units", "reason")}
            for table in replay.tables
            if table["class"] == "context"
        ],
        "derived": [
            {name: table[name] for name in ("source", "table")}
            for table in replay.tables
            if table["class"] == "derived"
        ],
    }
    if manifest:
        entry["made"] = manifest["made"]["by"]
    if sums and (sums.unreadable or sums.unbounded):
        known = "an unknown number of units" if sums.unbounded else f"{sums.unreadable} units"
        damaged = sorted({gap.source for gap in replay.gaps if gap.reason == "unreadable"}) or ["the store"]
        where = ", ".join(damaged[:3]) + (f" and {len(damaged) - 3} more" if len(damaged) > 3 else "")
        replay.problems.append(f"{where}: {known} cannot be read, it is damaged; capture it again from a sound copy")
    if replay.problems:
        entry["message"] = "; ".join(redacted(problem, 500) for problem in replay.problems)
    stderr = [failure.stderr for failure in replay.failures if failure.stderr]
    if stderr:
        entry["stderr"] = stderr
    told = manifest and all(manifest.get(name) is not None for name in NAMED)  # a constructed capture has no package
    if told and sums and not (replay.failures or replay.unusable or replay.misused):
        entry["observation"] = observation([manifest], counts, VALIDATOR, converter_name(replay))
    return entry


def converter_name(replay: Replay) -> str | None:
    """Return what the converters called themselves, name and version: one for each format that has units."""
    return ", ".join(sorted(replay.converters)) or None


def _counts(replay: Replay) -> dict[str, int]:
    errors = replay.broken_lines + sum(
        outcome.violated for outcome in replay.outcomes if outcome.claim.level == "error"
    )
    errors += sum(len(rerun.differences) for rerun in replay.reruns)
    return {
        "streams": replay.streams,
        "records": replay.conservation.records if replay.conservation else 0,
        "errors": errors,
        "notices": len(replay.notices),
        "gaps": len(replay.gaps),
        "unidentifiedSources": sum(source.status == "unidentified" for source in replay.sources),
    }


def _source(source: Source, sums: Conservation | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": redacted(source.path, 500), "format": source.format, "status": source.status}
    if source.reason:
        entry["reason"] = source.reason
    if source.priority is not None:
        entry["priority"] = dict(source.priority)
        parts = {line.entity: line.priority for line in source.kind.lines if line.priority} if source.kind else {}
        if parts:
            entry["priority"]["parts"] = parts
    if sums is not None:
        entry["conservation"] = _sums(sums)
    return entry


def _sums(sums: Conservation | None) -> dict[str, int]:
    names = ("native", "records", "excluded", "lost", "duplicated", "unreadable")
    return {name: getattr(sums, name) if sums else 0 for name in names}


def _claim(outcome: Outcome) -> dict[str, Any]:
    return {
        "claim": outcome.claim.id,
        "status": outcome.status,
        "subjects": outcome.subjects,
        "violations": outcome.violated,
    }


def _reruns(reruns: Sequence[Rerun]) -> list[dict[str, Any]]:
    """Sum up the later runs on all sources, by what they were for."""
    entries = []
    for claim in dict.fromkeys(rerun.claim for rerun in reruns):
        same = [rerun for rerun in reruns if rerun.claim == claim]
        subjects, violations = sum(rerun.subjects for rerun in same), sum(len(rerun.differences) for rerun in same)
        status = "violated" if violations else "holds" if subjects else "not exercised"
        if any(rerun.failure is not None for rerun in same):
            status = "not judged"
        entries.append({"claim": claim, "status": status, "subjects": subjects, "violations": violations})
    return entries


def _notices(replay: Replay) -> list[dict[str, Any]]:
    """List the notices, the first examples of each code."""
    listed: dict[str, int] = {}
    entries = []
    for notice in replay.notices:
        listed[notice.code] = listed.get(notice.code, 0) + 1
        if listed[notice.code] > EXAMPLE_NOTICES:
            continue
        where = locator(notice.source, notice.tab, notice.key, notice.form)
        if notice.column is not None:
            where["pointer" if notice.column.startswith("/") else "column"] = redacted(notice.column)
        entry: dict[str, Any] = {"code": notice.code, "where": where}
        if notice.detail is not None:
            entry["detail"] = redacted(str(notice.detail))
        entries.append(entry)
    return entries


def _gap(gap: Gap) -> dict[str, Any]:
    first, last = (locator(gap.source, gap.tab, key, gap.form) for key in (gap.first, gap.last))
    return {"from": first, "to": last, "units": gap.units, "reason": gap.reason}


def report(
    entries: Sequence[dict[str, Any]], shard: Shard | None = None, captures: int | None = None
) -> dict[str, Any]:
    """Sum up the entries of captures into a report; of a share of them where ``captures`` is how many there are."""
    decided = verdict.gravest(entry["verdict"] for entry in entries)
    named = sorted({name for entry in entries for name in (entry.get("converter") or "").split(", ") if name})
    totals: dict[str, int] = {"captures": len(entries)}
    for name in ("streams", "records", "errors", "notices", "gaps", "unidentifiedSources"):
        totals[name] = sum(entry["counts"][name] for entry in entries)
    document = {
        "report": REPORT_VERSION,
        "verdict": decided,
        "exit": verdict.EXIT[decided],
        "validator": VALIDATOR,
        "converter": ", ".join(named) or None,
        "captures": [{name: value for name, value in entry.items() if name != "converter"} for entry in entries],
        "totals": totals,
    }
    if shard is not None:
        document["shard"] = {"number": shard.number, "of": shard.count, "captures": captures}
    return document
