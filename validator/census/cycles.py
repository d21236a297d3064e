"""Finds circles among the units of a table that name a parent of their own kind.

Works on what the census has loaded; hands on, in ``native_cycle``, every unit that is its own ancestor. Linear in the
units, with a few bytes for each.
"""

from __future__ import annotations

import sqlite3
from array import array

from validator.descriptor.shape import Table

NONE = -1


def load_cycles(bench: sqlite3.Connection, run: int, table: Table) -> None:
    """Write the circles of one table of one run; each is named by its first unit in native order."""
    if table.tree is None:
        return
    key, parent = table.tree
    first, last = bench.execute(
        "SELECT min(unit), max(unit) FROM native_unit WHERE run = ? AND tab = ?", (run, table.name)
    ).fetchone()
    if first is None:
        return
    parents = array("q", [NONE]) * (last - first + 1)
    pairs = bench.execute(
        f'SELECT c.unit, p.unit FROM {table.workbench} AS c JOIN {table.workbench} AS p ON p."{key}" = c."{parent}" '
        "WHERE c.unit BETWEEN ?1 AND ?2 AND p.unit BETWEEN ?1 AND ?2",
        (first, last),
    )
    for child, above in pairs:
        parents[child - first] = above - first
    for cycle in circles(parents):
        name = min(cycle) + first
        bench.executemany("INSERT INTO native_cycle VALUES (?, ?)", [(name, member + first) for member in cycle])


def circles(parents: array[int]) -> list[list[int]]:
    """Return the circles of a forest that may be none: ``parents`` gives each member's parent, or ``NONE``.

    >>> circles(array("q", [1, 0, 0, 3, NONE]))
    [[0, 1], [3]]
    """
    walks = array("q", [0]) * len(parents)
    found = []
    for start in range(len(parents)):
        at = start
        while at != NONE and not walks[at]:
            walks[at] = start + 1
            at = parents[at]
        if at != NONE and walks[at] == start + 1:  # this walk came back to itself
            cycle, member = [at], parents[at]
            while member != at:
                cycle.append(member)
                member = parents[member]
            found.append(cycle)
    return found
