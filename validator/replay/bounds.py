"""Finds which native units a gap covers that a converter declares, so that a claim can judge it.

A gap names its ends by key. Hands on, in ``record_gap``, the first unit at or behind the start and the last at or
before the end, of those that the census could read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

Place = tuple[int, int]
"""The first unit at or behind a key, and the last at or before it."""


def bound_gaps(bench: sqlite3.Connection) -> None:
    """Resolve the ends of all gaps to units. An end that is null is that of the table."""
    _name_kinds(bench)
    gaps = bench.execute("SELECT rowid, run, tab, from_key, to_key, units FROM record_gap").fetchall()
    if not gaps:
        return
    ends_of = bench.execute("SELECT run, tab, min(unit), max(unit) FROM native_unit GROUP BY run, tab")
    tables = {(run, tab): (first, last) for run, tab, first, last in ends_of}
    found = []
    for rowid, run, tab, from_key, to_key, units in gaps:
        ends = tables.get((run, tab))
        if ends is None:
            continue
        start = _end(bench, run, tab, from_key, ends) if _names(from_key) else (ends[0], ends[0])
        stop = _end(bench, run, tab, to_key, ends) if _names(to_key) else (ends[1], ends[1])
        if start is None or stop is None:
            continue
        # Whoever does not know how many units are missing names the last that can be read on either side.
        first = start[1] + 1 if units is None and _names(from_key) else start[0]
        last = stop[0] - 1 if units is None and _names(to_key) else stop[1]
        found.append((first, max(last, first - 1), rowid))
    bench.executemany("UPDATE record_gap SET from_unit = ?, to_unit = ? WHERE rowid = ?", found)


def _name_kinds(bench: sqlite3.Connection) -> None:
    """Give gaps over files and lines, whose locators name no table, the kind of the unit that their start names."""
    named = []
    for rowid, run, key in bench.execute(
        "SELECT rowid, run, from_key FROM record_gap "
        "WHERE tab IS NULL AND from_key IS NOT NULL AND run IN (SELECT run FROM native_file)"
    ).fetchall():
        parts = json.loads(key)
        unit = bench.execute(
            "SELECT tab FROM native_unit WHERE run = ? AND ekey = ?", (run, parts[0] if len(parts) == 1 else key)
        ).fetchone()
        lost = unit or bench.execute(
            "SELECT tab FROM native_lost WHERE from_key = ? AND run = ?", (key, run)
        ).fetchone()
        if lost is not None:
            named.append((lost[0], rowid))
    bench.executemany("UPDATE record_gap SET tab = ? WHERE rowid = ?", named)


def _names(key: str | None) -> bool:
    return key is not None and any(part is not None for part in json.loads(key))


def _end(bench: sqlite3.Connection, run: int, tab: str, key: str, ends: tuple[int, int]) -> Place | None:
    """Return where a key is among the units of its table; None where nothing tells."""
    exact = bench.execute(
        "SELECT min(unit), max(unit) FROM native_unit WHERE tab = ? AND key = ? AND run = ?", (tab, key, run)
    ).fetchone()
    if exact[0] is not None:
        return int(exact[0]), int(exact[1])
    lost = bench.execute(
        "SELECT unit FROM native_lost WHERE run = ? AND tab = ? AND ? IN (from_key, to_key)", (run, tab, key)
    ).fetchone()
    if lost is not None:
        return int(lost[0]), int(lost[0]) - 1
    number = _number(key)
    if number is None:
        return None

    def key_of(unit: int) -> int | None:
        return _number(bench.execute("SELECT key FROM native_unit WHERE unit = ?", (unit,)).fetchone()[0])

    return _between(key_of, number, ends)


def _between(key_of: Callable[[int], int | None], number: int, ends: tuple[int, int]) -> Place | None:
    """Look for the place of a whole number among units in the order of their keys."""
    low, high = ends[0], ends[1] + 1
    while low < high:
        middle = (low + high) // 2
        found = key_of(middle)
        if found is None:
            return None
        if found < number:
            low = middle + 1
        else:
            high = middle
    return low, low - 1


def _number(key: str) -> int | None:
    parts = json.loads(key)
    try:
        return int(parts[0]) if len(parts) == 1 and isinstance(parts[0], str) else None
    except ValueError:
        return None
