"""Runs the built-in converter for tests, and reads its lines back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from base64 import b64decode
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from validator.converter import Request, convert

CAPTURES = Path(__file__).parents[2] / "captures"
SNAPSHOT = "sha256:" + "5" * 64
FORMAT = "hermes-state-sqlite"

Line = dict[str, Any]

# By the facts of the format: tables about the store and its writers, which give no records.
CONTEXT = {"state_meta", "schema_version", "sqlite_sequence", "compression_locks", "session_turn_leases"}
CONTEXT |= {"gateway_hygiene_state", "gateway_heartbeats", "runtime_epoch"}


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


@cache
def _schema() -> jsonschema_rs.Validator:
    path = CAPTURES.parent / "validator" / "schemas" / "record-stream.json"
    return jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))


def assert_valid(found: list[Line]) -> None:
    """Every line is one of the protocol's."""
    for line in found:
        errors = [error.message for error in _schema().iter_errors(line)]
        assert not errors, (line, errors)


def assert_counted(found: list[Line]) -> None:
    """The last line says how many lines of each kind there are, and every record's stream is declared above."""
    counted = {f"{kind}s": len(of_kind(found, kind)) for kind in ("stream", "record", "gap", "notice")}
    assert found[-1] == {"line": "end", **counted}
    declared: list[int] = []
    for line in found:
        if line["line"] == "stream":
            declared.append(line["stream"])
        assert line["line"] != "record" or line["stream"] in declared
    assert len(set(declared)) == len(declared)
    assert set(declared) == {line["stream"] for line in of_kind(found, "record")}


def assert_rows_are_carried(store: Path, found: list[Line], tables: Iterable[str]) -> None:
    """Each row of the tables is in exactly one record, whole; no other table has records."""
    carried: dict[str, list[dict[str, Any]]] = {}
    for record in of_kind(found, "record"):
        carried.setdefault(record["native"]["record"]["table"], []).append(record["native"]["record"]["row"])
    assert set(carried) <= set(tables)
    for table in tables:
        left = carried.get(table, [])
        for row in native_rows(store, table):
            left.remove(next(candidate for candidate in left if same_row(row, candidate)))
        assert left == []
