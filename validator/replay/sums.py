"""The sums: which unit is in which record, what is in none or in two, and the gaps."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from validator import workbench as workbench_station
from validator.replay.bounds import bound_gaps


@dataclass(frozen=True)
class Conservation:
    """What became of every native unit.

    ``native`` = ``records`` + ``excluded`` + ``lost`` + ``unreadable`` - ``duplicated``, unless records carry no unit.
    """

    native: int
    records: int
    excluded: int
    lost: int
    duplicated: int
    """Records beyond the first that carry the same unit."""
    unreadable: int
    """Units that are known to be there and cannot be read."""
    unbounded: bool
    """Whether units of an unknown number cannot be read."""
    converted: int
    """Units that must be in records."""


@dataclass(frozen=True)
class Gap:
    """A contiguous run of units of one table that no record carries."""

    source: str
    tab: str
    first: list[Any]
    last: list[Any]
    units: int | None
    reason: str


@dataclass(frozen=True)
class Notice:
    """Something true and worth knowing, with its place."""

    code: str
    source: str | None
    tab: str | None
    key: list[Any] | None
    column: str | None
    detail: str | None


def link_units(bench: sqlite3.Connection) -> None:
    """Find the native unit of every record by table and key, and of every gap; make the indexes that claims need.

    Where a store's key columns do not tell two units apart, records go to the units with the same content first.
    """
    bench.execute(
        "UPDATE record SET unit = (SELECT min(u.unit) FROM native_unit AS u "
        "WHERE u.tab = record.tab AND u.key = record.key AND u.run = record.run) WHERE key IS NOT NULL"
    )
    ambiguous = bench.execute(
        "SELECT run, tab, key FROM native_unit GROUP BY tab, key, run HAVING count(*) > 1"
    ).fetchall()
    for run, tab, key in ambiguous:
        _link_ambiguous(bench, run, tab, key)
    bound_gaps(bench)
    for statement in workbench_station.INDEXES:
        bench.execute(statement)


def _link_ambiguous(bench: sqlite3.Connection, run: int, tab: str, key: str) -> None:
    of_key = "run = ? AND tab = ? AND key = ? ORDER BY"
    units = bench.execute(f"SELECT unit, digest FROM native_unit WHERE {of_key} unit", (run, tab, key)).fetchall()
    records = bench.execute(f"SELECT line, digest FROM record WHERE {of_key} line", (run, tab, key)).fetchall()
    free = dict(units)
    links: dict[int, int] = {}
    for line, digest in records:
        same = next((unit for unit, other in free.items() if other == digest), None)
        if same is not None:
            links[line] = same
            del free[same]
    for line, _ in records:
        if line not in links:
            links[line] = next(iter(free), units[0][0])
            free.pop(links[line], None)
    bench.executemany("UPDATE record SET unit = ? WHERE line = ?", [(unit, line) for line, unit in links.items()])


def conservation(bench: sqlite3.Connection) -> Conservation:
    """Compute the sums of one capture."""

    def one(sql: str) -> int:
        return int(bench.execute(sql).fetchone()[0])

    counted = one("SELECT coalesce(sum(units + unreadable), 0) FROM native_table WHERE class <> 'derived'")
    excluded = one("SELECT coalesce(sum(units), 0) FROM native_table WHERE class = 'context'")
    carried = one("SELECT count(DISTINCT unit) FROM record")
    surplus = one("SELECT count(unit) FROM record") - carried
    converted = one("SELECT count(*) FROM native_unit")
    return Conservation(
        native=counted,
        records=one("SELECT count(*) FROM record"),
        excluded=excluded,
        lost=converted - carried,
        duplicated=surplus,
        unreadable=one("SELECT coalesce(sum(unreadable), 0) FROM native_table WHERE class <> 'derived'"),
        unbounded=bool(one("SELECT count(*) FROM native_lost WHERE units IS NULL")),
        converted=converted,
    )


def gaps(bench: sqlite3.Connection) -> list[Gap]:
    """Find the contiguous runs of units that no record carries: lost ones and unreadable ones."""
    rows = bench.execute(
        """
        WITH missing AS (
            SELECT u.unit, u.run, u.tab,
                u.unit - row_number() OVER (PARTITION BY u.run, u.tab ORDER BY u.unit) AS island
            FROM native_unit AS u WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.unit = u.unit)
        ), island AS (
            SELECT run, tab, min(unit) AS first, max(unit) AS last, count(*) AS units
            FROM missing GROUP BY run, tab, island
        )
        SELECT r.source, i.tab, a.key, b.key, i.units, 'no record'
        FROM island AS i JOIN native_run AS r USING (run)
        JOIN native_unit AS a ON a.unit = i.first JOIN native_unit AS b ON b.unit = i.last
        UNION ALL
        SELECT r.source, l.tab, l.from_key, l.to_key, l.units, 'unreadable'
        FROM native_lost AS l JOIN native_run AS r USING (run)
        ORDER BY 1, 2, 3, 4
        """
    )
    return [Gap(source, tab, json.loads(a), json.loads(b), units, why) for source, tab, a, b, units, why in rows]


def notices(bench: sqlite3.Connection) -> list[Notice]:
    """List the notices of a capture, sorted."""
    rows = bench.execute(
        "SELECT DISTINCT n.code, s.path, n.tab, n.key, n.col, n.detail, n.unit FROM native_notice AS n "
        "LEFT JOIN native_source AS s USING (source) ORDER BY n.code, s.path, n.tab, n.unit, n.key, n.col, n.detail"
    )
    return [
        Notice(code, path, tab, json.loads(key) if key else None, column, detail)
        for code, path, tab, key, column, detail, _ in rows
    ]
