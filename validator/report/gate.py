"""Renders what the gate found so that it is read in ten seconds: the verdict, then a row for each fact that differs.

For JUnit, SARIF and annotations, what differs becomes findings of a report, so that those formats stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

from validator.report import markdown
from validator.report.formats import View
from validator.report.formats import render as render_report
from validator.report.table import colored
from validator.report.visible import json_text, logged
from validator.verdict import CONFORMS, DOES_NOT_CONFORM

MOST_ROWS = 30
"""Rows that are shown; all are counted."""

NAMED = 3
"""Captures that a row names."""

HEADS = ("what differs", "captures", "baseline", "now")

SAYS = {
    ("regression", "verdict"): "worse verdict",
    ("regression", "records"): "lost records",
    ("regression", "finding"): "new finding",
    ("regression", "subjects"): "lost subjects",
    ("regression", "unidentified source"): "new unidentified source",
    ("regression", "capture"): "lost capture",
    ("stale", "verdict"): "better verdict",
    ("stale", "records"): "more records",
    ("stale", "finding"): "fixed finding",
    ("stale", "subjects"): "more subjects",
    ("stale", "unidentified source"): "no longer unidentified",
    ("stale", "capture"): "new capture",
}
"""What each difference is called."""


def render(name: str, document: dict[str, Any], view: View | None = None) -> Iterator[str]:
    """Yield the gate's document in a format, piece by piece."""
    if name == "json":
        yield json_text(document, 2) + "\n"
    elif name == "jsonl":
        for difference in (*document["regressions"], *document["stale"]):
            yield json_text({"line": "difference", **difference}) + "\n"
        rest = {key: value for key, value in document.items() if key not in ("regressions", "stale")}
        yield json_text({"line": "totals", **rest}) + "\n"
    elif name == "table":
        yield from _table(document, view or View())
    elif name == "markdown":
        yield from _markdown(document)
    else:
        yield from render_report(name, as_report(document), view)


def headline(document: dict[str, Any]) -> str:
    """Say in one line how it went."""
    if document["updated"]:
        return f"the baseline {document['baseline']} is updated: {_changes(document)}"
    if document["passes"]:
        return f"the gate passes: {document['captures']} captures are as the baseline says"
    return f"the gate fails: {_changes(document)} (exit {document['exit']})"


def _changes(document: dict[str, Any]) -> str:
    regressions, stale = len(document["regressions"]), len(document["stale"])
    told = [f"{regressions} regression{'s' * (regressions != 1)}"] if regressions else []
    told += [f"{stale} fact{'s' * (stale != 1)} better than the baseline says"] if stale else []
    return " and ".join(told) or "nothing differs"


def remedy(document: dict[str, Any]) -> str | None:
    """Say what to do."""
    if document["passes"]:
        return None
    if document["regressions"]:
        return "Mend the regressions; if they are meant, run gate --update and commit the baseline."
    return "Nothing got worse, but the baseline is stale: run gate --update and commit it, so that the gain stays."


def _table(document: dict[str, Any], view: View) -> Iterator[str]:
    yield colored(logged(headline(document)), document["passes"], view.color) + "\n"
    rows = _rows(document)
    if rows:
        shown = [[logged(cell) for cell in row] for row in rows[:MOST_ROWS]]
        yield "\n" + tabulate(shown, headers=list(HEADS), disable_numparse=True) + "\n"
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} rows more\n"
    told = remedy(document)
    if told:
        yield f"\n{told}\n"


def _markdown(document: dict[str, Any]) -> Iterator[str]:
    mark = "✅" if document["passes"] else "❌"
    # The name of the baseline's file is the only text in it that is not ours.
    head = headline({**document, "baseline": ""}).replace("baseline  is", "baseline is")
    yield f"# {mark} {head}\n\n"
    rows = _rows(document)
    if rows:
        yield from markdown.table(HEADS, ([markdown.code(cell) for cell in row] for row in rows[:MOST_ROWS]))
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} rows more\n\n"
    told = remedy(document)
    if told:
        yield f"{told}\n\n"
    yield f"Baseline {markdown.code(document['baseline'])}, {markdown.code(document['validator'])}, "
    yield f"converter {markdown.code(document['converter'] or 'unknown')}.\n"


def _rows(document: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Put the differences of one fact into one row, those with the most captures first within their kind."""
    rows = []
    for kind in ("regressions", "stale"):
        groups: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
        for difference in document[kind]:
            groups.setdefault((difference["what"], difference["name"]), []).append(difference)
        for (what, name), group in sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0]))):
            label = SAYS[(group[0]["kind"], what)] + (f": {name}" if name is not None else "")
            rows.append((label, _named(group), _sum(group, "baseline"), _sum(group, "now")))
    return rows


def _named(group: list[dict[str, Any]]) -> str:
    names = [str(difference["capture"]) for difference in group]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _sum(group: list[dict[str, Any]], member: str) -> str:
    values = [difference[member] for difference in group]
    if all(isinstance(value, int) for value in values):
        return str(sum(values))
    return ", ".join(dict.fromkeys("-" if value is None else str(value) for value in values))


def as_report(document: dict[str, Any]) -> dict[str, Any]:
    """Return a report whose findings are what differs, for formats that show findings."""
    captures: dict[str, list[dict[str, Any]]] = {}
    for difference in (*document["regressions"], *document["stale"]):
        captures.setdefault(difference["capture"], []).append(difference)
    entries = [_entry(name, found) for name, found in captures.items()]
    names = ("streams", "records", "errors", "notices", "gaps", "unidentifiedSources")
    decided = CONFORMS if document["passes"] else DOES_NOT_CONFORM
    return {
        "report": document["gate"],
        "verdict": decided,
        "exit": document["exit"],
        "validator": document["validator"],
        "converter": document["converter"],
        "captures": entries,
        "totals": {"captures": document["captures"], **{n: sum(e["counts"][n] for e in entries) for n in names}},
    }


def _entry(capture: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    findings = [
        {
            "claim": f"gate.{SAYS[(difference['kind'], difference['what'])].replace(' ', '-')}",
            "level": "error",
            "where": {"source": difference["name"] or "-"},
            "expected": difference["baseline"],
            "found": difference["now"],
        }
        for difference in found
    ]
    counts = dict.fromkeys(("streams", "records", "errors", "notices", "gaps", "unidentifiedSources"), 0)
    return {
        "capture": capture,
        "verdict": DOES_NOT_CONFORM,
        "counts": {**counts, "errors": len(findings)},
        "claims": [],
        "findings": findings,
    }
