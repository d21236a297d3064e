"""Compares what a check gave with a baseline: each fact that differs is a regression, or makes the baseline stale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from validator import verdict
from validator.gate.baseline import GATE_VERSION, Facts

REGRESSION = "regression"
STALE = "stale"

_UNJUDGED = (verdict.FAILED, verdict.WRONG_USAGE)
"""Verdicts that no baseline excuses: nothing was judged."""

_WORSE = (verdict.CONFORMS, verdict.DOES_NOT_CONFORM, verdict.NOT_CHECKED, verdict.UNUSABLE, verdict.FAILED,
          verdict.WRONG_USAGE)  # fmt: skip
"""The verdicts, from good to bad."""


@dataclass(frozen=True)
class Difference:
    """One fact that is not what the baseline says."""

    kind: str
    """``regression`` or ``stale``."""
    capture: str
    what: str
    """Which fact: ``verdict``, ``records``, ``finding``, ``subjects``, ``unidentified source`` or ``capture``."""
    name: str | None
    """The claim or the path that it is about."""
    baseline: int | str | None
    now: int | str | None

    def entry(self) -> dict[str, Any]:
        """Return it as it stands in the document."""
        return {name: getattr(self, name) for name in ("kind", "capture", "what", "name", "baseline", "now")}


def differences(baseline: Facts, now: Facts, others: set[str] | None = None) -> list[Difference]:
    """Return what differs, regressions first; ``others`` are captures that another share judges."""
    found: list[Difference] = []
    for capture in sorted(baseline.keys() | now.keys()):
        if capture not in now:
            if capture not in (others or ()):
                found.append(Difference(REGRESSION, capture, "capture", None, "there", "gone"))
        elif capture not in baseline:
            found.append(Difference(STALE, capture, "capture", None, None, "new"))
            found.extend(d for d in _of_capture(capture, _NOTHING, now[capture]) if d.what in _MATTERS_AT_ONCE)
        else:
            found.extend(_of_capture(capture, baseline[capture], now[capture]))
    return sorted(found, key=lambda d: (d.kind != REGRESSION, d.capture, d.what, d.name or ""))


_NOTHING: dict[str, Any] = {
    "verdict": verdict.CONFORMS, "records": 0, "findings": {}, "subjects": {}, "unidentified": [],
}  # fmt: skip

_MATTERS_AT_ONCE = ("verdict", "finding", "unidentified source")
"""Facts that count against a capture that the baseline does not know."""


def _of_capture(capture: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    old, new = before["verdict"], after["verdict"]
    if old != new or new in _UNJUDGED:
        worse = new in _UNJUDGED or _WORSE.index(new) > _WORSE.index(old)
        yield Difference(REGRESSION if worse else STALE, capture, "verdict", None, old, new)
    if new in _UNJUDGED:
        return  # all else is missing because of that
    if before["records"] != after["records"]:
        kind = REGRESSION if after["records"] < before["records"] else STALE
        yield Difference(kind, capture, "records", None, before["records"], after["records"])
    yield from _by_name(capture, "finding", before["findings"], after["findings"], more_is_worse=True)
    yield from _by_name(capture, "subjects", before["subjects"], after["subjects"], more_is_worse=False)
    was, now = (dict.fromkeys(paths, 1) for paths in (before["unidentified"], after["unidentified"]))
    yield from _by_name(capture, "unidentified source", was, now, more_is_worse=True)


def _by_name(
    capture: str, what: str, before: dict[str, int], after: dict[str, int], *, more_is_worse: bool
) -> Iterator[Difference]:
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            kind = REGRESSION if (new > old) == more_is_worse else STALE
            yield Difference(kind, capture, what, name, old, new)


def exit_code(found: list[Difference], report: dict[str, Any]) -> int:
    """Return the gate's exit code: what could not be judged counts as in a check, all else that differs as 1."""
    verdicts = {d.now for d in found if d.what == "verdict" and d.kind == REGRESSION}
    for code in (2, 4, 3):
        if any(verdict.EXIT.get(str(given)) == code for given in verdicts):
            return code
    if not report["captures"]:
        return verdict.EXIT[verdict.NOT_CHECKED]
    return 1 if found else 0


def document(
    found: list[Difference], report: dict[str, Any], baseline: str, *, updated: bool = False
) -> dict[str, Any]:
    """Return what ``gate --json`` writes (schema ``gate``); ``baseline`` is the file's name, without folders."""
    code = 0 if updated else exit_code(found, report)
    return {
        "gate": GATE_VERSION,
        "passes": code == 0,
        "exit": code,
        "baseline": baseline,
        "updated": updated,
        "validator": report["validator"],
        "converter": report["converter"],
        "captures": len(report["captures"]),
        "regressions": [d.entry() for d in found if d.kind == REGRESSION],
        "stale": [d.entry() for d in found if d.kind == STALE],
    }
