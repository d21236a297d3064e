"""The main job: every capture that the targets name is replayed and judged, and the report summed up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from validator.capture import Capture, find
from validator.descriptor import Descriptor, load
from validator.jobs import Job, Tell, judge, judge_all
from validator.observation import ObservationError, observation, same
from validator.replay import Options
from validator.report import report
from validator.shards import Shard


def check(
    targets: Sequence[str],
    descriptor: str | None,
    options: Options,
    fail_on: str = "error",
    tell: Tell | None = None,
    *,
    executor: Executor | None = None,
    shard: Shard | None = None,
    findings: Path | None = None,
) -> dict[str, Any]:
    """Check targets and return the report (schema ``report``).

    ``tell`` is told of each capture. ``executor``: where captures are judged, such as a process pool or what Dask's
    ``Client.get_executor()`` gives; without one, here. ``shard``: the share of the captures that is judged.
    ``findings``: a folder in which all findings are kept. Raises the errors of wrong usage and wrong configuration;
    faults of a capture or a converter, and a namespace that one capture lacks, are in the report.
    """
    known = load(descriptor)
    captures = find(targets, known)
    job = Job(str(known.folder.absolute()), options, fail_on, findings)
    judged = judge_all(captures if shard is None else shard.of(captures), job, executor, tell)
    return report([one.entry for one in judged], shard, len(captures))


def places(targets: Sequence[str], descriptor: str | None, shard: Shard | None = None) -> list[str | None]:
    """Return for each capture where its files are, relative to the current folder; None where that is not below it."""
    known = load(descriptor)
    captures = find(targets, known)
    return [_place(capture.root) for capture in (captures if shard is None else shard.of(captures))]


def _place(root: Path) -> str | None:
    try:
        return root.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return None


def check_capture(capture: Capture, descriptor: Descriptor, options: Options, fail_on: str) -> dict[str, Any]:
    """Replay and judge one capture; returns its entry, with the converter's name beside the entry's own members."""
    return judge(capture, descriptor, Job(str(descriptor.folder), options, fail_on)).entry


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
