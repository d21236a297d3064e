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
    """A contiguous run of units of one table or file that no record carries."""

    source: str
    tab: str
    first: list[Any]
    last: list[Any]
    units: int | None
    reason: str
    form: str = "row"
    """What its units are: ``row``, ``line`` or ``file``."""


@dataclass(frozen=True)
class Notice:
    """Something true and worth knowing, with its place."""

    code: str
    source: str | None
    tab: str | None
    key: list[Any] | None
    column: str | None
    """The column; or, beginning with a slash, a pointer."""
    detail: str | None
    form: str = "row"
    """What the unit is: ``row``, ``line`` or ``file``."""


def link_units(bench: sqlite3.Connection) -> None:
    """Find the native unit of every record by table and key, and of every gap; make the indexes that claims need.

    Where a store's key columns do not tell two units apart, records go to the units with the same content first. Of
    files and lines, which have no key columns, ``entity.key`` names the unit. A unit that a record has already was
    foreseen: the record keeps it only if its key says so, too.
    """
    _link_files(bench)
    foreseen = bench.execute("SELECT 1 FROM record WHERE unit IS NOT NULL LIMIT 1").fetchone() is not None
    ambiguous = _ambiguous(bench) if foreseen else None
    if ambiguous:
        bench.execute("UPDATE record SET unit = NULL")
    bench.execute(
        "UPDATE record SET unit = (SELECT min(u.unit) FROM native_unit AS u "
        "WHERE u.tab = record.tab AND u.key = record.key AND u.run = record.run) "
        "WHERE (key IS NOT NULL OR unit IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM native_unit AS u "
        "WHERE u.unit = record.unit AND u.key = record.key AND u.tab = record.tab AND u.run = record.run)"
    )
    bound_gaps(bench)
    for statement in workbench_station.INDEXES:
        bench.execute(statement)
    if _missing(bench):  # of units with one key only the first has a record yet
        for run, tab, key in _ambiguous(bench) if ambiguous is None else ambiguous:
            _link_ambiguous(bench, run, tab, key)


def _ambiguous(bench: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """Return run, table and key of what is the key of several units."""
    return bench.execute(
        "SELECT run, tab, key FROM native_unit GROUP BY tab, key, run HAVING count(*) > 1"
    ).fetchall()


def _missing(bench: sqlite3.Connection) -> bool:
    """Whether there are units that no record carries."""
    units = bench.execute("SELECT count(*) FROM native_unit").fetchone()[0]
    carried = bench.execute("SELECT count(DISTINCT unit) FROM record").fetchone()[0]
    return bool(carried < units)


def _link_files(bench: sqlite3.Connection) -> None:
    """Give records of files and lines the table (their kind) and the key of the unit that ``entity.key`` names."""
    if bench.execute("SELECT 1 FROM native_file LIMIT 1").fetchone() is not None:
        bench.execute(
            "UPDATE record SET (tab, key) = (SELECT u.tab, u.key FROM native_unit AS u "
            "WHERE u.run = record.run AND u.ekey = record.ekey ORDER BY u.unit LIMIT 1) "
            "WHERE tab IS NULL AND run IN (SELECT run FROM native_file)"
        )


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


def conservation_by_source(bench: sqlite3.Connection) -> dict[int, Conservation]:
    """Compute the sums of each source that holds units; a record without a unit counts for its run's store."""
    sums: dict[int, dict[str, int]] = {}
    for name, sql in _SUMS_BY_SOURCE.items():
        for source, count in bench.execute(sql):
            sums.setdefault(source, dict.fromkeys(_SUMS_BY_SOURCE, 0))[name] = count
    return {
        source: Conservation(
            native=found["native"],
            records=found["records"] + found["unlinked"],
            excluded=found["excluded"],
            lost=found["converted"] - found["carried"],
            duplicated=found["records"] - found["carried"],
            unreadable=found["unreadable"],
            unbounded=found["unbounded"] > 0,
            converted=found["converted"],
        )
        for source, found in sorted(sums.items())
    }


_STORES = "(SELECT run, source FROM native_source WHERE run IS NOT NULL AND run NOT IN (SELECT run FROM native_file))"
_OF_UNITS = "FROM record AS r JOIN native_unit AS u ON u.unit = r.unit GROUP BY u.source"
_OF_TABLES = f"FROM native_table JOIN {_STORES} USING (run) WHERE class"
_SUMS_BY_SOURCE = {
    "native": f"SELECT source, sum(units + unreadable) {_OF_TABLES} <> 'derived' GROUP BY source "
    "UNION ALL SELECT source, sum(units + unreadable) FROM native_file GROUP BY source",
    "excluded": f"SELECT source, sum(units) {_OF_TABLES} = 'context' GROUP BY source",
    "unreadable": f"SELECT source, sum(unreadable) {_OF_TABLES} <> 'derived' GROUP BY source "
    "UNION ALL SELECT source, sum(unreadable) FROM native_file GROUP BY source",
    "unbounded": "SELECT source, count(*) FROM native_lost WHERE units IS NULL GROUP BY source",
    "converted": "SELECT source, count(*) FROM native_unit GROUP BY source",
    "records": f"SELECT u.source, count(*) {_OF_UNITS}",
    "carried": f"SELECT u.source, count(DISTINCT r.unit) {_OF_UNITS}",
    "unlinked": f"SELECT s.source, count(*) FROM record AS r JOIN {_STORES} AS s USING (run) WHERE r.unit IS NULL "
    "GROUP BY s.source",
}


def distinct_streams(bench: sqlite3.Connection) -> int:
    """Count the distinct streams that have a record: a session that two runs speak of is one.

    What belongs to no session is a stream of its own for each run.
    """
    return int(
        bench.execute(
            "SELECT count(*) FROM (SELECT DISTINCT s.namespace, s.session, s.agent, "
            "CASE WHEN s.session IS NULL THEN s.run END FROM record_stream AS s "
            "JOIN (SELECT DISTINCT run, stream FROM record) AS r ON r.run = s.run AND r.stream = s.stream)"
        ).fetchone()[0]
    )


def form_of(name: str) -> str:
    """Return the SQL that says what a unit of a table (with ``run`` and ``tab``) is: ``row``, ``line`` or ``file``."""
    known = f"SELECT f.form FROM native_file AS f WHERE f.run = {name}.run AND f.tab = {name}.tab LIMIT 1"
    return f"coalesce(({known}), 'row')"


def gaps(bench: sqlite3.Connection) -> list[Gap]:
    """Find the contiguous runs of units that no record carries: lost ones and unreadable ones."""
    unread = f"""
        SELECT s.path, l.tab, l.from_key, l.to_key, l.units, 'unreadable', {form_of("l")}
        FROM native_lost AS l JOIN native_source AS s USING (source)
    """
    lost = f"""
        WITH missing AS (
            SELECT u.unit, u.run, u.source, u.tab,
                u.unit - row_number() OVER (PARTITION BY u.run, u.source, u.tab ORDER BY u.unit) AS island
            FROM native_unit AS u WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.unit = u.unit)
        ), island AS (
            SELECT run, source, tab, min(unit) AS first, max(unit) AS last, count(*) AS units
            FROM missing GROUP BY run, source, tab, island
        )
        SELECT s.path, i.tab, a.key, b.key, i.units, 'no record', {form_of("i")}
        FROM island AS i JOIN native_source AS s USING (source)
        JOIN native_unit AS a ON a.unit = i.first JOIN native_unit AS b ON b.unit = i.last
        UNION ALL {unread}
    """
    rows = bench.execute(f"{lost if _missing(bench) else unread} ORDER BY 1, 2, 3, 4")
    found = [
        Gap(source, tab, json.loads(first), json.loads(last), units, why, form)
        for source, tab, first, last, units, why, form in rows
    ]
    return sorted(found, key=lambda gap: (gap.source, gap.tab, int(gap.first[-1]) if gap.form == "line" else 0))


def notices(bench: sqlite3.Connection) -> list[Notice]:
    """List the notices of a capture, sorted."""
    rows = bench.execute(
        f"SELECT DISTINCT n.code, s.path, n.tab, n.key, n.col, n.detail, {form_of('n')}, n.unit "
        "FROM native_notice AS n LEFT JOIN native_source AS s USING (source) "
        "ORDER BY n.code, s.path, n.tab, n.unit, n.key, n.col, n.detail"
    )
    return [
        Notice(code, path, tab, json.loads(key) if key else None, column, detail, form)
        for code, path, tab, key, column, detail, form, _ in rows
    ]
