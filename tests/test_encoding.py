"""Two witnesses who mean the same cell give the same workbench value, however a writer of JSON spells it."""

import json

import orjson
import pytest

from validator.workbench.encoding import (
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
        row_digest(["a"], (cell,))[0] == recorded_row_digest({"a": json.loads(spelled)}),
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
