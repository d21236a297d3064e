"""Names the output formats of a report and renders one: each is a module of this folder, a pure function of the report.

The verdict and the exit code are in the report before anything is rendered; a format only shows them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

FORMATS = ("table", "json", "jsonl", "markdown", "junit", "sarif", "github")
"""Every format, by the name of its module; ``json`` is the report itself."""


@dataclass(frozen=True)
class View:
    """What a format may show beside the report."""

    engine: str | None = None
    """The schema engine that judged the lines."""
    places: Sequence[str | None] = ()
    """For each capture where its files are from here, as a relative path, if they are below."""
    findings: Callable[[int], Iterable[dict[str, Any]]] | None = None
    """Gives all findings of a capture, by its number from 0, where more were kept than the report lists."""
    color: bool = False
    """Whether the output is a terminal that shows colours."""

    def file(self, number: int, entry: dict[str, Any], source: str | None = None) -> str:
        """Return the path of a capture's file; from the capture's name where it is not below the current folder."""
        place = self.places[number] if number < len(self.places) else None
        folder = str(entry["capture"]) if place is None else place
        return "/".join(part for part in (folder, source) if part and part not in ("-", ".")) or "."


def render(name: str, report: dict[str, Any], view: View | None = None) -> Iterator[str]:
    """Yield a report in a format, piece by piece."""
    if name == "json":
        from validator.report.visible import json_text

        return iter((json_text(report, 2) + "\n",))
    module = importlib.import_module(f"validator.report.{name}")
    pieces: Iterator[str] = module.pieces(report, view or View())
    return pieces


def by_claim(entry: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Group a capture's findings by claim, errors first, in the order of the report."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for finding in sorted(entry["findings"], key=lambda finding: finding["level"] != "error"):
        groups.setdefault(finding["claim"], []).append(finding)
    return groups


def how_many(findings: Sequence[dict[str, Any]]) -> int:
    """Return how many violations the findings of one claim stand for."""
    return int(findings[0].get("count", len(findings)))


def summary(entry: dict[str, Any]) -> str:
    """Say in one line why a capture got its verdict."""
    if "message" in entry:
        return f"{entry['verdict']}: {entry['message']}"
    counts = entry["counts"]
    return f"{entry['verdict']}: {counts['errors']} errors, {counts['notices']} notices"
