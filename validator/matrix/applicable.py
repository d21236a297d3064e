"""Tells, for a claim that a version does not exercise, whether it could: or whether the columns it needs came later.

What is asked of every capture: with what a layout lacks emptied, would the claim still have a subject? Where none
would, the claim is not applicable to that layout. Hands on counts of subjects by claim and layout.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from validator.claims import Claim
from validator.claims.reads import Columns, Guard, reads
from validator.claims.run import guarded, nested
from validator.descriptor.shape import Shape, Table

HERE = "{here}"
"""Stands for the database in which the ``native_*`` tables are: a large capture's are in one of their own."""

Place = tuple[str, str]
"""A workbench table and a column of it."""


@dataclass(frozen=True)
class Lack:
    """What a layout of a format does not have yet."""

    shadows: dict[str, str]
    """For a workbench table: the SELECT that stands for it when that is emptied."""
    places: dict[Place, str]
    """The workbench columns that are empty then, each with the native column that came later."""
    tables: frozenset[str]
    """Native tables that came later."""


def came_by(since: int | str, layout: int) -> bool:
    """Whether something that came with one layout is in another."""
    return isinstance(since, int) and since <= layout


def lack(shapes: Iterable[Shape], layout: int) -> Lack:
    """Return what a layout lacks of everything that the shapes describe."""
    shadows: dict[str, str] = {}
    places: dict[Place, str] = {}
    tables = set()
    for shape in shapes:
        for table in shape.tables:
            if not came_by(table.since, layout):
                tables.add(table.name)
            if table.workbench is not None:
                _table(table, layout, shadows, places)
    if tables:
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(tables))
        shadows["native_unit"] = f"SELECT * FROM {HERE}.native_unit WHERE tab NOT IN ({names})"
    return Lack(shadows, places, frozenset(tables))


def _table(table: Table, layout: int, shadows: dict[str, str], places: dict[Place, str]) -> None:
    assert table.workbench is not None
    since = {column.name: column.since for column in table.columns}
    gone = not came_by(table.since, layout)
    later = {name: f"{table.name}.{name}" for name, came in since.items() if gone or not came_by(came, layout)}
    emptied = {load.name: later[load.column] for load in table.loads if load.column in later}
    if gone:
        shadows[table.workbench] = f"SELECT * FROM {HERE}.{table.workbench} WHERE 0"
        places[table.workbench, "unit"] = table.name
        places.update({(table.workbench, load.name): table.name for load in table.loads})
    elif emptied:
        columns = ["unit", *(f'NULL AS "{x.name}"' if x.name in emptied else f'"{x.name}"' for x in table.loads)]
        shadows[table.workbench] = f"SELECT {', '.join(columns)} FROM {HERE}.{table.workbench}"
        places.update({(table.workbench, name): native for name, native in emptied.items()})
    for child in table.children:
        if gone or child.column in later:
            shadows[child.table] = f"SELECT * FROM {HERE}.{child.table} WHERE 0"
            native = later.get(child.column, table.name)
            names = [name for name, _, _ in child.columns] if child.of == "array" else ["name", "value"]
            places.update({(child.table, name): native for name in ["unit", "idx", "kind", *names]})


@dataclass
class Possible:
    """How many subjects each claim would have in all captures together, were they of an older layout."""

    shapes: Sequence[Shape]
    claims: Sequence[Claim]
    layouts: Sequence[int]
    _reads: dict[str, Columns] = field(default_factory=dict)
    _lacks: dict[int, Lack] = field(default_factory=dict)
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lacks = {layout: lack(self.shapes, layout) for layout in self.layouts}

    def look(self, bench: sqlite3.Connection, exercised: Iterable[Claim]) -> None:
        """Add one capture's workbench; ``exercised`` are the claims that have a subject in it."""
        if not self._reads:
            guard = Guard(bench)
            self._reads = {claim.id: reads(guard, claim, claim.subjects) for claim in self.claims}
        here = _home(bench)
        with guarded(bench):
            for claim in exercised:
                for layout in self.layouts:
                    if self.needs(claim.id, layout):
                        found = _subjects(bench, claim, self._lacks[layout], here)
                        self._counts[claim.id, layout] = self._counts.get((claim.id, layout), 0) + found

    def needs(self, claim: str, layout: int) -> list[str]:
        """Return the native tables and columns that a claim's subjects are found by and that came after a layout."""
        places = self._lacks[layout].places
        return sorted({places[place] for place in self._reads.get(claim, ()) if place in places})

    def applicable(self, claim: str, layout: int) -> bool:
        """Whether a store of a layout can exercise a claim."""
        if not self.needs(claim, layout):
            return True
        return self._counts.get((claim, layout), 0) > 0


def _subjects(bench: sqlite3.Connection, claim: Claim, lacks: Lack, here: str) -> int:
    shadows = ", ".join(f"{name} AS ({select})" for name, select in lacks.shadows.items()).replace(HERE, here)
    row = bench.execute(f"WITH {shadows} SELECT count(*) FROM {nested(claim.subjects)}").fetchone()
    return int(row[0])


def _home(bench: sqlite3.Connection) -> str:
    """Name the database of a workbench in which the ``native_*`` tables are."""
    names = [row[1] for row in bench.execute("PRAGMA database_list")]
    return "native" if "native" in names else "main"
