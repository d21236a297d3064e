"""Writes the units of files into the workbench's ``native_*`` tables, and what is worth knowing about them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from validator.census.facets import Taken
from validator.census.streams import Streams
from validator.descriptor.kinds import Facet, FileKind
from validator.workbench.encoding import Blob, Column, recorded_column

BATCH = 500
"""Rows that are held before they are written."""

REMEMBERED = 4096
"""Names that are known to have been written; others are written again and ignored."""

LONGEST_NAME = 200
"""Characters of a member's name that are kept."""


@dataclass(frozen=True)
class Place:
    """Where a unit is: the number of its source, its kind of file, and its key."""

    source: int
    kind: str
    key: tuple[str, ...]

    @property
    def text(self) -> str:
        """The key as compact JSON, as it stands in the workbench."""
        return json.dumps(self.key, ensure_ascii=False, separators=(",", ":"))

    @property
    def entity_key(self) -> str:
        """What ``entity.key`` must be."""
        return self.key[0] if len(self.key) == 1 else self.text


class UnitRows:
    """Writes the units of one run, in the order in which they come."""

    def __init__(self, workbench: sqlite3.Connection, run: int) -> None:
        self._workbench, self._run = workbench, run
        self._next: int = workbench.execute("SELECT coalesce(max(unit), 0) + 1 FROM native_unit").fetchone()[0]
        self._held: dict[str, list[tuple[Any, ...]]] = {}
        self._holding = 0
        self._streams = Streams(workbench, run)
        self._known: set[tuple[str, str | None, str]] = set()
        self._sums: dict[str, list[int]] = {}

    def unit(
        self, place: Place, entity: str, family: str, position: str | None, session: str | None, digest: Blob | None
    ) -> int:
        """Write a unit and return its number."""
        number = self._next
        self._next += 1
        self._add(
            "native_unit (unit, run, source, tab, key, ekey, etype, family, position, immutable, stream, digest)",
            (number, self._run, place.source, place.kind, place.text, place.entity_key, entity, family, position, 0,
             self._streams.number(recorded_column(session)), digest),
        )  # fmt: skip
        return number

    def columns(self, table: str, unit: int, facets: Sequence[Facet], taken: Taken) -> None:
        """Write what claims need of a unit."""
        names = ", ".join(f'"{facet.name}"' for facet in facets)
        self._add(f"{table} (unit, {names})", (unit, *(taken.column(facet) for facet in facets)))

    def note(
        self, code: str, place: Place, unit: int | None = None, column: str | None = None, detail: str | None = None
    ) -> None:
        """Write a notice about a unit, or about what could not be read."""
        self._add(
            "native_notice (run, source, code, tab, key, unit, col, detail)",
            (self._run, place.source, code, place.kind, place.text, unit, column, detail),
        )

    def lost(self, first: Place, last: Place | None = None, units: int = 1) -> None:
        """Write a contiguous run of units that cannot be read."""
        # The number that would be the next unit's stays free, so that no run of units goes across.
        self._next += 1
        self._add(
            "native_lost (run, source, tab, from_key, to_key, units, unit)",
            (self._run, first.source, first.kind, first.text, (last or first).text, units, self._next),
        )

    def undescribed(self, place: Place, unit: int, line: str | None, pointers: Iterable[str]) -> None:
        """Write the first place of each member that the format's document does not describe."""
        for pointer in pointers:
            self._name("undescribed-key", place, unit, line, pointer)

    def strange(self, place: Place, unit: int, what: str) -> None:
        """Write the first place of each kind of line that the shape does not know."""
        self._name("unknown-table", place, unit, None, what)

    def _name(self, code: str, place: Place, unit: int, line: str | None, name: str) -> None:
        shown = name[:LONGEST_NAME]
        if (place.kind, line, shown) not in self._known:
            if len(self._known) < REMEMBERED:
                self._known.add((place.kind, line, shown))
            self._add(
                "native_name (run, code, tab, line, name, source, key, unit)",
                (self._run, code, place.kind, line or "", shown, place.source, place.text, unit),
            )

    def counted(self, source: int, kind: FileKind, units: int, unreadable: int) -> None:
        """Write the sums of a file."""
        self._add(
            "native_file (run, source, tab, form, units, unreadable)",
            (self._run, source, kind.name, kind.unit, units, unreadable),
        )
        sums = self._sums.setdefault(kind.name, [0, 0])
        sums[0] += units
        sums[1] += unreadable

    def finish(self, kinds: Sequence[FileKind]) -> None:
        """Write what is held, the sums of each kind, and the notices that are one for each name."""
        for kind in kinds:
            if kind.name in self._sums:
                row: tuple[Column, ...] = (self._run, kind.name, "converted", kind.entity, kind.family)
                self._add("native_table (run, tab, class, entity, family, units, unreadable)",
                          (*row, *self._sums[kind.name]))  # fmt: skip
        self._flush()
        self._streams.finish()
        self._workbench.execute(
            "INSERT INTO native_notice (run, source, code, tab, key, unit, col, detail) "
            "SELECT run, source, code, tab, key, unit, CASE code WHEN 'undescribed-key' THEN name END, "
            "CASE code WHEN 'unknown-table' THEN name END FROM native_name WHERE run = ?",
            (self._run,),
        )

    def _add(self, table: str, row: tuple[Any, ...]) -> None:
        self._held.setdefault(table, []).append(row)
        self._holding += 1
        if self._holding >= BATCH:
            self._flush()

    def _flush(self) -> None:
        for table, rows in self._held.items():
            marks = ", ".join("?" * len(rows[0]))
            insert = "INSERT OR IGNORE" if table.startswith("native_name ") else "INSERT"
            self._workbench.executemany(f"{insert} INTO {table} VALUES ({marks})", rows)
        self._held.clear()
        self._holding = 0
