"""How values stand in the workbench, so that two witnesses can be compared by SQL equality.

Both loaders, the census and the ingestion of the record stream, pass every value through this
module; no converter does. A *cell* is what SQLite holds: None, int, float, bytes (BLOB), or str, where
text that is not UTF-8 arrives with its bad bytes as lone surrogates (``surrogateescape``).

Three encodings leave here:

* ``cell_column``: a cell as a column: numbers as numbers, text as text, anything else as a BLOB.
* ``json_column``, ``value_column``: a JSON value as a column: a string as text, anything else as a BLOB; the first
  leaves out members that are null, the second says the value exactly.
* digests: 16 bytes (BLAKE2b) of the canonical JSON of a row, a cell or a value. Of a row it is that of its columns'
  names, then of its cells, both in the code point order of the names. Numbers are canonical by numeric value: a REAL
  1.0 and an INTEGER 1 give the same digest.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from typing import Any

import orjson

Blob = bytearray
"""How a BLOB is bound: a bytearray goes into a statement as it is; for bytes sqlite3 looks for an adapter first."""

Column = None | int | float | str | Blob
"""What goes into a column."""

SAFE_INTEGER = 2**53
"""Integers beyond this size, either way, are tagged in the record stream."""

LONGEST_TEXT = 1024
"""Text longer than this, in characters, stands in a column by its digest."""


_INFINITE = (float("inf"), float("-inf"))


def _digest(encoded: bytes | Blob) -> Blob:
    return Blob(blake2b(encoded, digest_size=16).digest())


def _long(encoded: bytes | Blob) -> Blob:
    """Stand in for what is too long for a column."""
    return Blob(b"#") + _digest(encoded)


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
    if number in _INFINITE:
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


class RowNames:
    """The names of a row's columns in code point order: they make the digests of such rows their own."""

    def __init__(self, names: Sequence[str]) -> None:
        self._person = blake2b(orjson.dumps(names), digest_size=16).digest()

    def digest(self, cells: bytes) -> Blob:
        """Digest the cells of a row, which stand in the order of the names as canonical JSON."""
        return Blob(blake2b(cells, digest_size=16, person=self._person).digest())


def row_digest(names: RowNames, cells: tuple[Any, ...]) -> tuple[Blob, bool, int]:
    """Digest a native row, whose cells stand in the order of the names.

    Also says whether all text in it is UTF-8, and its size in bytes.
    """
    if _canonical_floats(cells):
        try:
            encoded = orjson.dumps(cells, option=orjson.OPT_STRICT_INTEGER)
            return names.digest(encoded), True, len(encoded)
        except TypeError:  # a BLOB, a large integer, or text that is not UTF-8
            pass
    whole = [cell_json(cell) for cell in cells]
    sound = not any(type(cell) is str and type(shown) is dict for cell, shown in zip(cells, whole, strict=True))
    encoded = orjson.dumps(whole)
    return names.digest(encoded), sound, len(encoded)


def recorded_row_digest(row: dict[str, Any]) -> Blob:
    """Digest the row of a record's ``native.record``, so that it equals ``row_digest`` of an equal row."""
    take, names = _in_order(tuple(row))
    cells = take(row)
    if _canonical_floats(cells):
        try:
            return names.digest(orjson.dumps(cells, option=orjson.OPT_STRICT_INTEGER | orjson.OPT_SORT_KEYS))
        except TypeError:  # a large integer
            pass
    return names.digest(orjson.dumps([_recorded_json(cell) for cell in cells], option=orjson.OPT_SORT_KEYS))


@lru_cache(maxsize=256)
def _in_order(names: tuple[str, ...]) -> tuple[Callable[[dict[str, Any]], tuple[Any, ...]], RowNames]:
    """Return how the cells of a recorded row are put in order, and the names in that order."""
    ordered = sorted(names)
    if len(ordered) < 2:  # for which itemgetter gives no tuple
        return lambda row: tuple(row.values()), RowNames(ordered)
    return itemgetter(*ordered), RowNames(ordered)


def _canonical_floats(cells: tuple[Any, ...]) -> bool:
    """Whether each REAL among the cells is finite and no whole number: then it is canonical as it stands."""
    return not [cell for cell in cells if cell.__class__ is float and (cell.is_integer() or cell in _INFINITE)]


def _recorded_json(cell: Any) -> Any:
    kind = type(cell)
    if kind is float:
        return _float_json(cell)
    if kind is int and not -SAFE_INTEGER <= cell <= SAFE_INTEGER:
        return _untagged_json(cell)
    return cell


def cell_column(cell: Any) -> Column:
    """Return a native cell as a workbench column."""
    kind = type(cell)
    if kind is str:
        if len(cell) > LONGEST_TEXT:
            return _long(orjson.dumps(_text_json(cell)))
        text = _text_json(cell)
        return text if type(text) is str else _bounded(orjson.dumps(text))
    if kind is bytes:
        return _bounded(orjson.dumps(cell_json(cell)))
    return cell  # type: ignore[no-any-return]


def recorded_column(value: Any) -> Column:
    """Return a cell value of a record line (plain or tagged) as a workbench column."""
    kind = type(value)
    if kind is str:
        return value if len(value) <= LONGEST_TEXT else _long(orjson.dumps(value))
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


def _bounded(encoded: bytes | Blob) -> Blob:
    return Blob(encoded) if len(encoded) <= LONGEST_TEXT else _long(encoded)


def cell_digest(cell: Any) -> Blob | None:
    """Digest a native cell; None for NULL."""
    if cell is None:
        return None
    return _digest(orjson.dumps(cell_json(cell)))


def recorded_digest(value: Any) -> Blob | None:
    """Digest a cell value of a record line, so that it equals ``cell_digest`` of an equal cell."""
    kind = type(value)
    if kind is str:
        return _digest(orjson.dumps(value))
    if value is None:
        return None
    if kind is list or (kind is dict and not _is_tag(value)):
        return value_digest(value)
    return _digest(orjson.dumps(_recorded_json(value)))


def _is_tag(value: dict[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in ("$text", "$blob", "$real", "$int")


def value_digest(value: Any) -> Blob:
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
        return value if len(value) <= LONGEST_TEXT else _long(orjson.dumps(value))
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


def json_digest(value: Any) -> Blob | None:
    """Digest a JSON value; None for null."""
    if value is None:
        return None
    return _digest(orjson.dumps(value) if type(value) is str else canonical(value))


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
