"""The baseline: what each capture gave when somebody last looked, as sorted JSON with one fact a line.

Reads and writes the file, and takes the facts from a report.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

GATE_VERSION = "0.1"

Facts = dict[str, dict[str, Any]]
"""For each capture: ``verdict``, ``records``, ``findings`` and ``subjects`` by claim, ``unidentified`` paths."""


class GateError(Exception):
    """A baseline that cannot be used: wrong usage or configuration, exit code 2."""


def names(captures: Sequence[str]) -> list[str]:
    """Give each of several captures a name of its own: the second of the same id is ``ID#2``."""
    seen: dict[str, int] = {}
    found = []
    for capture in captures:
        seen[capture] = seen.get(capture, 0) + 1
        found.append(capture if seen[capture] == 1 else f"{capture}#{seen[capture]}")
    return found


def facts(report: dict[str, Any], ids: Sequence[str] | None = None) -> Facts:
    """Take the facts from a report; ``ids`` are the names of its captures, where they are a share of a whole."""
    called = names([entry["capture"] for entry in report["captures"]]) if ids is None else ids
    return {name: _facts(entry) for name, entry in zip(called, report["captures"], strict=True)}


def _facts(entry: dict[str, Any]) -> dict[str, Any]:
    found = {claim["claim"]: claim["violations"] for claim in entry["claims"]}
    for finding in entry["findings"]:
        found[finding["claim"]] = max(found.get(finding["claim"], 0), finding.get("count", 1))
    return {
        "verdict": entry["verdict"],
        "records": entry["counts"]["records"],
        "findings": {claim: count for claim, count in found.items() if count},
        "subjects": {claim["claim"]: claim["subjects"] for claim in entry["claims"] if claim["subjects"]},
        "unidentified": sorted(s["path"] for s in entry["sources"] if s["status"] == "unidentified"),
    }


def read(file: str) -> Facts:
    """Read a baseline; raises ``GateError`` with what to do."""
    from validator.schemas import errors

    try:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise GateError(f"{file}: there is no such baseline; make it with gate --update, and commit it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise GateError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    except (ValueError, RecursionError) as error:
        raise GateError(f"{file}: is not JSON: {error}; restore it, or make it anew with gate --update") from None
    for pointer, message in errors("gate-baseline", document):
        raise GateError(f"{file}: is no baseline: at {pointer or '/'}: {message}; make it anew with gate --update")
    captures: Facts = document["captures"]
    return captures


def text(captures: Facts) -> str:
    """Return a baseline as it stands in its file: sorted, one fact a line."""
    from validator.report.visible import json_text

    ordered = json.loads(json.dumps({"captures": captures, "gate": GATE_VERSION}, sort_keys=True))
    return json_text(ordered, 1) + "\n"


def write(file: str, captures: Facts) -> None:
    """Write a baseline, whole or not at all; raises ``GateError``."""
    target = Path(file)
    try:
        descriptor, scratch = tempfile.mkstemp(prefix=".gate-", dir=target.absolute().parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text(captures))
            Path(scratch).chmod(0o644)
            Path(scratch).replace(target)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise GateError(f"{file}: cannot be written: {error.strerror}; name another --baseline") from None
