"""Writes what an audit found into the native shape and the vocabulary, as a diff for a person to review.

New tables, columns and words are added; a changed declaration becomes the current one, with the old as variants. What
is gone stays: older stores have it. Hands on a line for each thing that a person must still decide.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from validator.audit import Audit, Drift
from validator.audit.layout import Column, Layout, Table
from validator.audit.style import styled
from validator.capture import TargetError
from validator.descriptor import Descriptor

Document = dict[str, Any]


def update(descriptor: Descriptor, found: Audit) -> list[str]:
    """Update the files of a descriptor; returns what was done and what is left to decide, a line each."""
    format_id = found.shape.format
    shape = deepcopy(found.shape.document)
    vocabulary = deepcopy(found.vocabulary.document)
    lines: list[str] = []
    for _, layout in found.target.layouts:
        for drift in found.drift:
            lines.extend(_apply(drift, layout, shape, vocabulary))
        lines.extend(_release(shape, layout.version, found.target.package, found.target.version))
    _save(descriptor.folder / "formats" / f"{format_id}.json", shape, found.shape.document, lines)
    _save(descriptor.folder / "vocabularies" / f"{format_id}.json", vocabulary, found.vocabulary.document, lines)
    return list(dict.fromkeys(lines)) or ["nothing to write"]


def _save(path: Path, document: Document, before: Document, lines: list[str]) -> None:
    if document == before:
        return
    try:
        path.write_text(styled(document), encoding="utf-8", newline="\n")
    except OSError as error:
        raise TargetError(f"{path.name}: cannot be written: {error.strerror}; audit in a checkout") from None
    lines.append(f"wrote {path.parent.name}/{path.name}: review the diff")


def _apply(drift: Drift, layout: Layout, shape: Document, vocabulary: Document) -> list[str]:
    """Apply one difference where it can be written down."""
    if drift.kind in ("value", "member"):
        return _add_word(vocabulary, drift)
    table = layout.tables.get(drift.name.split(".")[0])
    if drift.kind == "layout" or drift.kind == "index":
        return []
    if table is None or drift.change == "gone":
        return [f"{drift.name} is gone: it stays in the shape, for older stores; see which claims that touches"]
    if drift.kind == "table" and drift.change == "new":
        return _add_table(shape, table, layout.version)
    spec = next(item for item in shape["tables"] if item["name"] == table.name)
    if drift.kind == "key":
        return [*_add_key(spec, table), f"{table.name}: its key changed; see that both keys name the same units"]
    if drift.kind == "table":
        return _came_earlier(spec, table, layout.version)
    column = table.column(drift.name.split(".", 1)[1])
    return _column(spec, column, drift, shape, layout.version) if column is not None else []


def _column(spec: Document, column: Column, drift: Drift, shape: Document, at: int | None) -> list[str]:
    if drift.change == "new":
        spec["columns"].append(_written(column, at))
        return []
    item = next(known for known in spec["columns"] if known["name"] == column.name)
    if drift.change == "early":
        _earlier(item, column, at)
        return []
    newest = max((int(release["layout"]) for release in shape.get("releases", ())), default=0)
    if at is None or at <= newest:
        _add_variant(item, column, at)
    else:
        old = Column(column.name, item["type"] or "", bool(item["notNull"]), item["default"])
        for release in shape.get("releases", ()):
            if isinstance(item["since"], int) and item["since"] <= release["layout"] < at:
                _add_variant(item, old, release["layout"])
        item.update(type=column.type, notNull=column.not_null, default=column.default)
    return [f"{spec['name']}.{column.name}: its declaration changed; see what that does to the claims"]


def _written(column: Column, at: int | None) -> Document:
    return {
        "name": column.name,
        "type": column.type,
        "notNull": column.not_null,
        "default": column.default,
        "since": "source" if at is None else at,
    }


def _add_variant(item: Document, column: Column, at: int | None) -> None:
    if at is None:
        return
    variant = {"layout": at, "type": column.type, "notNull": column.not_null, "default": column.default}
    variants = item.setdefault("variants", [])
    if variant not in variants:
        variants.append(variant)
        variants.sort(key=lambda known: int(known["layout"]))


def _earlier(item: Document, column: Column, at: int | None) -> None:
    """Note that a known column came with an earlier layout, or is no longer only in the source."""
    if at is None or (isinstance(item["since"], int) and item["since"] <= at):
        return
    if item["type"] is None:
        item.update(type=column.type, notNull=column.not_null, default=column.default)
    elif (column.type, column.not_null, column.default) != (item["type"], item["notNull"], item["default"]):
        _add_variant(item, column, at)
    item["since"] = at


def _came_earlier(spec: Document, table: Table, at: int | None) -> list[str]:
    if at is None:
        return []
    spec["since"] = at
    for item in spec["columns"]:
        column = table.column(item["name"])
        if column is not None:
            _earlier(item, column, at)
    return []


def _add_key(spec: Document, table: Table) -> list[str]:
    if table.key and list(table.key) not in spec.setdefault("keys", []):
        spec["keys"].insert(0, list(table.key))
    return []


def _add_table(shape: Document, table: Table, at: int | None) -> list[str]:
    """Add a table as one whose rows are converted as they are, until somebody says what they mean."""
    unknown = shape.get("unknown", {"entity": "unknown", "family": "current-state", "stream": "store"})
    shape["tables"].append(
        {
            "name": table.name,
            "class": "converted",
            "entity": unknown["entity"],
            "family": unknown["family"],
            "stream": unknown["stream"],
            "keys": [list(table.key)] if table.key else [],
            "since": "source" if at is None else at,
            "columns": [_written(column, at) for column in table.columns],
        }
    )
    return [f"{table.name} is written as entity {unknown['entity']!r}: say what its rows are, or give it class context"]


def _add_word(vocabulary: Document, drift: Drift) -> list[str]:
    for place in vocabulary.get("places", ()):
        if place["columns"][0] + place.get("at", "") == drift.name:
            place["known"] = sorted({*place["known"], drift.word})
    if drift.level == "semantic":
        return [f"{drift.name}: {drift.word!r} is new; see what it means for the claims it touches"]
    return []


def _release(shape: Document, at: int | None, package: str | None, version: str | None) -> list[str]:
    """Note which release writes the layout."""
    if at is None or not package or not version:
        return []
    releases = shape.setdefault("releases", [])
    if any(item["package"] == package and version in item["versions"] for item in releases):
        return []
    for item in releases:
        if item["package"] == package and item["layout"] == at:
            item["versions"].append(version)
            return []
    releases.append({"layout": at, "package": package, "versions": [version]})
    releases.sort(key=lambda item: int(item["layout"]))
    return []
