"""The census writes an epoch as UTC to the microsecond, half-even on the exact value that is stored."""

from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from validator.census.cells import LAST_SECOND, time_text


def by_fractions(cell: float) -> str:
    microseconds = round(Fraction(cell) * 1_000_000)  # round of a fraction is half-even, and exact
    return (datetime(1970, 1, 1) + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds") + "Z"


HALVES = st.builds(lambda whole, half: whole + (2 * half + 1) / 2**7, st.integers(0, 2**33), st.integers(0, 63))
ENDS_OF_MINUTES = st.builds(lambda minute, less: 60 * minute - less, st.integers(1, 2**28), st.floats(0, 1e-6))


@given(st.floats(0, 2**33) | st.floats(0, LAST_SECOND) | st.integers(0, LAST_SECOND) | HALVES | ENDS_OF_MINUTES)
@example(0.0)
@example(5e-324)
@example(0.5e-6)
@example(59.9999995)
@example(59.99999949999999)
@example(LAST_SECOND)
def test_a_time_is_that_of_exact_arithmetic(cell: float) -> None:
    assert time_text(cell) == by_fractions(cell)


def test_a_tie_goes_to_the_even_microsecond() -> None:
    assert time_text(2**-7) == "1970-01-01T00:00:00.007812Z"  # 0.0078125
    assert time_text(3 * 2**-7) == "1970-01-01T00:00:00.023438Z"  # 0.0234375


@pytest.mark.parametrize("cell", [-1, -1e-9, LAST_SECOND + 1, float("inf"), "0", b"0", None, True])
def test_what_is_no_number_of_seconds_is_no_time(cell: object) -> None:
    assert time_text(cell) is None
