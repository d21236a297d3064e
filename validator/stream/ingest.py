"""Loads a record stream, line by line, into the workbench's ``record_*`` tables.

Every line is held against the record stream's schema and against the order that the protocol asks for. A
record line that breaks the schema is an error of the converter and is listed; anything else that is
wrong with the stream ends the run: ``ProtocolError``, with the line's number.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from validator.census import key_text
from validator.stream.columns import STATEMENTS, KeyRule, RecordColumns, Row, Rows
from validator.stream.protocol import ProtocolError
from validator.workbench.encoding import Blob

MOST_SCHEMA_ERRORS = 1000
"""Broken lines that are described; all are counted."""

BATCH = 50
BATCH_BYTES = 64 * 2**10
"""Lines are taken in batches of this size, each step for all of a batch: that is faster by half than line by line."""

_LONG_NUMBER = re.compile(rb"[:,\[ \t]-?[0-9]{17}")


@dataclass(frozen=True)
class SchemaError:
    """A record line that breaks the schema."""

    line: int
    pointer: str
    message: str
    key: str | None
    tab: str | None


@dataclass
class Counts:
    """How many lines of each kind a run has written."""

    streams: int = 0
    records: int = 0
    gaps: int = 0
    notices: int = 0


def batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield lines in batches, so that no more than ``BATCH_BYTES`` and one line are held.

    What was read before a fault of the lines themselves is handed on before the fault.
    """
    held: list[bytes] = []
    size = 0
    try:
        for line in lines:
            held.append(line)
            size += len(line)
            if size >= BATCH_BYTES or len(held) == BATCH:
                yield held
                held, size = [], 0
    except Exception:
        if held:
            yield held
        raise
    if held:
        yield held


class Ingest:
    """Takes the lines of one run. Call ``lines`` for each batch, then ``finish``.

    ``keys`` says for each native table which columns are the key; ``check`` returns whether a parsed line
    is valid, ``explain`` why not, as (pointer, message). ``foreseen`` is by table the number that its first unit is
    going to have: what is linked by it is still to be held against the key.
    """

    def __init__(
        self,
        workbench: sqlite3.Connection,
        run: int,
        keys: dict[str, KeyRule],
        check: Callable[[Any], bool],
        explain: Callable[[Any], list[tuple[str, str]]],
        alias: tuple[str, ...],
        first_line: int = 1,
        foreseen: Mapping[str, int] | None = None,
    ) -> None:
        self.workbench, self.run, self.keys = workbench, run, keys
        self._check, self._explain = check, explain
        self._columns = RecordColumns(run, keys, alias, foreseen)
        self.first = first_line
        self.number = 0
        self.begin: dict[str, Any] | None = None
        self.ended = False
        self._within = False
        """Whether a record may stand here: behind ``begin`` and before ``end``."""
        self.counts = Counts()
        self.schema_errors: list[SchemaError] = []
        self.broken_lines = 0
        self._streams: set[int] = set()
        self._offset = 0
        self._records: list[tuple[str, Row]] = []
        self._others: Rows = {statement: [] for statement in STATEMENTS.values()}
        self.used_streams: set[int] = set()

    def lines(self, batch: Sequence[bytes]) -> None:
        """Take lines, each with its LF, in the order in which they stand in the kept stream."""
        items, fault = self._parse(batch)
        valid = list(map(self._check, items))
        try:
            for item, is_valid, raw in zip(items, valid, batch, strict=False):
                self.number += 1
                if is_valid and self._within and item["line"] == "record":
                    self._record(item, len(raw))
                else:
                    self._line(item, is_valid, len(raw))
                self._offset += len(raw)
        finally:
            self._write()
        if fault is not None:
            raise fault

    def _parse(self, batch: Sequence[bytes]) -> tuple[list[dict[str, Any]], ProtocolError | None]:
        """Return what the lines hold, up to the first that holds no JSON object, and what is wrong with that."""
        items: list[dict[str, Any]] = []
        for raw in batch:
            item: Any = None
            fault = None
            if raw[-1:] != b"\n":
                fault = "does not end with LF: the stream was cut off"
            else:
                try:
                    item = orjson.loads(raw)
                    if type(item) is dict and self._columns.holds_json(item) and _LONG_NUMBER.search(raw):
                        item = json.loads(raw)  # exact where orjson makes a double of an integer beyond 64 bits
                except (ValueError, RecursionError):
                    fault = f"is not JSON in UTF-8: {_excerpt(raw)}"
            if fault is None and type(item) is not dict:
                fault = f"is not a JSON object: {_excerpt(raw)}"
            if fault is not None:
                return items, ProtocolError(self.number + len(items) + 1, fault)
            items.append(item)
        return items, None

    def _line(self, item: dict[str, Any], valid: bool, length: int) -> None:
        """Take a line that is no valid record, or stands where none may."""
        kind = item.get("line")
        if self.ended:
            raise ProtocolError(self.number, "a line after `end`; `end` must be the last line")
        if self.begin is None and kind != "begin":
            raise ProtocolError(self.number, "the first line must be `begin`")
        if kind == "record":
            self._broken(item, length)
        elif valid:
            getattr(self, f"_{kind}")(item)
        else:
            pointer, message = self._explain(item)[0]
            raise ProtocolError(self.number, f"breaks the record stream's schema at {pointer or '/'}: {message}")
        self._within = self.begin is not None and not self.ended

    def _begin(self, item: dict[str, Any]) -> None:
        if self.begin is not None:
            raise ProtocolError(self.number, "a second `begin`")
        self.begin = item
        converter = item["converter"]
        self.workbench.execute(
            "INSERT INTO record_run VALUES (?, ?, ?, ?, ?, 0)",
            (self.run, converter["name"], converter["version"], item["producer"], item["format"]),
        )

    def _stream(self, item: dict[str, Any]) -> None:
        number = item["stream"]
        if number in self._streams:
            raise ProtocolError(self.number, f"stream {number} is declared twice")
        self._streams.add(number)
        self.counts.streams += 1
        self._others[STATEMENTS["record_stream"]].append(self._columns.stream(item, self.number))

    def _record(self, item: dict[str, Any], length: int) -> None:
        stream = item["stream"]
        if stream not in self._streams:
            raise ProtocolError(self.number, f"stream {stream} is not declared above this record")
        self.counts.records += 1
        self.used_streams.add(stream)
        self._hold(self._columns.record(item, self.first + self.number, self.number, self._offset, length))

    def _hold(self, found: tuple[str, Row, Rows]) -> None:
        statement, row, nested = found
        self._records.append((statement, row))
        if nested:
            for others, rows in nested.items():
                self._others[others].extend(rows)

    def _broken(self, item: dict[str, Any], length: int) -> None:
        """Take a record that breaks the schema; where it can be read as a record all the same, its unit counts."""
        self.counts.records += 1
        self.broken_lines += 1
        if len(self.schema_errors) < MOST_SCHEMA_ERRORS:
            tab, key = self._columns.unit_of(item)
            found = self._explain(item) or [("", "breaks the schema")]
            self.schema_errors.append(SchemaError(self.number, found[0][0], found[0][1], key, tab))
        try:
            rows = self._columns.record(item, self.first + self.number, self.number, self._offset, length)
        except (TypeError, KeyError, ValueError, AttributeError):
            return
        cells = [rows[1], *(row for nested in rows[2].values() for row in nested)]
        if all(_bindable(cell) for row in cells for cell in row):
            self._hold(rows)

    def _gap(self, item: dict[str, Any]) -> None:
        self.counts.gaps += 1
        first, last = item["from"], item["to"]
        self._others[STATEMENTS["record_gap"]].append(
            (self.run, self.number, first["source"], first.get("table"), _locator_key(first), _locator_key(last),
             None, None, item["units"], item["reason"])
        )  # fmt: skip

    def _notice(self, item: dict[str, Any]) -> None:
        self.counts.notices += 1
        unit = item["unit"]
        self._others[STATEMENTS["record_notice"]].append(
            (self.run, self.number, item["code"], unit["source"], unit.get("table"), _locator_key(unit))
        )

    def _end(self, item: dict[str, Any]) -> None:
        self.ended = True
        counted = {name: getattr(self.counts, name) for name in ("streams", "records", "gaps", "notices")}
        for name, count in counted.items():
            if item[name] != count:
                raise ProtocolError(self.number, f"`end` says {item[name]} {name}, the stream has {count}")

    def _write(self) -> None:
        """Write the rows that are held; records first and in their order, since the other tables refer to them."""
        execute = self.workbench.cursor().execute
        for statement, row in self._records:
            execute(statement, row)
        self._records.clear()
        for statement, rows in self._others.items():
            if rows:
                self.workbench.executemany(statement, rows)
                rows.clear()

    def finish(self) -> None:
        """Write the last facts; raises ``ProtocolError`` if the stream never came to its ``end``."""
        if self.begin is not None:
            self.workbench.execute(
                "UPDATE record_run SET records = ? WHERE run = ?", (self.counts.records, self.run)
            )
        if not self.ended:
            what = f"the stream stops after line {self.number}" if self.number else "the converter wrote nothing"
            raise ProtocolError(0, f"{what}: no `end` line")


def _locator_key(locator: dict[str, Any]) -> str | None:
    """Return the key that a locator names, as it stands in the workbench; a file's key is its path."""
    if "key" in locator:
        return key_text(locator["key"])
    if "line" in locator:
        return key_text([locator["source"], str(locator["line"])])
    return None if "pointer" in locator else key_text([locator["source"]])


def _bindable(cell: Any) -> bool:
    if isinstance(cell, int):
        return -(2**63) <= cell < 2**63
    return cell is None or isinstance(cell, (float, str, Blob))


def _excerpt(raw: bytes) -> str:
    text = raw[:80].decode("utf-8", "replace").rstrip("\n")
    return ascii(text) + ("…" if len(raw) > 80 else "")


__all__ = ["Counts", "Ingest", "KeyRule", "ProtocolError", "SchemaError", "batches"]
