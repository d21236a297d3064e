"""Renders what the lint found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.report.places import redacted

LONGEST = 500
"""Characters of what is said of a fault."""


def render(document: dict[str, Any]) -> str:
    """Return a line for each fault, and the sums."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for entry in document["descriptors"]:
        for fault in entry["faults"]:
            place = fault.get("pointer", fault.get("claim"))
            where = redacted(f"{entry['descriptor']}/{fault['file']}") + (f": {redacted(place)}" if place else "")
            said = f"{redacted(fault['message'], LONGEST)}; {redacted(fault['remedy'], LONGEST)}"
            yield f"{fault['level']}: {where}: {said} [{fault['code']}]"
    looked = sum(entry["captures"] for entry in document["descriptors"])
    totals = document["totals"]
    count = len(document["descriptors"])
    yield (
        f"{count} descriptor{'s' * (count != 1)} held against {looked} captures: {totals['errors']} errors, "
        f"{totals['notices']} notices (exit {document['exit']})"
    )
