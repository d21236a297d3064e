"""Provenance: what the observations of a descriptor were made from, as a side file and as an in-toto statement.

``provenance`` gives the side file (schema ``provenance``): digests of the captures, of the descriptor and what stands
beside it, of the converters and of the validator, with the counts of each capture, so that a later check can say what
changed. ``statement`` gives an in-toto Statement v1 with the test-result predicate. Both are deterministic.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from validator import __version__
from validator import claims as claims_station
from validator.capture.manifest import MANIFEST, digest_of
from validator.descriptor import Descriptor
from validator.evidence import EvidenceError
from validator.evidence.digests import clean, converter_files, descriptor_files, together, validator_digest
from validator.evidence.fresh import Replayed
from validator.evidence.items import latest
from validator.evidence.scope import tools
from validator.observation import COUNTS
from validator.report import VALIDATOR

SIDE_FILE = "provenance.json"
AGAIN = "write it again with validator evidence provenance --write"
STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"


def provenance(descriptor: Descriptor, runs: Sequence[Replayed]) -> dict[str, Any]:
    """Return what the observations of a replay are made from. Raises ``EvidenceError`` when a run gave none."""
    return {
        "provenance": "0.1",
        "validator": {"name": VALIDATOR, "version": __version__, "sha256": validator_digest(), "clean": clean()},
        "descriptor": {"name": descriptor.name, "sha256": digest_of(descriptor.folder / "descriptor.json")},
        "files": [{"file": file, "sha256": digest} for file, digest in descriptor_files(descriptor.folder).items()],
        "converters": [_converter(name) for name in _converters(runs)],
        "observations": [_observation(descriptor, run) for run in runs],
    }


def _converters(runs: Sequence[Replayed]) -> list[str]:
    return sorted({name for run in runs if run.block for name in run.block["converter"].split(", ")})


def _converter(name: str) -> dict[str, Any]:
    files = converter_files(tools(name)[0]) or {}
    return {"name": name, "files": [{"file": file, "sha256": digest} for file, digest in files.items()]}


def _observation(descriptor: Descriptor, run: Replayed) -> dict[str, Any]:
    if run.block is None:
        raise EvidenceError(f"{run.package} {run.version}: no observation: {run.reason}; see validator check")
    counts = {entry["capture"]: entry["counts"] for entry in run.report["captures"]}
    return {
        "evidence": latest(descriptor.document["evidence"], run.block),
        "package": run.package,
        "version": run.version,
        "revision": run.revision,
        "captures": [
            {
                "capture": capture.id,
                "sha256": digest_of(capture.folder / MANIFEST),
                "counts": {name: counts[capture.id][name] for name in COUNTS},
            }
            for capture in sorted(run.captures, key=lambda capture: capture.id)
        ],
    }


def recorded(folder: Path) -> dict[str, Any] | None:
    """Return the side file beside a descriptor; None where there is none. Raises ``EvidenceError`` if it is broken."""
    from validator.schemas import errors

    path = folder / SIDE_FILE
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise EvidenceError(f"{folder.name}/{SIDE_FILE}: is not JSON; {AGAIN}") from None
    for pointer, message in errors("provenance", document):
        raise EvidenceError(f"{folder.name}/{SIDE_FILE}: at {pointer or '/'}: {message}; {AGAIN}")
    return dict(document)


def statement(descriptor: Descriptor, runs: Sequence[Replayed]) -> dict[str, Any]:
    """Return the in-toto statement of a replay: the descriptor and its converters were tested, and how it went."""
    made = provenance(descriptor, runs)
    passed, warned, failed = _tests(descriptor, runs)
    subjects = [_resource(f"descriptor/{descriptor.name}", made["descriptor"]["sha256"])]
    for converter in made["converters"]:
        digest = together({entry["file"]: entry["sha256"] for entry in converter["files"]})
        subjects.append(_resource(f"converter/{converter['name']}", digest))
    configuration = [
        {
            **_resource(VALIDATOR, made["validator"]["sha256"]),
            "annotations": {"workingTreeClean": made["validator"]["clean"]},
        },
        *(_resource(f"descriptor/{descriptor.name}/{entry['file']}", entry["sha256"]) for entry in made["files"]),
        *(
            _resource(f"capture/{capture['capture']}", capture["sha256"])
            for run in made["observations"]
            for capture in run["captures"]
        ),
    ]
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": TEST_RESULT,
        "predicate": {
            "result": "FAILED" if failed else "WARNED" if warned else "PASSED",
            "configuration": configuration,
            "passedTests": passed,
            "warnedTests": warned,
            "failedTests": failed,
        },
    }


def _resource(name: str, digest: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest}}


def _tests(descriptor: Descriptor, runs: Sequence[Replayed]) -> tuple[list[str], list[str], list[str]]:
    """The claims that held, that gave a notice, and that failed; one without a subject is in none of the lists."""
    levels = {claim.id: claim.level for claim in claims_station.load(descriptor)}
    entries = [entry for run in runs for entry in run.report["captures"]]
    violated = {claim["claim"] for entry in entries for claim in entry["claims"] if claim["violations"]}
    exercised = {claim["claim"] for entry in entries for claim in entry["claims"] if claim["subjects"]}
    broken = [f"capture/{entry['capture']}: record-schema" for entry in entries if _breaks_schema(entry)]
    failed = sorted(name for name in violated if levels.get(name, "error") == "error")
    warned = sorted(violated - set(failed))
    return sorted(exercised - violated), warned, sorted([*failed, *broken])


def _breaks_schema(entry: dict[str, Any]) -> bool:
    """Whether there are errors that no claim accounts for: lines that break the record schema."""
    return entry["counts"]["errors"] > 0 and not any(claim["violations"] for claim in entry["claims"])
