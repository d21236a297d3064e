"""Writes a matrix as Markdown: a table of claims against versions, what stands behind each state, and the history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from validator.matrix import HOLDS, INAPPLICABLE, SILENT, UNJUDGED, VIOLATED

SIGNS = {HOLDS: "✓", VIOLATED: "✗", SILENT: "·", INAPPLICABLE: "–", UNJUDGED: "?"}
"""What stands in a cell."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|&~!])")


def escaped(text: Any) -> str:
    """Return a text in which Markdown and HTML find nothing to act on."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split())).replace("\\<", "&lt;").replace("\\&", "&amp;")


def render(document: dict[str, Any]) -> str:
    """Return the matrix as Markdown."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    versions = document["versions"]
    totals = document["totals"]
    yield f"# Versions against claims: {escaped(document['producer'])}"
    yield ""
    yield (
        f"{totals['captures']} captures of {len(versions)} versions, {len(document['claims'])} claims, "
        f"{totals['records']} records: {totals['errors']} errors, {totals['notices']} notices, {totals['gaps']} gaps. "
        f"{escaped(document['validator'])}, converter {escaped(document['converter'] or 'unknown')}."
    )
    yield ""
    yield ", ".join(f"{SIGNS[status]} {status}" for status in SIGNS) + "; a number is that of subjects."
    yield ""
    yield "| claim | " + " | ".join(escaped(name(version)) for version in versions) + " |"
    yield "|---|" + "---|" * len(versions)
    cells = {(c["claim"], c["package"], c["version"]): c for c in document["cells"]}
    for claim in document["claims"]:
        row = [cells[claim["claim"], version["package"], version["version"]] for version in versions]
        yield f"| {escaped(claim['claim'])} | " + " | ".join(_cell(cell) for cell in row) + " |"
    yield ""
    yield from _captures(document)
    yield from _timelines(document)


def name(version: dict[str, Any]) -> str:
    """Name a version shortly: the package's own part of its name, and the number."""
    package = str(version["package"] or "unknown")
    return f"{package} {version['version'] or 'unknown'}"


def _cell(cell: dict[str, Any]) -> str:
    sign = SIGNS[cell["status"]]
    if cell["status"] == HOLDS:
        return f"{sign} {cell['subjects']}"
    return f"{sign} {cell['violations']} of {cell['subjects']}" if cell["status"] == VIOLATED else sign


def _captures(document: dict[str, Any]) -> Iterator[str]:
    yield "## Sums"
    yield ""
    sums = ("native", "records", "excluded", "lost", "duplicated", "unreadable")
    counts = ("streams", "errors", "notices", "gaps", "unidentifiedSources")
    yield f"| capture | verdict | {' | '.join(sums)} | streams | errors | notices | gaps | unidentified |"
    yield "|---|---|" + "--:|" * (len(sums) + len(counts))
    for capture in document["captures"]:
        numbers = [capture["conservation"][sum_] for sum_ in sums] + [capture["counts"][count] for count in counts]
        cells = " | ".join(map(str, numbers))
        yield f"| {escaped(capture['capture'])} | {capture['verdict']} | {cells} |"
    yield ""
    for capture in document["captures"]:
        for finding in capture["findings"]:
            where = ", ".join(f"{key} {value}" for key, value in finding["where"].items())
            yield (
                f"- {escaped(capture['capture'])}: {escaped(finding['claim'])} at {escaped(where)}: expected "
                f"{escaped(finding['expected'])}, found {escaped(finding['found'])}"
            )


def _timelines(document: dict[str, Any]) -> Iterator[str]:
    for history in document["timeline"]:
        yield f"## What came when: {escaped(history['format'])}"
        yield ""
        yield "| layout | releases | new tables | new columns |"
        yield "|---|---|---|---|"
        for layout in history["layouts"]:
            yield _layout(history, layout["layout"], ", ".join(map(escaped, layout["releases"])))
        yield _layout(history, "source", "no release yet: read in the source only")


def _layout(history: dict[str, Any], layout: int | str, releases: str) -> str:
    tables = [table["table"] for table in history["tables"] if table["since"] == layout]
    columns = [
        f"{table['table']}.{column['column']}"
        for table in history["tables"]
        for column in table["columns"]
        if column["since"] == layout and table["since"] != layout
    ]
    listed = [", ".join(escaped(name) for name in names) or "–" for names in (tables, columns)]
    return f"| {layout} | {releases} | {listed[0]} | {listed[1]} |"
