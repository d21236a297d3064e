"""Decodes TEXT cells that hold JSON, strictly, and says what is wrong with one that does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

import orjson

from validator.converter.hermes_state_sqlite.cells import is_utf8

MOST_LEVELS = 500
"""Deeper nesting is malformed, whatever the reader could bear."""

Note = Callable[[str], None]
"""Takes the code of a notice about the cell."""


class Malformed:
    """The one value that stands for a cell that is no JSON."""


MALFORMED: Final = Malformed()

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * 19
"""As many digits as an integer beyond 64 bits has at least; the fast decoder would round it."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def decode(cell: object, note: Note) -> Any:
    """The value of a JSON cell, or MALFORMED.

    Python's rules (the last of duplicate keys, integers exact), without NaN and Infinity, at most
    `MOST_LEVELS` deep. A lone surrogate becomes U+FFFD. A text that holds JSON is not decoded again.
    """
    if not isinstance(cell, str):
        note("malformed-json")
        return MALFORMED
    value = _swiftly(cell)
    if value is MALFORMED:
        value = _exactly(cell, note)
    if isinstance(value, str) and value[:1] in ("[", "{") and _parsed(value) is not MALFORMED:
        note("double-encoded-json")
    return value


def _swiftly(text: str) -> Any:
    """The value by orjson, which takes less than Python's decoder and reads it alike; MALFORMED where it might not."""
    try:
        octets = text.encode()
        if _LONG in octets.translate(_DIGITS) or _may_be_deep(text):
            return MALFORMED
        return orjson.loads(octets)
    except ValueError:
        return MALFORMED


def _exactly(text: str, note: Note) -> Any:
    value = _parsed(text)
    if value is MALFORMED:
        note("malformed-json")
        return MALFORMED
    holder = [value]
    if ("\\ud" in text or "\\uD" in text) and _replace_surrogates(holder):
        note("lone-surrogate")
    return holder[0]


def _parsed(text: str) -> Any:
    if not is_utf8(text) or (_may_be_deep(text) and _levels(text) > MOST_LEVELS):
        return MALFORMED
    try:
        return _DECODER.decode(text)
    except ValueError:
        return MALFORMED


def _may_be_deep(text: str) -> bool:
    return len(text) > MOST_LEVELS and text.count("[") + text.count("{") > MOST_LEVELS


def _levels(text: str) -> int:
    depth = deepest = 0
    for character in _STRING.sub("", text):
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _refused(constant: str) -> float:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(digits)
    return number


_DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)


def _replace_surrogates(root: list[Any]) -> bool:
    """Replaces every lone surrogate below `root`, in place and without recursion; says whether any was."""
    found = False
    containers: list[Any] = [root]
    while containers:
        container = containers.pop()
        if isinstance(container, dict):
            items = list(container.items())
            container.clear()
        else:
            items = list(enumerate(container))
        for key, value in items:
            if isinstance(key, str) and _SURROGATE.search(key):
                key, found = _SURROGATE.sub("\ufffd", key), True
            if isinstance(value, str) and _SURROGATE.search(value):
                value, found = _SURROGATE.sub("\ufffd", value), True
            elif isinstance(value, list | dict):
                containers.append(value)
            container[key] = value
    return found
