"""Reads `layouts.json`, the table layouts of the state schemas, and writes them as DDL for the constructor.

The layouts are derived from the authentic captures by `derive.py`; those that no capture shows are marked
`constructed` there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LAYOUTS = Path(__file__).with_name("layouts.json")
NEWER = 99


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Column:
    """A column: `default` is an SQL expression or None, `pk` its place in the primary key or 0."""

    name: str
    type: str
    notnull: bool
    default: str | None
    pk: int

    def ddl(self, *, typed: bool = True, strict: bool = True, alone: str = "") -> str:
        """The column's clause; `alone` is the PRIMARY KEY clause of a key of this one column."""
        parts = [f'"{self.name}"']
        rowid_alias = bool(alone) and self.type.upper() == "INTEGER"
        if self.type and (typed or rowid_alias):
            parts.append(self.type)
        if alone:
            parts.append(alone)
        if self.notnull and strict:
            parts.append("NOT NULL")
        if self.default is not None:
            parts.append(f"DEFAULT {self.default}")
        return " ".join(parts)


@dataclass(frozen=True)
class Table:
    """A table of one schema. `lazy`: the producer makes it when it first needs it."""

    name: str
    columns: tuple[Column, ...]
    autoincrement: bool
    lazy: bool

    @property
    def key(self) -> tuple[str, ...]:
        """The primary key's columns, in key order."""
        return tuple(c.name for c in sorted(self.columns, key=lambda c: c.pk) if c.pk)

    def ddl(self, *, typed: bool = True, strict: bool = True) -> str:
        """CREATE TABLE; without `typed` columns have no affinity, without `strict` they accept NULL."""
        clause = "PRIMARY KEY AUTOINCREMENT" if self.autoincrement else "PRIMARY KEY"
        lines = [
            c.ddl(typed=typed, strict=strict, alone=clause if c.pk and len(self.key) == 1 else "") for c in self.columns
        ]
        if len(self.key) > 1:
            lines.append("PRIMARY KEY (" + ", ".join(f'"{k}"' for k in self.key) + ")")
        return f'CREATE TABLE "{self.name}" (\n  ' + ",\n  ".join(lines) + "\n)"


@dataclass(frozen=True)
class Index:
    """A plain index; partial indexes and those over expressions are not carried."""

    name: str
    table: str
    unique: bool
    columns: tuple[str, ...]

    def ddl(self) -> str:
        """CREATE INDEX."""
        columns = ", ".join(f'"{c}"' for c in self.columns)
        return f'CREATE {"UNIQUE " if self.unique else ""}INDEX "{self.name}" ON "{self.table}" ({columns})'


@dataclass(frozen=True)
class Layout:
    """The tables of one schema; the full-text tables by their arguments, views by their columns."""

    schema: int
    constructed: bool
    captures: tuple[str, ...]
    tables: Mapping[str, Table]
    indexes: tuple[Index, ...]
    fts: Mapping[str, tuple[str, ...]]
    views: Mapping[str, tuple[str, ...]]


@cache
def layouts() -> Mapping[str, Layout]:
    """All layouts by name: the schema's number, or `NUMBER migrated` for a store that older code began."""
    data = json.loads(LAYOUTS.read_text(encoding="utf-8"))
    return {name: _layout(entry, data["shapes"]) for name, entry in data["layouts"].items()}


def layout_of(schema: int, *, migrated: bool = False) -> Layout:
    """The layout of `schema`, or of the newest known one before it; above every known one, the newer one."""
    if migrated:
        return layouts()[f"{schema} migrated"]
    known = sorted(layout.schema for name, layout in layouts().items() if name.isdecimal())
    if schema < known[0]:
        raise ValueError(f"no layout for schema {schema}: the oldest known is {known[0]}")
    captured = [k for k in known if k < NEWER]
    return layouts()[str(NEWER if schema > captured[-1] else max(k for k in captured if k <= schema))]


def _layout(entry: dict[str, Any], shapes: dict[str, Any]) -> Layout:
    tables = {}
    for name, label in entry["tables"].items():
        shape = shapes[label]
        columns = tuple(Column(n, t, bool(nn), d, pk) for n, t, nn, d, pk in shape["columns"])
        tables[name] = Table(name, columns, shape["autoincrement"], name in entry["lazy"])
    return Layout(
        schema=entry["schema"],
        constructed=entry["constructed"],
        captures=tuple(entry["captures"]),
        tables=tables,
        indexes=tuple(
            Index(name, table, bool(unique), tuple(columns))
            for name, (table, unique, *columns) in entry["indexes"].items()
        ),
        fts={name: tuple(arguments) for name, arguments in entry["fts"].items()},
        views={name: tuple(columns) for name, columns in entry["views"].items()},
    )
