"""Runs the built-in converter for tests, and reads its lines back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from base64 import b64decode
from pathlib import Path
from typing import Any

from validator.converter import Request, convert

CAPTURES = Path(__file__).parents[2] / "captures"
SNAPSHOT = "sha256:" + "5" * 64
FORMAT = "hermes-state-sqlite"

Line = dict[str, Any]


def captured(name: str, folder: Path) -> tuple[Path, str | None]:
    """A copy of a capture's store in the folder, and the namespace that its installation persisted."""
    home = folder / "home"
    shutil.copytree(CAPTURES / name / "home", home)
    manifest = json.loads((CAPTURES / name / "capture.json").read_text(encoding="utf-8"))
    return home / "state.db", manifest.get("installation")


def raw(store: Path, namespace: str | None = "inst-1", after: str | None = None) -> list[bytes]:
    """The lines of a store, as bytes."""
    return list(convert(Request(FORMAT, store, SNAPSHOT, namespace, after)))


def lines(store: Path, namespace: str | None = "inst-1", after: str | None = None) -> list[Line]:
    """The lines of a store, parsed: every one a JSON object in UTF-8, ended by its only LF."""
    parsed = []
    for line in raw(store, namespace, after):
        assert line.endswith(b"\n") and line.count(b"\n") == 1
        text = line.decode("utf-8")
        parsed.append(json.loads(text, parse_constant=_refuse))
        # An escaped surrogate that stays alone cannot be encoded again.
        json.dumps(parsed[-1], ensure_ascii=False).encode("utf-8")
    return parsed


def _refuse(constant: str) -> float:
    raise AssertionError(f"{constant} is no JSON")


def of_kind(found: list[Line], kind: str) -> list[Line]:
    """The lines of one kind."""
    return [line for line in found if line["line"] == kind]


def records(found: list[Line], table: str) -> dict[str, Line]:
    """The records of one table by entity key."""
    kept = [line for line in of_kind(found, "record") if line["native"]["record"]["table"] == table]
    by_key = {line["entity"]["key"]: line for line in kept}
    assert len(by_key) == len(kept)
    return by_key


def untagged(cell: Any) -> Any:
    """The native cell of a JSON cell: text that is not UTF-8 as a bytearray, a BLOB as bytes."""
    if not isinstance(cell, dict):
        return cell
    ((tag, value),) = cell.items()
    if tag == "$blob":
        return b64decode(value, validate=True)
    if tag == "$text":
        return bytearray(b64decode(value, validate=True))
    return int(value) if tag == "$int" else float(value)


def same(native: Any, cell: Any) -> bool:
    """Whether a cell read with `text_factory = bytearray` is what a record holds: numbers by value."""
    found = untagged(cell)
    if isinstance(native, bytearray):
        if isinstance(found, bytearray):
            return native == found
        return isinstance(found, str) and found.encode("utf-8") == native
    if isinstance(native, int | float):
        return isinstance(found, int | float) and native == found
    return type(native) is type(found) and native == found


def native_rows(store: Path, table: str) -> list[dict[str, Any]]:
    """Every row of a table as plain sqlite3 reads it; TEXT as a bytearray."""
    connection = sqlite3.connect(store)
    connection.text_factory = bytearray
    try:
        cursor = connection.execute('SELECT * FROM "{}"'.format(table.replace('"', '""')))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]
    finally:
        connection.close()


def same_row(native: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a recorded row has the columns of a native one, in their order, and their cells."""
    return list(native) == list(row) and all(same(native[column], row[column]) for column in native)
