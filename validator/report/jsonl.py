"""Renders a report as JSON Lines (schema ``report-line``): what to stream, or to filter line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from validator.report.formats import View
from validator.report.visible import json_text

OWN_LINES = {"claims": "claim", "findings": "finding", "notices": "notice"}
"""What an entry lists, and the kind of line that each item becomes."""


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield a line for each capture, claim, finding and notice, and the totals last."""
    for item in _items(report, view):
        yield json_text(item) + "\n"


def _items(report: dict[str, Any], view: View) -> Iterator[dict[str, Any]]:
    for number, entry in enumerate(report["captures"]):
        yield {"line": "capture", **{name: value for name, value in entry.items() if name not in OWN_LINES}}
        for member, kind in OWN_LINES.items():
            listed: Iterable[dict[str, Any]] = entry.get(member, ())
            if member == "findings" and view.findings is not None:
                listed = view.findings(number)
            for item in listed:
                yield {"line": kind, "capture": entry["capture"], **item}
    yield {"line": "totals", **{name: value for name, value in report.items() if name != "captures"}}
