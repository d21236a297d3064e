"""Replays the captures of a producer once more, one observation for each package, version and revision.

Hands on ``Replayed`` values: what a committed item must agree with, and behind it the report's entry of each capture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from validator.capture import Capture, find
from validator.check import check_capture
from validator.descriptor import Descriptor
from validator.evidence import EvidenceError
from validator.observation import observation
from validator.replay import Options
from validator.report import report


@dataclass(frozen=True)
class Replayed:
    """The captures of one package, version and revision, replayed."""

    package: str
    version: str
    revision: str
    captures: tuple[Capture, ...]
    report: dict[str, Any]
    """The report on these captures."""
    block: dict[str, Any] | None
    """Their observation; None when a capture or the converter gave none."""

    @property
    def told(self) -> str:
        """The version as an observation tells it."""
        return f"{self.version}; source {self.revision}"

    @property
    def reason(self) -> str | None:
        """Why there is no observation."""
        for entry in self.report["captures"]:
            if "observation" not in entry:
                return f"{entry['capture']}: {entry.get('message', entry['verdict'])}"
        return None


def replayed(
    descriptor: Descriptor,
    targets: Sequence[str],
    options: Options,
    tell: Callable[[int, int], None] | None = None,
) -> list[Replayed]:
    """Replay the captures that targets name, or those that ship, as far as they are the descriptor's producer's.

    ``tell`` is told after each capture how many of how many are done. Raises ``EvidenceError`` for captures without a
    manifest, and the errors of wrong usage.
    """
    groups: dict[tuple[str, str, str], list[Capture]] = {}
    for capture in find(targets, descriptor):
        manifest = capture.manifest
        if manifest is None:
            raise EvidenceError(f"{capture.id}: {capture.problem or 'not a capture; evidence needs a manifest'}")
        if manifest["producer"] == descriptor.name:
            key = (str(manifest["package"]), str(manifest["version"]), str(manifest["revision"]))
            groups.setdefault(key, []).append(capture)
    total, done = sum(map(len, groups.values())), 0
    results = []
    for key in sorted(groups):
        entries = []
        for capture in groups[key]:
            entries.append(check_capture(capture, descriptor, options, "error"))
            done += 1
            if tell is not None:
                tell(done, total)
        made = report(entries)
        results.append(Replayed(*key, tuple(groups[key]), made, _block(groups[key], made)))
    return results


def _block(captures: Sequence[Capture], made: dict[str, Any]) -> dict[str, Any] | None:
    if any("observation" not in entry for entry in made["captures"]):
        return None
    manifests = [capture.manifest for capture in captures if capture.manifest is not None]
    return observation(manifests, made["totals"], made["validator"], made["converter"])
