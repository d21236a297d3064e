"""Says which claims a change of the native shape touches, from what the claims' own SQL reads.

The shape says which native column fills each of the workbench columns that a claim reads.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from validator import workbench
from validator.claims import Claim
from validator.claims.reads import Columns, reads
from validator.descriptor.shape import Shape


class Touched:
    """Which claims read what; made once for an audit."""

    def __init__(self, shape: Shape, claims: Sequence[Claim]) -> None:
        self._shape = shape
        with closing(workbench.create(None, [shape])) as bench:
            self._reads = {claim.id: _reads(bench, claim) for claim in claims if shape.format in claim.formats}

    def by_new(self) -> list[str]:
        """Return the claims that a new table or column touches: those about whole units, whatever is in them."""
        return sorted(name for name, columns in self._reads.items() if _whole(columns))

    def by_column(self, table: str, column: str) -> list[str]:
        """Return the claims that a native column which changes or goes touches."""
        wanted = self._fills(table, column)
        whole = self.by_new() if self._converted(table) else []
        return sorted({*whole, *(name for name, columns in self._reads.items() if _hit(columns, wanted))})

    def by_word(self, table: str, column: str) -> list[str]:
        """Return the claims that a new value in a native column touches."""
        wanted = self._fills(table, column)
        return sorted(name for name, columns in self._reads.items() if _hit(columns, wanted))

    def by_table(self, table: str) -> list[str]:
        """Return the claims that a native table which goes touches."""
        spec = self._shape.table(table)
        if spec is None:
            return []
        filled = {spec.workbench, *(child.table for child in spec.children)} - {None}
        named = [name for name, columns in self._reads.items() if filled & {where for where, _ in columns}]
        return sorted({*named, *(self.by_new() if self._converted(table) else [])})

    def _converted(self, table: str) -> bool:
        spec = self._shape.table(table)
        return spec is None or spec.kind == "converted"

    def _fills(self, table: str, column: str) -> set[tuple[str, str | None]]:
        """Return the workbench columns that a native column fills; None for every column of a table."""
        spec = self._shape.table(table)
        if spec is None:
            return set()
        filled: set[tuple[str, str | None]] = set()
        for load in spec.loads:
            if spec.workbench and (load.column == column or column in load.members):
                filled.add((spec.workbench, load.name))
        filled.update((child.table, None) for child in spec.children if child.column == column)
        if any(column in key for key in spec.keys) and spec.kind == "converted":
            filled.update({("native_unit", "key"), ("native_unit", "ekey")})
        if column == spec.session:
            filled.add(("native_unit", "stream"))
        rule = self._shape.namespace
        if rule and table == rule["table"] and (column == rule["column"] or column in rule["where"]):
            filled.update({("native_run", "namespace"), ("native_run", "basis")})
        return filled


def _whole(columns: Columns) -> bool:
    """Whether a claim is about units as such: it reads their digests, or of the native side nothing but units."""
    native = {where for where, _ in columns if where.startswith("native_")}
    return ("native_unit", "digest") in columns or native == {"native_unit"}


def _hit(columns: Columns, wanted: set[tuple[str, str | None]]) -> bool:
    return any(place in wanted or (place[0], None) in wanted for place in columns)


def _reads(bench: sqlite3.Connection, claim: Claim) -> Columns:
    """Return the columns that a claim's queries read."""
    return reads(bench, claim, claim.subjects) | reads(bench, claim, claim.violations)
