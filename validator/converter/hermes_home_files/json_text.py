"""Decodes JSON strictly, and says what a decoded value no longer shows of the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

MOST_LEVELS = 500
"""Deeper nesting is no JSON here, whatever a reader could bear."""

INFINITY: Final = float("inf")

_LONE = re.compile("[\ud800-\udfff]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class NotJson(Exception):
    """The bytes hold no JSON: `code` of the notice that says so, and the byte where it shows, if known."""

    def __init__(self, code: str, at: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.at = at


@dataclass(frozen=True)
class Decoded:
    """A decoded value; `repeats`: some object had a member twice; `lone`: half of a surrogate pair was replaced."""

    value: Any
    repeats: bool
    lone: bool

    @property
    def exact(self) -> bool:
        """Whether the value says all that the text says."""
        return not (self.repeats or self.lone)


def decode(data: bytes) -> Decoded:
    """Decode by Python's rules (the last of repeated members, integers exact), without NaN and Infinity.

    Lone surrogates become U+FFFD. Raises `NotJson`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson("not-utf8", error.start) from None
    if text.count("[") + text.count("{") > MOST_LEVELS and _levels(text) > MOST_LEVELS:
        raise NotJson("malformed-json")
    _members.repeats = False
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson("malformed-json", len(text[: error.pos].encode())) from None
    except (ValueError, RecursionError):
        raise NotJson("malformed-json") from None
    lone = False
    if "\\ud" in text or "\\uD" in text:
        value, lone = _paired(value)
    return Decoded(value, _members.repeats, lone)


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
    if number in (INFINITY, -INFINITY):
        raise ValueError(digits)
    return number


class _Members:
    """Builds the objects of a text, and remembers whether one had a member twice."""

    repeats = False

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.repeats = True
        return found


_members = _Members()
_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_refused, parse_float=_finite)


def _paired(value: Any) -> tuple[Any, bool]:
    """The value without lone surrogates, and whether there was one; one frame for each level, which are bounded."""
    lone = False
    if isinstance(value, str):
        text = without_lone(value)
        return text, text != value
    if isinstance(value, list):
        elements = []
        for element in value:
            clean, is_lone = _paired(element)
            elements.append(clean)
            lone = lone or is_lone
        return elements, lone
    if isinstance(value, dict):
        members = {}
        for name, member in value.items():
            clean, is_lone = _paired(member)
            members[without_lone(name)] = clean
            lone = lone or is_lone or _LONE.search(name) is not None
        return members, lone
    return value, False


def without_lone(text: str) -> str:
    """A text as it can be written: each lone surrogate as U+FFFD."""
    return _LONE.sub("\ufffd", text)
