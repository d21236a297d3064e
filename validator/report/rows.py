"""Says in which column a record's row differs from the native row, for a finding that has only digests.

Values of text and BLOB cells are described by type and size; numbers are shown.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from validator.replay import Replay
from validator.workbench.encoding import cell_json, recorded_row_digest


def row_difference(bench: sqlite3.Connection, replay: Replay, unit: int, line: int) -> tuple[str, str, str] | None:
    """Return the first column that differs, what the store holds there and what the record says; None if unknown."""
    found = bench.execute(
        "SELECT u.run, u.tab, u.key, r.offset, r.length FROM native_unit AS u, record AS r "
        "WHERE u.unit = ? AND r.line = ?",
        (unit, line),
    ).fetchone()
    if found is None or found[0] not in replay.spools or found[0] not in replay.stores:
        return None
    run, tab, key, offset, length = found
    native = replay.stores[run].row(tab, json.loads(key))
    with replay.spools[run].open("rb") as spool:
        spool.seek(offset)
        raw = spool.read(length)
    try:
        row = json.loads(raw)["native"]["record"]["row"]
    except (ValueError, KeyError, TypeError):
        return None
    if native is None or not isinstance(row, dict):
        return None
    return _first_difference(native, row)


def _first_difference(native: dict[str, Any], row: dict[str, Any]) -> tuple[str, str, str] | None:
    for name in sorted(native.keys() | row.keys()):
        if name not in row:
            return name, _described(cell_json(native[name])), "no such column"
        if name not in native:
            return name, "no such column", _described(row[name])
        stored = cell_json(native[name])
        if recorded_row_digest({"": stored}) != recorded_row_digest({"": row[name]}):
            return name, _described(stored), _described(row[name])
    return None


def _described(cell: Any) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, bool):
        return "a boolean"
    if isinstance(cell, (int, float)):
        return f"the number {cell!r}"
    if isinstance(cell, str):
        return f"text of {len(cell)} characters"
    if isinstance(cell, dict) and len(cell) == 1:
        ((tag, value),) = cell.items()
        if tag in ("$int", "$real"):
            return f"the number {str(value)[:60]}"
        if tag in ("$blob", "$text"):
            kind = "a BLOB" if tag == "$blob" else "text that is not UTF-8"
            return f"{kind}, {len(str(value))} characters of base64"
    return "a value of another kind"
