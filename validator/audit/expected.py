"""What an audit holds a target against: the native shape as it was at a layout, or another version's layout.

Both become an ``Expected``; the comparison does not know which it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from validator.audit.layout import Layout
from validator.audit.vocabulary import Vocabulary
from validator.descriptor.shape import Shape

Declaration = tuple[str, bool, str | None]


@dataclass(frozen=True)
class ExpectedColumn:
    """A column that is known."""

    declared: tuple[Declaration, ...]
    """Ways in which it may be declared, the current one first; none where only the source shows the column."""
    required: bool
    """Whether the target's layout must have it."""
    since: int | str | None = None
    """For a column that came later than the target's layout: when."""


@dataclass(frozen=True)
class ExpectedTable:
    """A table that is known."""

    columns: dict[str, ExpectedColumn]
    keys: tuple[tuple[str, ...], ...] | None
    """Ways in which its primary key may be; None where that does not matter."""
    required: bool
    since: int | str | None = None


@dataclass(frozen=True)
class Expected:
    """What is known."""

    of: str
    """In words, for the report."""
    tables: dict[str, ExpectedTable]
    words: dict[str, frozenset[str]]
    """Known values and members by place."""
    layouts: frozenset[int]
    """Known layout numbers; none where they do not matter."""
    indexes: dict[str, str] | None = None
    """Known indexes; None where they do not matter."""


def of_shape(shape: Shape, vocabulary: Vocabulary, target: Layout, package: str | None = None) -> Expected:
    """Return what the shape says of the target's layout; an unknown layout must have everything that ever came.

    A table that the package's releases never make, or that a store does not have yet, need not be there.
    """
    layouts = frozenset(int(release["layout"]) for release in shape.releases)
    newest = max(layouts, default=0)
    at = target.version if target.version is not None else newest
    absent = {
        name
        for release in shape.releases
        if release["layout"] == at and release["package"] == package
        for name in release.get("without", ())
    }
    return Expected(
        of=f"the native shape of {shape.format} (newest layout {newest})",
        tables={item["name"]: _table(item, at, target.whole, absent) for item in shape.document["tables"]},
        words={place.name: place.known for place in vocabulary.places},
        layouts=layouts,
    )


def of_layout(layout: Layout, name: str) -> Expected:
    """Return what another version's layout says."""
    tables = {
        table.name: ExpectedTable(
            {column.name: ExpectedColumn((column.declaration,), required=True) for column in table.columns},
            (table.key,),
            required=layout.whole,
        )
        for table in layout.tables.values()
    }
    numbers = frozenset() if layout.version is None else frozenset([layout.version])
    return Expected(name, tables, {**layout.values, **layout.members}, numbers, layout.indexes)


def _table(item: dict[str, Any], at: int, whole: bool, absent: set[str]) -> ExpectedTable:
    columns = {}
    for column in item["columns"]:
        declared = [] if column["type"] is None else [_declaration(column)]
        declared += [_declaration(variant) for variant in column.get("variants", ())]
        since = column["since"]
        came = isinstance(since, int) and since <= at
        columns[column["name"]] = ExpectedColumn(tuple(declared), came, None if came else since)
    since = item["since"]
    came = isinstance(since, int) and since <= at
    keys = tuple(tuple(key) for key in item["keys"]) if item.get("keys") and item["class"] == "converted" else None
    required = came and (whole or not item.get("lazy", False)) and item["name"] not in absent
    return ExpectedTable(columns, keys, required, None if came else since)


def _declaration(column: dict[str, Any]) -> Declaration:
    return str(column["type"] or "").upper(), bool(column["notNull"]), column["default"]
