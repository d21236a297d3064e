"""Writes a native epoch as an instant in UTC with six decimals, exact on the value that is stored."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

LAST_SECOND = 253402300799
"""9999-12-31T23:59:59, the last second that four digits of a year can say."""

_EPOCH_DAY = date(1970, 1, 1).toordinal()


def instant(cell: object) -> str | None:
    """`YYYY-MM-DDThh:mm:ss.ffffffZ` of seconds since 1970, or None where the cell is no such number.

    The remainder of a division of doubles is exact, and a double is formatted from its exact value, half-even;
    so the result is that of exact arithmetic (`round(x * 1e6)` is not).
    """
    if (type(cell) is not float and type(cell) is not int) or not 0 <= cell <= LAST_SECOND:
        return None
    minutes, rest = divmod(cell, 60)
    seconds = f"{rest:09.6f}"
    if seconds == "60.000000":
        minutes, seconds = minutes + 1, "00.000000"
    return f"{_minute(minutes)}:{seconds}Z"


@lru_cache(maxsize=4096)
def _minute(minutes: float) -> str:
    """`YYYY-MM-DDThh:mm` of a whole number of minutes since 1970; the messages of a conversation share them."""
    hours, minute = divmod(int(minutes), 60)
    days, hour = divmod(hours, 24)
    return f"{date.fromordinal(_EPOCH_DAY + days).isoformat()}T{hour:02d}:{minute:02d}"
