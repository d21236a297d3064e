"""Writes native cells as JSON: tagged where JSON cannot say the value, and as parts of keys.

A cell is what the store's connection gives: None, int, float, bytes, or str. A str holds lone surrogates if
and only if the TEXT is not UTF-8 (each stands for one undecodable byte).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

import orjson

_INFINITIES = (float("inf"), float("-inf"))
LARGEST_EXACT = 2**53
"""Beyond this, readers of JSON that keep numbers as doubles lose integers."""

Json = object
"""What `json` knows: None, bool, int, float, str, list, dict."""


def is_utf8(text: str) -> bool:
    """Whether the text can be written: no lone surrogate in it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def holds_infinity(cells: Sequence[object]) -> bool:
    """Whether one of a row's cells is an infinity, which JSON has not."""
    for cell in cells:  # noqa: SIM110 (any of a generator takes twice as long)
        if type(cell) is float and cell in _INFINITIES:
            return True
    return False


def any_text(stored: bytes) -> str:
    """The text of a TEXT cell, UTF-8 or not; `text_bytes` gives its bytes back."""
    return stored.decode("utf-8", "surrogateescape")


def text_bytes(text: str) -> bytes:
    """The bytes of a TEXT cell as the store has them."""
    return text.encode("utf-8", "surrogateescape")


def tagged(cell: object) -> Json:
    """The cell as JSON: null, number or text, else one of `$text`, `$blob`, `$int`, `$real`."""
    if isinstance(cell, str):
        return cell if is_utf8(cell) else {"$text": b64encode(text_bytes(cell)).decode()}
    if isinstance(cell, bytes):
        return blob(cell)
    if isinstance(cell, int):
        return cell if -LARGEST_EXACT <= cell <= LARGEST_EXACT else {"$int": str(cell)}
    if isinstance(cell, float) and cell in _INFINITIES:
        return {"$real": "Infinity" if cell > 0 else "-Infinity"}
    return cell


def blob(cell: object) -> Json:
    """The tag of a BLOB; also the hook for a line's serialiser, which meets no other foreign type."""
    if isinstance(cell, bytes):
        return {"$blob": b64encode(cell).decode()}
    raise TypeError(type(cell).__name__)


def key_part(cell: object) -> Json:
    """A cell as a part of a locator's key: text, a whole number in decimal, null, or tagged."""
    if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer()):
        return str(int(cell))
    part = tagged(cell)
    return {"$real": repr(part)} if isinstance(part, float) else part


def entity_key(parts: Sequence[Json]) -> str:
    """One text part as it stands; anything else as a compact JSON array."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return orjson.dumps(list(parts)).decode()


def is_undecoded(cell: object) -> bool:
    """Whether a tagged cell is TEXT that is not UTF-8."""
    return isinstance(cell, dict) and "$text" in cell


def is_text(cell: object) -> bool:
    """Whether a cell, tagged or not, is TEXT."""
    return isinstance(cell, str) or is_undecoded(cell)


def is_number(cell: object) -> bool:
    """Whether a cell, tagged or not, is an INTEGER or a REAL."""
    return isinstance(cell, int | float) or (isinstance(cell, dict) and ("$int" in cell or "$real" in cell))
