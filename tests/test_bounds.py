"""Where a declared gap is among the units that the census could read."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from validator.replay.bounds import bound_gaps
from validator.workbench import create


def bench(keys: list[str], lost: tuple[str, int] | None = None) -> sqlite3.Connection:
    """A workbench with one table of units, numbered from 1 in the order of the keys; perhaps a lost key among them."""
    made = create(None, ())
    made.executemany(
        "INSERT INTO native_unit (unit, run, source, tab, key, ekey, immutable, stream) "
        "VALUES (?, 1, 1, 't', ?, ?, 0, 1)",
        [(unit, json.dumps([key]), key) for unit, key in enumerate(keys, 1)],
    )
    if lost is not None:
        key = json.dumps([lost[0]])
        made.execute(
            "INSERT INTO native_lost (run, source, tab, from_key, to_key, units, unit) VALUES (1, 1, 't', ?, ?, 1, ?)",
            (key, key, lost[1]),
        )
    return made


def bounds(made: sqlite3.Connection, first: Any, last: Any, units: int | None, tab: str = "t") -> tuple[Any, Any]:
    made.execute(
        "INSERT INTO record_gap (run, at, source, tab, from_key, to_key, units, reason) "
        "VALUES (1, 1, 's', ?, ?, ?, ?, '')",
        (tab, json.dumps([first]), json.dumps([last]), units),
    )
    bound_gaps(made)
    found: tuple[Any, Any] = made.execute("SELECT from_unit, to_unit FROM record_gap").fetchone()
    return found


@pytest.mark.parametrize(
    ("first", "last", "units", "expected"),
    [
        ("3", "4", 2, (3, 2)),
        ("3", "4", None, (3, 2)),
        ("2", "5", 4, (2, 3)),
        ("2", "5", None, (3, 2)),
        ("1", "10", None, (2, 3)),
        ("2", "2", 1, (2, 2)),
        ("5", "2", 1, (3, 2)),
        (None, "4", None, (1, 2)),
        ("3", None, None, (3, 4)),
        (None, None, None, (1, 4)),
        ("-7", "0", 8, (1, 0)),
        ("11", "99", 9, (5, 4)),
    ],
)
def test_whole_numbers_have_a_place_even_if_no_unit_has_them(
    first: str | None, last: str | None, units: int | None, expected: tuple[int, int]
) -> None:
    """Units have the keys 1, 2, 5 and 10. Without a number of units the ends are not in the gap."""
    assert bounds(bench(["1", "2", "5", "10"]), first, last, units) == expected


def test_a_text_that_no_unit_has_is_nowhere() -> None:
    assert bounds(bench(["a", "c"]), "b", "b", 1) == (None, None)


def test_a_text_that_is_known_to_be_lost_is_where_it_was_lost() -> None:
    assert bounds(bench(["a", "c"], lost=("b", 2)), "b", "b", 1) == (2, 1)


def test_a_table_without_units_has_no_places() -> None:
    assert bounds(bench(["a"]), "a", "a", 1, tab="other") == (None, None)
