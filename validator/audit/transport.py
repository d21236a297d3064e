"""Writes a layout as plain JSON and reads it back: so it comes out of the child process that read it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from validator.audit.layout import Column, Layout, Table


def to_document(layout: Layout) -> dict[str, Any]:
    """Return a layout as plain data."""
    return {
        "version": layout.version,
        "tables": [[table.name, [asdict(column) for column in table.columns]] for table in layout.tables.values()],
        "indexes": layout.indexes,
        "values": {name: sorted(words) for name, words in layout.values.items()},
        "members": {name: sorted(words) for name, words in layout.members.items()},
        "whole": layout.whole,
        "unread": list(layout.unread),
    }


def from_document(document: dict[str, Any]) -> Layout:
    """Return the layout that ``to_document`` wrote."""
    return Layout(
        version=document["version"],
        tables={
            name: Table(name, tuple(Column(**column) for column in columns)) for name, columns in document["tables"]
        },
        indexes=document["indexes"],
        values={name: frozenset(words) for name, words in document["values"].items()},
        members={name: frozenset(words) for name, words in document["members"].items()},
        whole=document["whole"],
        unread=tuple(document["unread"]),
    )
