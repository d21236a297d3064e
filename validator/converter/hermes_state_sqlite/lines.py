"""Writes the lines of the record stream, and counts them.

A line is serialised fast where its cells are plain, else exactly: what JSON cannot say is tagged, and no
number is rounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from validator.converter.hermes_state_sqlite.cells import (
    INFINITY,
    Json,
    blob,
    is_undecoded,
    is_utf8,
    key_part,
    tagged,
)

Fields = Callable[[Sequence[Any]], dict[str, Any]]
"""Standard fields of a row; its cells may be tagged."""

_PLAIN = orjson.OPT_STRICT_INTEGER | orjson.OPT_APPEND_NEWLINE


class Lines:
    """The lines of one run: `source` is the file's name, `namespace` what stands in every stream line."""

    def __init__(self, source: str, namespace: dict[str, str]) -> None:
        self._source = source
        self._namespace = namespace
        self._streams: dict[object, int] = {}
        self.not_utf8: list[str] = []
        """The columns of the row that was written last whose text is not UTF-8."""
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

    def record(
        self, head: dict[str, Any], fields: Fields, table: str, columns: Sequence[str], row: Sequence[Any]
    ) -> bytes:
        """One record: `head`, the fields of the row, and the row; made anew where a cell needs a tag."""
        self._counts["records"] += 1
        self.not_utf8 = []
        if INFINITY not in row and -INFINITY not in row:
            record = {**head, **fields(row)}
            record["native"] = {"record": {"table": table, "row": dict(zip(columns, row, strict=True))}}
            try:
                return orjson.dumps(record, blob, _PLAIN)
            except TypeError:
                # Text that is not UTF-8, a large integer or deep nesting: the exact way.
                pass
        row = [tagged(cell) for cell in row]
        self.not_utf8 = [column for column, cell in zip(columns, row, strict=True) if is_undecoded(cell)]
        record = {**head, **fields(row)}
        record["native"] = {"record": {"table": table, "row": dict(zip(columns, row, strict=True))}}
        return written(record)

    def gap(self, table: str, first: Sequence[object], last: Sequence[object], units: int | None) -> bytes:
        """Rows of a table that no record carries, by the key cells of the first and the last."""
        self._counts["gaps"] += 1
        ends = {"from": self.unit(table, first), "to": self.unit(table, last)}
        return written({"line": "gap", **ends, "units": units, "reason": "unreadable"})

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


def excerpt(text: str) -> str:
    """At most 200 characters of a text, such as can be written."""
    return (text if is_utf8(text) else text.encode("utf-8", "replace").decode())[:200]
