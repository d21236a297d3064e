"""Renders what became of a descriptor's observations in a fresh replay, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.report.places import redacted


def render(document: dict[str, Any]) -> str:
    """Return a line for each item, what differs below it, and the sums."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for item in document["items"]:
        reason = f": {redacted(item['reason'])}" if "reason" in item else ""
        yield f"evidence {item['index']}: {item['status']}: {redacted(item['version'])}{reason}"
        for difference in item.get("differences", ()):
            was, now = (redacted(str(difference[name])) for name in ("committed", "fresh"))
            yield f"  {difference['member']}: committed {was}, fresh {now}"
            for why in difference["why"]:
                yield f"    {redacted(why, 500)}"
    for missing in document["uncommitted"]:
        name = redacted(f"{missing['package']} {missing['version']}")
        yield f"not in the descriptor: {name}; add its observation with validator evidence add"
    counts: dict[str, int] = {}
    for item in document["items"]:
        counts[item["status"]] = counts.get(item["status"], 0) + 1
    told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no observation"
    yield f"{document['descriptor']}, {document['captures']} captures replayed: {told} (exit {document['exit']})"
