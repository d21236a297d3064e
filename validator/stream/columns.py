"""Turns one record line into rows of the ``record_*`` tables.

Nothing is judged here: what the converter said is written down in the workbench's encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

from validator.census import key_of_number, key_part, key_text
from validator.workbench.encoding import (
    Blob,
    json_column,
    json_digest,
    recorded_column,
    recorded_digest,
    recorded_row_digest,
    value_column,
    value_digest,
)

STATEMENTS = {
    name: f"INSERT INTO {name} VALUES ({', '.join('?' * width)})"
    for name, width in (
        ("record_stream", 7),
        ("record_call", 6),
        ("record_link", 5),
        ("record_count", 3),
        ("record_dimension", 3),
        ("record_destination", 4),
        ("record_gap", 10),
        ("record_notice", 6),
    )
}
"""How rows are written to the tables beside ``record``."""

Row = Sequence[Any]

Rows = dict[str, list[tuple[Any, ...]]]
"""Rows by the statement that writes them."""


def _as_it_is(value: Any) -> Any:
    return value


_PLAIN: dict[str, tuple[str, Callable[[Any], Any]]] = {
    member: (column, encode)
    for member, column, encode in (
        ("stream", "stream", _as_it_is),
        ("family", "family", _as_it_is),
        ("position", "position", _as_it_is),
        ("revision", "revision", _as_it_is),
        ("role", "role", recorded_column),
        ("content", "content", recorded_digest),
        ("display", "display", recorded_digest),
        ("replay", "replay", _as_it_is),
        ("addressed", "addressed", _as_it_is),
        ("author", "author", json_column),
        ("time", "time", _as_it_is),
        ("platformMessage", "platform_message", recorded_column),
        ("toolCalls", "calls", len),
        ("reasoning", "reasoning", recorded_digest),
        ("finishReason", "finish", recorded_column),
        ("source", "source", recorded_column),
        ("scope", "scope", _as_it_is),
        ("trigger", '"trigger"', _as_it_is),
        ("title", "title", recorded_column),
        ("model", "model", recorded_column),
        ("started", "started", _as_it_is),
        ("ended", "ended", _as_it_is),
        ("endReason", "end_reason", recorded_column),
        ("cwd", "cwd", recorded_column),
        ("branch", "branch", recorded_column),
        ("root", "root", json_column),
        ("summary", "summary", _as_it_is),
        ("usageScope", "usage_scope", _as_it_is),
        ("dimensions", "dimensions", len),
        ("counts", "counts", len),
        ("text", "text", recorded_digest),
        ("tags", "tags", json_column),
        ("project", "project", recorded_column),
        ("name", "name", recorded_column),
        ("input", "input", value_column),
        ("result", "answer", value_column),
    )
}
"""Members that are one column: its name, and how the value stands there."""

_GROUPS: dict[str, tuple[str | None, tuple[tuple[str, str, Callable[[Any], Any]], ...]]] = {
    group: (present, members)
    for group, present, members in (
        ("part", None, (("of", "part_of", _as_it_is), ("index", "part_index", _as_it_is))),
        (
            "toolResult",
            "result",
            (
                ("call", "result_call", recorded_column),
                ("providerId", "result_provider", recorded_column),
                ("name", "result_name", recorded_column),
            ),
        ),
        ("compressedSummary", None, (("replaces", "replaces", json_column),)),
        (
            "channel",
            "channel",
            (
                ("source", "channel_source", recorded_column),
                ("chat", "channel_chat", recorded_column),
                ("type", "channel_type", recorded_column),
                ("thread", "channel_thread", recorded_column),
            ),
        ),
        ("cost", None, (("amount", "cost_amount", recorded_column), ("basis", "cost_basis", _as_it_is))),
    )
}
"""Members that are objects: the column that says whether they are there, and the columns of their own members."""


@dataclass(frozen=True)
class KeyRule:
    """How the unit of a record is found: its key columns, or ``entity.key`` where there are none."""

    columns: tuple[str, ...]


_FIXED = ("line", "at", "tab", "key", "unit", "etype", "ekey", "digest", "offset", "length")
_NESTED = {"toolCalls", "links", "counts", "dimensions"}


class _Plan:
    """How lines with the same members are written: what is taken, how it is encoded, and by which statement."""

    def __init__(self, run: int, alias: tuple[str, ...], members: tuple[str, ...]) -> None:
        plain = [member for member in members if member in _PLAIN]
        # For one name alone itemgetter gives no tuple.
        self.take = itemgetter(*plain) if len(plain) > 1 else lambda item: [item[member] for member in plain]
        encoders = [(place, _PLAIN[member][1]) for place, member in enumerate(plain, len(_FIXED))]
        self.encoders = [(place, encode) for place, encode in encoders if encode is not _as_it_is]
        self.groups = [(member, *_GROUPS[member]) for member in members if member in _GROUPS]
        self.nested = not {*_NESTED, *alias}.isdisjoint(members)
        columns = [*_FIXED, *(_PLAIN[member][0] for member in plain)]
        for _, present, inside in self.groups:
            columns += [*([present] if present else []), *(column for _, column, _ in inside)]
        self.statement = _statement(run, columns)
        self.statement_of_line = _statement(run, [*columns, "native_line"])
        """For a record that carries a line of a file."""


def _statement(run: int, columns: list[str]) -> str:
    # A record's place in the order is the number of its line, which is the first of the columns.
    marks = ", ".join("?" * (len(columns) - 1))
    return f"INSERT INTO record (run, ord, {', '.join(columns)}) VALUES ({run}, ?1, ?1, {marks})"


class RecordColumns:
    """Makes the rows of one run's lines."""

    def __init__(
        self, run: int, keys: dict[str, KeyRule], alias: tuple[str, ...], foreseen: Mapping[str, int] | None = None
    ) -> None:
        self.run, self.keys, self.alias = run, keys, alias
        self._foreseen: dict[Any, int] = dict(foreseen or {})
        """By table, the number that the next record's unit will have if all come in native order."""
        self._open = {"author", "input", "result", "root", *alias}
        self._plan = lru_cache(maxsize=256)(partial(_Plan, run, alias))

    def stream(self, item: dict[str, Any], number: int) -> tuple[Any, ...]:
        """Return the row of a stream line."""
        namespace = item["namespace"]
        return (
            self.run, item["stream"], number,
            namespace["value"], namespace["basis"], recorded_column(item["session"]), item["agent"],
        )  # fmt: skip

    def unit_of(self, item: dict[str, Any]) -> tuple[str | None, str | None]:
        """Return the table (or kind) and key, as compact JSON, of the unit that a record carries."""
        native = item.get("native")
        record = native.get("record") if isinstance(native, dict) else None
        row = record.get("row") if isinstance(record, dict) else None
        if record is None or not isinstance(row, dict):
            return None, None
        table = record.get("table")
        rule = self.keys.get(table) if isinstance(table, str) else None
        if rule is None:
            return table, None
        if not rule.columns:
            return table, _key_of_entity(item)
        if len(rule.columns) == 1 and type(number := row.get(rule.columns[0])) is int:
            return table, key_of_number(number)
        if not all(column in row for column in rule.columns):
            return table, None
        return table, key_text([_recorded_part(row[column]) for column in rule.columns])

    def holds_json(self, item: dict[str, Any]) -> bool:
        """Whether a line has members that are any JSON, where an integer may be longer than 64 bits."""
        if not self._open.isdisjoint(item) or type(item.get("content")) in (list, dict):
            return True
        native = item.get("native")
        if type(native) is dict and type(record := native.get("record")) is dict and "value" in record:
            return True
        calls = item.get("toolCalls")
        return type(calls) is list and not all(
            type(call) is dict and type(call.get("arguments")) is str for call in calls
        )

    def record(
        self, item: dict[str, Any], line: int, number: int, offset: int, length: int
    ) -> tuple[str, Row, Rows]:
        """Return the statement and the row of a record line, and the rows of what lies inside it."""
        tab, key = self.unit_of(item)
        native = item["native"]
        record = native.get("record")
        unit = self._foreseen.get(tab)
        if unit is not None:
            self._foreseen[tab] = unit + 1
        entity = item.get("entity")
        etype, ekey = (entity.get("type"), entity.get("key")) if type(entity) is dict else (None, None)
        plan = self._plan(tuple(item))
        values = [line, number, tab, key, unit, etype, ekey, _native_digest(native), offset, length, *plan.take(item)]
        for place, encode in plan.encoders:
            values[place] = encode(values[place])
        for name, present, members in plan.groups:
            value = item[name]
            if present is not None:
                values.append(1)
            for member, _, encode in members:
                values.append(encode(value[member]) if member in value else None)
        statement = plan.statement
        if record and (native_line := record.get("line")) is not None:
            statement = plan.statement_of_line
            values.append(native_line)
        return statement, values, self._nested(item, line) if plan.nested else {}

    def _nested(self, item: dict[str, Any], line: int) -> Rows:
        rows: Rows = {}
        if calls := item.get("toolCalls"):
            rows[STATEMENTS["record_call"]] = [
                (line, index, recorded_column(call["occurrence"]), json_column(call.get("providerId")),
                 json_column(call.get("name")), json_digest(call.get("arguments")))
                for index, call in enumerate(calls)
            ]  # fmt: skip
        if links := item.get("links"):
            rows[STATEMENTS["record_link"]] = [
                (line, index, link["rel"], link["to"]["type"], link["to"]["key"]) for index, link in enumerate(links)
            ]
        if counts := item.get("counts"):
            rows[STATEMENTS["record_count"]] = [(line, name, recorded_column(value)) for name, value in counts.items()]
        if dimensions := item.get("dimensions"):
            rows[STATEMENTS["record_dimension"]] = [
                (line, name, recorded_column(value)) for name, value in dimensions.items()
            ]
        for alias in self.alias:
            if facts := item.get(alias):
                rows[STATEMENTS["record_destination"]] = [
                    (line, name, _kind(value), json_column(value)) for name, value in facts.items()
                ]
        return rows


def _native_digest(native: dict[str, Any]) -> Blob | None:
    """Digest the unit that a record carries: a row, the value of a line, or bytes."""
    record = native.get("record")
    if not record:
        return recorded_digest(native.get("blob"))
    return recorded_row_digest(record["row"]) if "row" in record else value_digest(record["value"])


def _key_of_entity(item: dict[str, Any]) -> str | None:
    key = item.get("entity", {}).get("key")
    return key_text([key]) if isinstance(key, str) else None


def _recorded_part(cell: Any) -> Any:
    """Return a key column of a recorded row as a locator writes it."""
    if isinstance(cell, dict):
        return cell.get("$int", cell)
    return key_part(cell)


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    return {list: "array", str: "string", bool: "boolean", type(None): "null"}.get(type(value), "number")


