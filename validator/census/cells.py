"""Reads single cells: times, and the JSON inside text columns, with the notices each gives.

The rules are the contract's, in this witness's own code; a converter has its own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

LAST_SECOND = 253402300799
"""9999-12-31T23:59:59 UTC, the last second that a time can name."""

DEEPEST = 500
"""JSON nested deeper than this is malformed."""

_NEXT_MINUTE = 59.9999995
"""From here on seconds may be rounded to the next minute."""

_EPOCH = datetime(1970, 1, 1)  # naive on purpose: nothing here ever leaves UTC
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def time_text(cell: Any) -> str | None:
    """Return an epoch cell as UTC with six decimals, half-even on the exact stored value.

    None where the cell is no finite number between 0 and ``LAST_SECOND``.
    """
    if type(cell) not in (int, float) or not 0 <= cell <= LAST_SECOND:
        return None
    # The remainder of a division is exact, and formatting rounds the exact value half-even.
    minutes, seconds = divmod(cell, 60)
    if seconds < _NEXT_MINUTE:
        return f"{_minute(minutes)}{seconds:09.6f}Z"
    numerator, denominator = cell.as_integer_ratio()
    microseconds, rest = divmod(numerator * 1_000_000, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and microseconds % 2):
        microseconds += 1
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=1024)
def _minute(minutes: float) -> str:
    return (_EPOCH + timedelta(minutes=minutes)).isoformat()[:17]


@dataclass
class Decoded:
    """What a JSON cell holds: its kind, its value, and the codes of the notices it gives."""

    kind: str
    """``absent``, ``malformed``, or a JSON type: object, array, string, number, boolean, null."""
    value: Any = None
    notices: list[str] = field(default_factory=list)


class _Malformed(ValueError):
    pass


class _Members:
    """Builds the objects of a JSON text, and remembers whether one had a key twice."""

    duplicate = False

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.duplicate = True
        return found


def _no_constant(name: str) -> None:
    raise _Malformed(name)


def _finite(digits: str) -> float:
    """Read a number with a fraction or exponent; a literal such as 1e999 is none that JSON has."""
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _Malformed(digits)
    return number


_members = _Members()
_decoder = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant, parse_float=_finite)


def decode_json(cell: Any) -> Decoded:
    """Decode a cell of a JSON column as the contract says; it never raises."""
    if cell is None:
        return Decoded("absent")
    if type(cell) is not str:
        return Decoded("malformed", notices=["malformed-json"])
    _members.duplicate = False
    try:
        if not cell.isascii():
            cell.encode("utf-8")  # text with bad bytes is no JSON; the error is a ValueError
        if len(cell) > DEEPEST and _too_deep(cell):
            raise _Malformed
        value = _decoder.decode(cell)
    except (ValueError, RecursionError):
        return Decoded("malformed", notices=["malformed-json"])
    notices = ["duplicate-json-key"] if _members.duplicate else []
    if "\\u" in cell and _SURROGATE_ESCAPE.search(cell):
        value, lone = without_surrogates(value)
        if lone:
            notices.append("lone-surrogate")
    if type(value) is str and _holds_structure(value):
        notices.append("double-encoded-json")
    return Decoded(kind_of(value), value, notices)


def _too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = deepest = 0
    for character in _STRINGS.sub("", text):
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest > DEEPEST


def without_surrogates(value: Any) -> tuple[Any, bool]:
    """Replace each lone surrogate in decoded JSON by U+FFFD; also say whether there was one."""
    if type(value) is str:
        clean = _SURROGATE.sub("\ufffd", value)
        return clean, clean != value
    found = False
    if type(value) is list:
        elements = []
        for element in value:  # a comprehension would take two frames for each level
            clean, lone = without_surrogates(element)
            elements.append(clean)
            found = found or lone
        return elements, found
    if type(value) is dict:
        members: dict[str, Any] = {}
        for name, member in value.items():
            clean_name, lone_name = without_surrogates(name)
            members[clean_name], lone = without_surrogates(member)
            found = found or lone or lone_name
        return members, found
    return value, False


def _holds_structure(text: str) -> bool:
    if text[:1] not in ("[", "{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def kind_of(value: Any) -> str:
    """Name the JSON type of a decoded value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names: dict[type, str] = {str: "string", dict: "object", list: "array"}
    return names.get(type(value), "number")


def at_pointers(value: Any, pointers: tuple[str, ...]) -> Any:
    """Return what the first pointer that holds something other than null names; None if none does."""
    for pointer in pointers:
        found: Any = value
        for step in _steps(pointer):
            found = found.get(step) if isinstance(found, dict) else None
            if found is None:
                break
        if found is not None:
            return found
    return None


@lru_cache(maxsize=256)
def _steps(pointer: str) -> tuple[str, ...]:
    return tuple(pointer.split("/")[1:])


def is_sentinel(cell: Any) -> bool:
    """Whether a text cell starts like structured content: NUL or SOH, then ``json:``."""
    return type(cell) is str and cell[1:6] == "json:" and cell[0] in "\x00\x01"
