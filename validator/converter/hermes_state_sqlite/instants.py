"""Writes a native epoch as an instant in UTC with six decimals, exact on the value that is stored."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

LAST_SECOND = 253402300799
"""9999-12-31T23:59:59, the last second that four digits of a year can say."""

_EPOCH_DAY = date(1970, 1, 1).toordinal()


def instant(cell: object) -> str | None:
    """`YYYY-MM-DDThh:mm:ss.ffffffZ` of seconds since 1970, or None where the cell is no such number.

    The stored double is a fraction whose denominator is a power of two; it is rounded to microseconds
    half-even in integers, so the result is that of exact arithmetic (`round(x * 1e6)` is not).
    """
    if (cell.__class__ is not float and cell.__class__ is not int) or not 0 <= cell <= LAST_SECOND:
        return None
    numerator, denominator = cell.as_integer_ratio()
    micros, rest = divmod(numerator * 1_000_000, denominator)
    rest *= 2
    if rest > denominator or (rest == denominator and micros & 1):
        micros += 1
    seconds, micros = divmod(micros, 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{_day(days)}T{hours:02d}:{minutes:02d}:{seconds:02d}.{micros:06d}Z"


@lru_cache(maxsize=4096)
def _day(days: int) -> str:
    return date.fromordinal(_EPOCH_DAY + days).isoformat()
