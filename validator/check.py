"""The main job: every capture that the targets name is replayed and judged, and the report summed up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from validator import claims as claims_station
from validator.capture import Capture, find
from validator.descriptor import Descriptor, load
from validator.observation import ObservationError, observation, same
from validator.replay import NamespaceError, Options, Replay, replay
from validator.report import capture_report, converter_name, report
from validator.report.findings import describe


def check(
    targets: Sequence[str],
    descriptor: str | None,
    options: Options,
    fail_on: str = "error",
    tell: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Check targets and return the report (schema ``report``).

    ``tell`` is told after each capture how many of how many are done. Raises the errors of wrong usage and wrong
    configuration; faults of a capture or a converter, and a namespace that one capture lacks, are in the report.
    """
    known = load(descriptor)
    captures = find(targets, known)
    entries = []
    for number, capture in enumerate(captures, 1):
        entries.append(check_capture(capture, known, options, fail_on))
        if tell is not None:
            tell(number, len(captures))
    return report(entries)


def check_capture(capture: Capture, descriptor: Descriptor, options: Options, fail_on: str) -> dict[str, Any]:
    """Replay and judge one capture; returns its entry, with the converter's name beside the entry's own members."""
    rules = claims_station.load_notices(descriptor)
    try:
        result = replay(capture, descriptor, claims_station.load(descriptor), rules, options, describe)
    except NamespaceError as error:
        result = Replay(capture, misused=True, problems=[str(error)])
    entry = capture_report(result, descriptor, fail_on)
    entry["converter"] = converter_name(result)
    return entry


def observe(
    targets: Sequence[str], descriptor: str | None, options: Options
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the observation of captures of one package, version and revision, and the report behind it.

    The observation is None when a capture or the converter gave none. Raises ``ObservationError`` for captures that
    differ in package, version or revision, or that have no manifest.
    """
    known = load(descriptor)
    return _observe(_with_manifest(find(targets, known)), known, options)


def observe_by_version(
    targets: Sequence[str], descriptor: str | None, options: Options
) -> dict[str, tuple[dict[str, Any] | None, dict[str, Any]]]:
    """Return an observation for each package and version among captures, by ``PACKAGE-VERSION``, sorted."""
    known = load(descriptor)
    groups: dict[str, list[Capture]] = {}
    for capture in _with_manifest(find(targets, known)):
        manifest = capture.manifest or {}
        name = f"{manifest.get('package')}-{manifest.get('version')}"
        if not re.fullmatch(r"[A-Za-z0-9._+-]+", name):
            raise ObservationError(
                f"{capture.id}: package and version {name!r} cannot name a file; correct the manifest"
            )
        groups.setdefault(name, []).append(capture)
    return {name: _observe(groups[name], known, options) for name in sorted(groups)}


def _with_manifest(captures: list[Capture]) -> list[Capture]:
    for capture in captures:
        if capture.manifest is None and capture.problem is None:
            raise ObservationError(f"{capture.id}: not a capture; make one, so that version and date are on record")
    return captures


def _observe(
    captures: list[Capture], descriptor: Descriptor, options: Options
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    manifests = [capture.manifest for capture in captures if capture.manifest is not None]
    if manifests:
        same(manifests)
    made = report([check_capture(capture, descriptor, options, "error") for capture in captures])
    if not manifests or any("observation" not in entry for entry in made["captures"]):
        return None, made
    return observation(manifests, made["totals"], made["validator"], made["converter"]), made
