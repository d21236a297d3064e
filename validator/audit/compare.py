"""Compares a target's layout with what is expected, and hands on the drift: each difference with its class and claims.

Classes: ``additive`` (a converter that keeps whole rows stays right), ``semantic`` (what is known may now mean
something else), ``breaking`` (what a converter reads is gone or of another kind).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from validator.audit.expected import Declaration, Expected, ExpectedTable
from validator.audit.layout import Column, Layout, Table
from validator.audit.touched import Touched
from validator.audit.vocabulary import Place, Vocabulary
from validator.descriptor.shape import Shape

ADDITIVE, SEMANTIC, BREAKING = "additive", "semantic", "breaking"


@dataclass(frozen=True)
class Drift:
    """One difference."""

    kind: str
    """``table``, ``column``, ``key``, ``value``, ``member``, ``index`` or ``layout``."""
    name: str
    change: str
    """``new``, ``changed``, ``gone`` or ``early``."""
    level: str
    """The class: additive, semantic or breaking."""
    detail: str
    claims: tuple[str, ...]
    word: str = ""
    """The new value or member."""


def compare(target: Layout, expected: Expected, shape: Shape, vocabulary: Vocabulary, touched: Touched) -> list[Drift]:
    """Return the differences, sorted by kind and name; breaking ones first."""
    found = [
        *_layouts(target, expected),
        *_tables(target, expected, touched),
        *_words(target, expected, shape, vocabulary, touched),
        *_indexes(target, expected),
    ]
    order = (BREAKING, SEMANTIC, ADDITIVE)
    kinds = ("layout", "table", "key", "column", "value", "member", "index")
    return sorted(found, key=lambda drift: (order.index(drift.level), kinds.index(drift.kind), drift.name))


def _layouts(target: Layout, expected: Expected) -> Iterator[Drift]:
    if target.version is None or not expected.layouts or target.version in expected.layouts:
        return
    detail = f"layout {target.version}, known up to {max(expected.layouts)}"
    yield Drift("layout", str(target.version), "new", ADDITIVE, detail, ())


def _tables(target: Layout, expected: Expected, touched: Touched) -> Iterator[Drift]:
    for name, table in target.tables.items():
        known = expected.tables.get(name)
        if known is None:
            if not name.startswith("sqlite_"):
                key = f"; key {', '.join(table.key)}" if table.key else "; no key"
                names = ", ".join(column.name for column in table.columns)
                detail = f"new: {names}{key}"
                yield Drift("table", name, "new", ADDITIVE, detail, tuple(touched.by_new()))
            continue
        if known.since is not None:
            yield _early("table", name, known.since, target, tuple(touched.by_new()))
        yield from _columns(target, table, known, touched)
        yield from _key(table, known, touched)
    for name, known in expected.tables.items():
        if known.required and name not in target.tables and not name.startswith("sqlite_"):
            yield Drift("table", name, "gone", BREAKING, "the table is not there", tuple(touched.by_table(name)))


def _early(kind: str, name: str, since: int | str, target: Layout, claims: tuple[str, ...]) -> Drift:
    seen = "no layout, only in the source" if since == "source" else f"layout {since}"
    here = "here already" if target.version is None else f"in layout {target.version} already"
    return Drift(kind, name, "early", ADDITIVE, f"known from {seen}; {here}", claims)


def _columns(target: Layout, table: Table, known: ExpectedTable, touched: Touched) -> Iterator[Drift]:
    for column in table.columns:
        name = f"{table.name}.{column.name}"
        expected = known.columns.get(column.name)
        if expected is None:
            yield Drift("column", name, "new", ADDITIVE, f"new: {column}", tuple(touched.by_new()))
            continue
        if expected.since is not None and known.since is None:
            claims = tuple(touched.by_column(table.name, column.name))
            yield _early("column", name, expected.since, target, claims)
        if expected.declared and column.declaration not in expected.declared:
            level, detail = _change(column, expected.declared[0])
            claims = tuple(touched.by_column(table.name, column.name))
            yield Drift("column", name, "changed", level, detail, claims)
    for column_name, expected in known.columns.items():
        if expected.required and table.column(column_name) is None:
            claims = tuple(touched.by_column(table.name, column_name))
            yield Drift("column", f"{table.name}.{column_name}", "gone", BREAKING, "the column is not there", claims)


def _change(column: Column, known: Declaration) -> tuple[str, str]:
    """Return the class and the words of a changed declaration."""
    kind, not_null, default = known
    was = Column(column.name, kind, not_null, default)
    detail = f"declared {column}, known as {was}"
    if affinity(column.type) != affinity(kind):
        return BREAKING, detail
    if column.default != default or (not_null and not column.not_null):
        return SEMANTIC, detail
    return ADDITIVE, detail


def affinity(declared: str) -> str:
    """Return the affinity of a declared type, by the rules of SQLite."""
    upper = declared.upper()
    if "INT" in upper:
        return "INTEGER"
    if any(word in upper for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in upper or not upper:
        return "BLOB"
    if any(word in upper for word in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"


def _key(table: Table, known: ExpectedTable, touched: Touched) -> Iterator[Drift]:
    if known.keys is None or set(table.key) in [set(key) for key in known.keys]:
        return
    claims: set[str] = set()
    for column in {*table.key, *(name for key in known.keys[:1] for name in key)}:
        claims.update(touched.by_column(table.name, column))
    shown = " or ".join(", ".join(key) or "none" for key in known.keys)
    detail = f"primary key {', '.join(table.key) or 'none'}, known as {shown}"
    yield Drift("key", table.name, "changed", BREAKING, detail, tuple(sorted(claims)))


def _words(
    target: Layout, expected: Expected, shape: Shape, vocabulary: Vocabulary, touched: Touched
) -> Iterator[Drift]:
    for place in vocabulary.places:
        found = (target.values if place.at is None else target.members).get(place.name, frozenset())
        for word in sorted(found - expected.words.get(place.name, frozenset())):
            claims = tuple(sorted({c for name in place.columns for c in touched.by_word(*name.split("."))}))
            if place.at is None:
                yield Drift("value", place.name, "new", SEMANTIC, f"new: {word!r}", claims, word)
            else:
                level = SEMANTIC if _is_read(place, shape) else ADDITIVE
                yield Drift("member", place.name, "new", level, f"new: {word!r}", claims, word)


def _is_read(place: Place, shape: Shape) -> bool:
    """Whether the shape takes members of the JSON column by name: a new one may say what those say."""
    table, column = place.columns[0].split(".")
    spec = shape.table(table)
    return spec is not None and any(child.column == column and child.of == "object" for child in spec.children)


def _indexes(target: Layout, expected: Expected) -> Iterator[Drift]:
    """Compare indexes between two versions; the shape does not describe them."""
    if expected.indexes is None:
        return
    for name in sorted(target.indexes.keys() - expected.indexes.keys()):
        yield Drift("index", name, "new", ADDITIVE, target.indexes[name], ())
    for name in sorted(expected.indexes.keys() - target.indexes.keys()):
        yield Drift("index", name, "gone", ADDITIVE, expected.indexes[name], ())
