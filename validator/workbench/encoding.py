"""How values stand in the workbench, so that two witnesses can be compared by SQL equality.

Both loaders, the census and the ingestion of the record stream, pass every value through this
module; no converter does. A *cell* is what SQLite holds: None, int, float, bytes (BLOB), or str, where
text that is not UTF-8 arrives with its bad bytes as lone surrogates (``surrogateescape``).

Three encodings leave here:

* ``cell_column``: a cell as a column: numbers as numbers, text as text, anything else as a BLOB.
* ``json_column``, ``value_column``: a JSON value as a column: a string as text, anything else as a BLOB; the first
  leaves out members that are null, the second says the value exactly.
* digests: 16 bytes (BLAKE2b) of the canonical JSON of a row, a cell or a value. Numbers are
  canonical by numeric value: a REAL 1.0 and an INTEGER 1 give the same digest.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import orjson

Column = None | int | float | str | bytes

SAFE_INTEGER = 2**53
"""Integers beyond this size, either way, are tagged in the record stream."""

LONGEST_TEXT = 1024
"""Text longer than this, in characters, stands in a column by its digest."""


def _digest(encoded: bytes) -> bytes:
    return blake2b(encoded, digest_size=16).digest()


def cell_json(cell: Any) -> Any:
    """Return a cell as the record stream writes it, numbers in canonical form."""
    kind = type(cell)
    if kind is str:
        return _text_json(cell)
    if kind is float:
        return _float_json(cell)
    if kind is int:
        return cell if -SAFE_INTEGER <= cell <= SAFE_INTEGER else {"$int": str(cell)}
    if kind is bytes:
        return {"$blob": b64encode(cell).decode("ascii")}
    return cell


def _float_json(number: float) -> Any:
    if number.is_integer():
        whole = int(number)
        return whole if -SAFE_INTEGER <= whole <= SAFE_INTEGER else {"$int": str(whole)}
    if number in (float("inf"), float("-inf")):
        return {"$real": "Infinity" if number > 0 else "-Infinity"}
    return number


def _text_json(text: str) -> Any:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return {"$text": b64encode(text.encode("utf-8", "surrogateescape")).decode("ascii")}
    return text


def row_digest(names: list[str], row: tuple[Any, ...]) -> tuple[bytes, bool]:
    """Digest a native row; ``names`` are the column names in code point order, ``row`` its cells.

    Also says whether all text in it is UTF-8.
    """
    cells = dict(zip(names, row, strict=True))
    for name, cell in cells.items():
        kind = type(cell)
        if cell is not None and kind is not str:
            cells[name] = cell_json(cell)
    try:
        return _digest(orjson.dumps(cells)), True
    except TypeError:
        whole = {name: cell_json(cell) for name, cell in zip(names, row, strict=True)}
        return _digest(orjson.dumps(whole)), False


def recorded_row_digest(row: dict[str, Any]) -> bytes:
    """Digest the row of a record's ``native.record``, so that it equals ``row_digest`` of an equal row.

    Its numbers are brought to canonical form in place.
    """
    for name, cell in row.items():
        kind = type(cell)
        if kind is float:
            row[name] = _float_json(cell)
        elif kind is int and not -SAFE_INTEGER <= cell <= SAFE_INTEGER:
            row[name] = _untagged_json(cell)
    return _digest(orjson.dumps(row, option=orjson.OPT_SORT_KEYS))


def cell_column(cell: Any) -> Column:
    """Return a native cell as a workbench column."""
    kind = type(cell)
    if kind is str:
        if len(cell) > LONGEST_TEXT:
            return b"#" + _digest(orjson.dumps(_text_json(cell)))
        text = _text_json(cell)
        return text if type(text) is str else _bounded(orjson.dumps(text))
    if kind is bytes:
        return _bounded(orjson.dumps(cell_json(cell)))
    return cell  # type: ignore[no-any-return]


def recorded_column(value: Any) -> Column:
    """Return a cell value of a record line (plain or tagged) as a workbench column."""
    kind = type(value)
    if kind is str:
        return value if len(value) <= LONGEST_TEXT else b"#" + _digest(orjson.dumps(value))
    if kind is dict:
        if "$real" in value:
            return float(value["$real"])
        if "$int" in value and len(value["$int"]) < 21:
            number = int(value["$int"])
            return number if -(2**63) <= number < 2**63 else float(number)
        return _bounded(orjson.dumps(value))
    if kind is int and not -SAFE_INTEGER <= value <= SAFE_INTEGER:
        double = _untagged(value)
        return double if double is not None else _bounded(str(value).encode("ascii"))
    return value  # type: ignore[no-any-return]


def _untagged(number: int) -> float | None:
    """Return what a plain number beyond the safe integers stands for: an INTEGER would be tagged, so it is a REAL.

    Writers spell a REAL by the shortest digits that give it back, and JavaScript without an exponent: 2.0**63 is
    9223372036854776000 there. None for a number that no REAL can be.
    """
    try:
        return float(number)
    except OverflowError:
        return None


def _untagged_json(number: int) -> Any:
    double = _untagged(number)
    return {"$int": str(number)} if double is None else _float_json(double)


def _bounded(encoded: bytes) -> bytes:
    return encoded if len(encoded) <= LONGEST_TEXT else b"#" + _digest(encoded)


def cell_digest(cell: Any) -> bytes | None:
    """Digest a native cell; None for NULL."""
    if cell is None:
        return None
    return _digest(orjson.dumps(cell_json(cell)))


def recorded_digest(value: Any) -> bytes | None:
    """Digest a cell value of a record line, so that it equals ``cell_digest`` of an equal cell."""
    kind = type(value)
    if value is None:
        return None
    if kind is int and not -SAFE_INTEGER <= value <= SAFE_INTEGER:
        value = _untagged_json(value)
    elif kind is float or kind is int:
        value = cell_json(value)
    elif kind is list or (kind is dict and not _is_tag(value)):
        return value_digest(value)
    return _digest(orjson.dumps(value))


def _is_tag(value: dict[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in ("$text", "$blob", "$real", "$int")


def value_digest(value: Any) -> bytes:
    """Digest any JSON value, null too, exactly: keys in code point order, numbers by numeric value."""
    return _digest(_exact(value))


def value_column(value: Any) -> Column:
    """Return a JSON value as a column, exactly: text as text, null as NULL, anything else as a BLOB."""
    return _json_column(value, _exact)


def _exact(value: Any) -> bytes:
    return _sorted_json(_whole_floats(value))


def _json_column(value: Any, write: Callable[[Any], bytes]) -> Column:
    if value is None:
        return None
    if type(value) is str:
        return value if len(value) <= LONGEST_TEXT else b"#" + _digest(orjson.dumps(value))
    return _bounded(b"=" + write(value))


def _sorted_json(plain: Any) -> bytes:
    try:
        return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # integers beyond 64 bits, nesting beyond what orjson writes
        return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _whole_floats(value: Any) -> Any:
    """Write each float that is a whole number as one, so that 1.0 and 1 are one; with one frame for each level."""
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value
    if kind is dict:
        members = {}
        for name, member in value.items():
            members[name] = _whole_floats(member)
        return members
    if kind is list:
        elements = []
        for element in value:
            elements.append(_whole_floats(element))
        return elements
    return value


def json_column(value: Any) -> Column:
    """Return a JSON value as a column: text as text, null as NULL, anything else as a BLOB."""
    return _json_column(value, canonical)


def json_digest(value: Any) -> bytes | None:
    """Digest a JSON value; None for null."""
    return None if value is None else _digest(canonical(value))


def canonical(value: Any) -> bytes:
    """Write a JSON value with sorted keys and numbers by numeric value.

    Members of the value itself that are null are left out: for a fact, null and absent are one.
    """
    if type(value) is dict:
        value = {name: member for name, member in value.items() if member is not None}
    return _sorted_json(_canonical_numbers(value))


def _canonical_numbers(value: Any) -> Any:
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value
    if kind is dict:
        if len(value) == 1 and type(value.get("$int")) is str:  # a cell's tag for what JSON may round
            return _whole(value)
        members = {}
        for name, member in value.items():  # a comprehension would take two frames for each level
            members[name] = _canonical_numbers(member)
        return members
    if kind is list:
        elements = []
        for element in value:
            elements.append(_canonical_numbers(element))
        return elements
    return value


def _whole(tag: dict[str, str]) -> Any:
    try:
        return int(tag["$int"])
    except ValueError:  # beyond what Python reads as decimal, or no number
        return tag
