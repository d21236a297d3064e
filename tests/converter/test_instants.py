"""Times are exact on the stored double: half-even to microseconds, held against decimal arithmetic."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from math import nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from validator.converter.hermes_state_sqlite.instants import LAST_SECOND, instant


def by_decimal(cell: float) -> str:
    with localcontext() as context:
        context.prec = 1100
        micros = int((Decimal(cell) * 1_000_000).to_integral_value(ROUND_HALF_EVEN))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


@given(st.floats(0, LAST_SECOND) | st.floats(1.7e9, 1.8e9) | st.integers(0, LAST_SECOND))
@example(5e-324)
@example(-0.0)
@example(253402300798.9999999)
@example(1796043927.3778584)
def test_a_time_is_the_exact_value_rounded_half_even(cell: float) -> None:
    assert instant(cell) == by_decimal(cell)


@given(st.integers(0, 10**9), st.integers(0, 63))
def test_a_tie_goes_to_the_even_microsecond(seconds: int, odd: int) -> None:
    cell = seconds + (2 * odd + 1) / 128
    assert Decimal(cell) * 10**7 % 10 == 5
    assert instant(cell) == by_decimal(cell)


@given(st.integers(0, LAST_SECOND), st.integers(1, 52), st.integers(1, 2**52))
@example(LAST_SECOND, 1, 0)
def test_a_fraction_of_any_fineness_is_rounded_by_its_exact_value(seconds: int, bits: int, part: int) -> None:
    cell = min(seconds + (2 * part + 1) % 2**bits / 2**bits, float(LAST_SECOND))
    micros = round(Fraction(cell) * 1_000_000)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    assert instant(cell) == moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


@given(st.integers(1, LAST_SECOND // 60), st.integers(1, 12))
def test_just_before_a_minute_is_rounded_into_it_or_not(minute: int, steps: int) -> None:
    cell = minute * 60.0
    for _ in range(steps):
        cell = nextafter(cell, 0)
        assert instant(cell) == by_decimal(cell)


def test_known_instants_are_written_as_known() -> None:
    assert instant(0) == "1970-01-01T00:00:00.000000Z"
    assert instant(951782400.5) == "2000-02-29T00:00:00.500000Z"
    assert instant(LAST_SECOND) == "9999-12-31T23:59:59.000000Z"
    # 0.5 and 1.5 microseconds are no doubles; 2^-7 s is 7812.5 microseconds exactly.
    assert instant(1 / 128) == "1970-01-01T00:00:00.007812Z"
    assert instant(3 / 128) == "1970-01-01T00:00:00.023438Z"


@pytest.mark.parametrize(
    "cell",
    [
        *(None, "1796043927", b"0", True, -1, -5e-324, LAST_SECOND + 1, float("inf"), float("-inf"), float("nan")),
        *(2**63, 253402300799.00003, {"$int": "9007199254740993"}),
    ],
)
def test_what_is_no_time_gives_none(cell: object) -> None:
    assert instant(cell) is None
