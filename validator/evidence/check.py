"""Holds the committed observations of a descriptor against a fresh replay, member by member.

Hands on plain data (schema ``evidence-check``): for each observed item whether it was reproduced, and where it was not
which member differs, and why as far as that can be told: which capture gives other counts, which claim is violated,
which file is another than when the observation was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from validator import verdict
from validator.descriptor import Descriptor
from validator.evidence.digests import converter_files, descriptor_files
from validator.evidence.fresh import Replayed
from validator.evidence.fresh import replayed as replay_captures
from validator.evidence.items import Item, latest, same_version
from validator.evidence.provenance import recorded
from validator.evidence.scope import tools
from validator.evidence.why import capture_changes, count_reasons
from validator.observation import COUNTS
from validator.replay import Options

CHECK_VERSION = "0.1"
REPRODUCED, DIFFERS, NOT_HERE = "reproduced", "differs", "not reproducible here"
SUPERSEDED, FAILED = "superseded", "failed"

LONGEST = 200
"""Characters of a text that are shown."""


def check(
    descriptor: Descriptor,
    targets: Sequence[str],
    options: Options,
    tell: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Replay the captures that targets name, or that ship, and hold the observed items against what they give.

    Raises ``EvidenceError`` and the errors of wrong usage.
    """
    runs = replay_captures(descriptor, targets, options, tell)
    side = recorded(descriptor.folder)
    items: list[Item] = descriptor.document["evidence"]
    results = [
        _result(index, items, runs, side, descriptor)
        for index, item in enumerate(items)
        if item["label"] == "observed"
    ]
    return {
        "check": CHECK_VERSION,
        "descriptor": descriptor.name,
        "exit": _exit(results, runs),
        "captures": sum(len(run.captures) for run in runs),
        "items": results,
        "uncommitted": [
            {"package": run.package, "version": run.told} for run in runs if not _committed(items, run)
        ],
    }


def _committed(items: Sequence[Item], run: Replayed) -> bool:
    """Whether there is an item that a run should reproduce."""
    if run.block is not None:
        return latest(items, run.block) is not None
    return any(item["label"] == "observed" and item["version"] == run.told for item in items)


def _exit(results: Sequence[dict[str, Any]], runs: Sequence[Replayed]) -> int:
    """The gravest of: a converter or capture that failed, an item that differs, nothing that could be checked."""
    failed = [run.report["verdict"] for run in runs if run.block is None]
    if failed:
        return verdict.EXIT[verdict.gravest(failed)]
    statuses = {result["status"] for result in results}
    if DIFFERS in statuses:
        return verdict.EXIT[verdict.DOES_NOT_CONFORM]
    return 0 if REPRODUCED in statuses else verdict.EXIT[verdict.NOT_CHECKED]


def _result(
    index: int, items: list[Item], runs: Sequence[Replayed], side: dict[str, Any] | None, descriptor: Descriptor
) -> dict[str, Any]:
    item = items[index]
    entry: dict[str, Any] = {"index": index, "version": item["version"][:LONGEST]}
    run = next((run for run in runs if run.block is not None and same_version(item, run.block)), None)
    if run is None:
        return {**entry, **_without(item, runs)}
    last = latest(items, item)
    if last != index:
        return {**entry, "status": SUPERSEDED, "reason": f"evidence {last} is a later observation of this version"}
    made = _made(side, run)
    differences = list(_differences(item, run, made, descriptor, side))
    return {**entry, "status": DIFFERS if differences else REPRODUCED, "differences": differences}


def _without(item: Item, runs: Sequence[Replayed]) -> dict[str, Any]:
    """What is said of an item to which no observation of the replay belongs."""
    same = [run for run in runs if run.told == item["version"] and run.revision == item["revision"]]
    if not same:
        return {"status": NOT_HERE, "reason": "no capture at hand is of this version and revision"}
    block = same[0].block
    if block is None:
        return {"status": FAILED, "reason": (same[0].reason or "the replay gave no observation")[:LONGEST]}
    ours, theirs = ", ".join(tools(block["converter"])), ", ".join(tools(item["converter"]))
    return {"status": NOT_HERE, "reason": f"made with the converter {theirs}; the one here is {ours}"[:LONGEST]}


def _made(side: dict[str, Any] | None, run: Replayed) -> dict[str, Any] | None:
    """What the side file says of the captures of a run."""
    key = (run.package, run.version, run.revision)
    for entry in (side or {}).get("observations", ()):
        if (entry["package"], entry["version"], entry["revision"]) == key:
            return dict(entry)
    return None


def _differences(
    item: Item, run: Replayed, made: dict[str, Any] | None, descriptor: Descriptor, side: dict[str, Any] | None
) -> Iterator[dict[str, Any]]:
    assert run.block is not None
    since = _changed_since(side, made, run, descriptor)
    for name in COUNTS:
        was, now = item["validation"][name], run.block["validation"][name]
        if was != now:
            why = [*count_reasons(name, run, made), *since]
            yield {"member": f"validation.{name}", "committed": was, "fresh": now, "why": why}
    for name, now in run.block.items():
        if name != "validation" and item[name] != now:
            why = capture_changes(run, made) if name in ("date", "scope", "limitations") else []
            yield {"member": name, "committed": item[name][:LONGEST], "fresh": now[:LONGEST], "why": why}


def _changed_since(
    side: dict[str, Any] | None, made: dict[str, Any] | None, run: Replayed, descriptor: Descriptor
) -> list[str]:
    """What is another file than when the observation was made."""
    if side is None:
        return ["no provenance file says what the observation was made from"]
    was = {entry["file"]: entry["sha256"] for entry in side["files"]}
    now = descriptor_files(descriptor.folder)
    for converter in side["converters"]:
        was.update({f"validator/{entry['file']}": entry["sha256"] for entry in converter["files"]})
        files = converter_files(tools(converter["name"])[0]) or {}
        now.update({f"validator/{file}": digest for file, digest in files.items()})
    changed = sorted(file for file in {*was, *now} if was.get(file) != now.get(file))
    found = [f"changed since: {', '.join(changed)}"] if changed else []
    return found + (capture_changes(run, made) if made is not None else [])
