"""Says why a count is another than it was: which capture, which claim, which notice.

Takes a replay and, where the side file has it, what each capture counted when the observation was made; hands on
short sentences.
"""

from __future__ import annotations

from typing import Any

from validator.capture.manifest import MANIFEST, digest_of
from validator.evidence.fresh import Replayed

MOST = 10
"""Sentences of one kind."""


def count_reasons(name: str, run: Replayed, made: dict[str, Any] | None) -> list[str]:
    """Why a count of an observation is what it is now."""
    found = _by_capture(name, run, made)
    if name == "errors":
        found += _violated(run)
    if name == "notices":
        found += _noticed(run)
    if name == "unidentifiedSources":
        found += _unidentified(run)
    return found


def _by_capture(name: str, run: Replayed, made: dict[str, Any] | None) -> list[str]:
    now = {entry["capture"]: entry["counts"][name] for entry in run.report["captures"]}
    if made is None:
        return _few([f"{capture}: {count}" for capture, count in sorted(now.items()) if count])
    was = {entry["capture"]: entry["counts"][name] for entry in made["captures"]}
    return _few(
        [
            f"{capture}: {was.get(capture, 'not there')}, now {now.get(capture, 'not there')}"
            for capture in sorted({*was, *now})
            if was.get(capture) != now.get(capture)
        ]
    )


def _violated(run: Replayed) -> list[str]:
    return _few(
        [
            f"{entry['capture']}: {claim['claim']} is violated by {claim['violations']} of {claim['subjects']} subjects"
            for entry in run.report["captures"]
            for claim in entry["claims"]
            if claim["violations"]
        ]
    )


def _noticed(run: Replayed) -> list[str]:
    counts: dict[tuple[str, str], int] = {}
    for entry in run.report["captures"]:
        for notice in entry["notices"]:
            key = (notice["code"], entry["capture"])
            counts[key] = counts.get(key, 0) + 1
    return _few([f"{capture}: {code} listed {count} times" for (code, capture), count in sorted(counts.items())])


def _unidentified(run: Replayed) -> list[str]:
    return _few(
        [
            f"{entry['capture']}: {source['path']}"
            for entry in run.report["captures"]
            for source in entry["sources"]
            if source["status"] == "unidentified"
        ]
    )


def capture_changes(run: Replayed, made: dict[str, Any] | None) -> list[str]:
    """Which captures are new, gone, or have another manifest than when the observation was made."""
    if made is None:
        return ["no provenance file says which captures the observation was made from"]
    was = {entry["capture"]: entry["sha256"] for entry in made["captures"]}
    now = {capture.id: digest_of(capture.folder / MANIFEST) for capture in run.captures}
    found = [f"{capture}: a capture that was not there" for capture in sorted(now.keys() - was.keys())]
    found += [f"{capture}: a capture that is gone" for capture in sorted(was.keys() - now.keys())]
    found += [f"{c}: a capture that was changed" for c in sorted(now.keys() & was.keys()) if was[c] != now[c]]
    return _few(found)


def _few(sentences: list[str]) -> list[str]:
    rest = len(sentences) - MOST
    return sentences[:MOST] + ([f"and {rest} more"] if rest > 0 else [])
