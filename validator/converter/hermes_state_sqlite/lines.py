"""Writes the lines of the record stream, and counts them.

A line is serialised fast where its cells are plain, else exactly: what JSON cannot say is tagged, and no
number is rounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from validator.converter.hermes_state_sqlite.cells import (
    Json,
    blob,
    holds_infinity,
    is_undecoded,
    key_part,
    tagged,
)
from validator.converter.hermes_state_sqlite.table import Table

Fields = Callable[[dict[str, Any], Sequence[Any]], None]
"""Puts the standard fields of a row, whose cells may be tagged, into its record."""

_PLAIN = orjson.OPT_STRICT_INTEGER | orjson.OPT_APPEND_NEWLINE


class Lines:
    """The lines of one run: `source` is the file's name, `namespace` what stands in every stream line."""

    def __init__(self, source: str, namespace: dict[str, str]) -> None:
        self._source = source
        self._namespace = namespace
        self._streams: dict[object, int] = {}
        self.not_utf8: list[str] = []
        """The columns of the row that was written last whose text is not UTF-8."""
        self._table: Table | None = None
        self._row: dict[str, Any] = {}
        self._native: dict[str, Any] = {}
        self._counts = {"streams": 0, "records": 0, "gaps": 0, "notices": 0}

    def begin(self, converter: dict[str, str], producer: str, format_id: str, protocol: str) -> bytes:
        """The first line."""
        line = {"line": "begin", "protocol": protocol, "converter": converter, "producer": producer}
        return written({**line, "format": format_id, "after": True})

    def end(self) -> bytes:
        """The last line."""
        return written({"line": "end", **self._counts})

    def stream(self, session: object) -> tuple[int, bytes]:
        """The number of a session's stream (None: the store's), and its declaration, empty if made before."""
        number = self._streams.get(session)
        if number is not None:
            return number, b""
        self._counts["streams"] = number = len(self._streams) + 1
        self._streams[session] = number
        line = {"line": "stream", "stream": number, "namespace": self._namespace, "session": tagged(session)}
        return number, written({**line, "agent": None})

    def record(self, head: dict[str, Any], fields: Fields, table: Table, cells: Sequence[Any]) -> bytes:
        """One record: `head`, the fields of the row, and the row; made anew where a cell needs a tag."""
        self._counts["records"] += 1
        self.not_utf8 = []
        if not holds_infinity(cells):
            try:
                return orjson.dumps(self._record(head, fields, table, cells), blob, _PLAIN)
            except TypeError:
                # Text that is not UTF-8, a large integer or deep nesting: the exact way.
                pass
        cells = [tagged(cell) for cell in cells]
        self.not_utf8 = [name for name, cell in zip(table.columns, cells, strict=True) if is_undecoded(cell)]
        return written(self._record(head, fields, table, cells))

    def _record(self, head: dict[str, Any], fields: Fields, table: Table, cells: Sequence[Any]) -> dict[str, Any]:
        record = {**head}
        fields(record, cells)
        if table is not self._table:
            self._table, self._row = table, dict.fromkeys(table.columns)
            self._native = {"record": {"table": table.name, "row": self._row}}
        # Filling the same dictionary again is faster than a new one for each row; there is a cell for each column.
        self._row.update(zip(table.columns, cells, strict=False))
        record["native"] = self._native
        return record

    def notices(self, table: Table, key: Sequence[object], found: list[tuple[str, str]]) -> Iterator[bytes]:
        """The notices about the cells of the row that was written last: code, and column or element."""
        unit = self.unit(table.name, key) if found or self.not_utf8 else {}
        for column in self.not_utf8:
            yield self.notice("not-utf8", unit, column)
        for code, detail in found:
            yield self.notice(code, unit, detail)

    def gap(self, table: str, first: Sequence[object], last: Sequence[object], units: int | None) -> bytes:
        """Rows of a table that no record carries, by the key cells of the first and the last."""
        self._counts["gaps"] += 1
        ends = {"from": self.unit(table, first), "to": self.unit(table, last)}
        return written({"line": "gap", **ends, "units": units, "reason": "unreadable"})

    def gap_in_schema(self) -> bytes:
        """A part of the list of tables is unreadable: which tables are missing is not known."""
        self._counts["gaps"] += 1
        unit = self.unit()
        return written({"line": "gap", "from": unit, "to": unit, "units": None, "reason": "unreadable"})

    def notice(self, code: str, unit: dict[str, Json], detail: str | None = None) -> bytes:
        """A notice about a unit; `detail` names the column or table."""
        self._counts["notices"] += 1
        line: dict[str, Json] = {"line": "notice", "code": code, "unit": unit}
        return written(line if detail is None else {**line, "detail": detail})

    def unit(self, table: str | None = None, key: Sequence[object] = ()) -> dict[str, Json]:
        """The locator of a row, or of the store."""
        if table is None:
            return {"source": self._source}
        return {"source": self._source, "table": table, "key": [key_part(cell) for cell in key]}


def written(line: dict[str, Any]) -> bytes:
    """A line whose cells are tagged already; large integers and deep nesting are kept."""
    try:
        return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"
