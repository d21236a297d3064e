"""Two witnesses who mean the same cell give the same workbench value, however a writer of JSON spells it."""

import json
from base64 import b64encode
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.workbench.encoding import (
    RowNames,
    cell_column,
    cell_digest,
    recorded_column,
    recorded_digest,
    recorded_row_digest,
    row_digest,
)


def is_same(cell: float, spelled: str) -> bool:
    """Whether a native cell and a number in a record line are the same in all three encodings."""
    recorded = json.loads(spelled)
    verdicts = {
        cell_column(cell) == recorded_column(recorded),
        cell_digest(cell) == recorded_digest(recorded),
        row_digest(RowNames(["a"]), (cell,))[0] == recorded_row_digest({"a": json.loads(spelled)}),
    }
    assert len(verdicts) == 1
    return verdicts.pop()


@pytest.mark.parametrize(
    ("real", "spelled"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (2.0**63, "9223372036854775808"),
        (2.0**63, "9.223372036854776e18"),
        # What JSON.stringify writes: shortest digits, and zeros where others would write an exponent.
        (2.0**63, "9223372036854776000"),
        (-(2.0**60), "-1152921504606847000"),
        (1e20, "100000000000000000000"),
        (-0.0, "0"),
    ],
)
def test_a_real_may_be_spelled_in_any_way_that_gives_it_back(real: float, spelled: str) -> None:
    assert is_same(real, spelled)


@pytest.mark.parametrize(
    ("real", "spelled"),
    [(2.0**63, "9223372036854770000"), (1e300, str(10**400)), (float("inf"), str(10**400)), (1.0, "2")],
)
def test_another_number_is_another(real: float, spelled: str) -> None:
    assert not is_same(real, spelled)


def test_an_integer_that_only_a_tag_can_say_is_not_the_rounded_number() -> None:
    assert not is_same(2**53 + 1, str(2**53 + 1))
    assert not is_same(2**63 - 1, str(2**63 - 1))
    assert recorded_column({"$int": str(2**53 + 1)}) == cell_column(2**53 + 1)
    assert recorded_digest({"$int": str(2**53 + 1)}) == cell_digest(2**53 + 1)


def test_both_readers_of_lines_agree_on_what_javascript_writes() -> None:
    spelled = "9223372036854776000"
    assert orjson.loads(spelled) == json.loads(spelled) == 9223372036854776000


CELLS = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()


def recorded(cell: object) -> object:
    """A cell as the record stream writes it, by the contract's words."""
    if isinstance(cell, bytes):
        return {"$blob": b64encode(cell).decode()}
    if isinstance(cell, int) and abs(cell) > 2**53:
        return {"$int": str(cell)}
    if isinstance(cell, float) and abs(cell) == float("inf"):
        return {"$real": "Infinity" if cell > 0 else "-Infinity"}
    return cell


@given(st.dictionaries(st.text(max_size=3), CELLS, max_size=5), st.randoms())
def test_a_row_has_one_digest_whatever_the_order_of_its_columns(row: dict[str, object], chance: Random) -> None:
    names = sorted(row)
    shuffled = list(row)
    chance.shuffle(shuffled)
    line = json.loads(json.dumps({name: recorded(row[name]) for name in shuffled}))
    native, sound, _ = row_digest(RowNames(names), tuple(row[name] for name in names))
    assert sound
    assert recorded_row_digest(line) == native


@given(st.dictionaries(st.text(max_size=3), CELLS, min_size=1, max_size=5), CELLS)
def test_a_row_with_another_cell_or_another_name_has_another_digest(row: dict[str, object], other: object) -> None:
    names = sorted(row)
    digest = row_digest(RowNames(names), tuple(row[name] for name in names))
    if recorded(other) != recorded(row[names[0]]):
        changed = {**row, names[0]: other}
        assert recorded_row_digest({name: recorded(cell) for name, cell in changed.items()}) != digest[0]
    renamed = {name + "x" if name == names[-1] else name: recorded(cell) for name, cell in row.items()}
    assert recorded_row_digest(renamed) != digest[0]


def test_a_row_says_whether_its_text_is_utf8() -> None:
    names = RowNames(["a", "b"])
    assert row_digest(names, ("\udcff", 1.5))[:2] == (recorded_row_digest({"b": 1.5, "a": {"$text": "/w=="}}), False)
    assert row_digest(names, (b"\xff", 1.0))[:2] == (recorded_row_digest({"b": 1, "a": {"$blob": "/w=="}}), True)
