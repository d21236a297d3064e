"""Turns one record line into rows of the ``record_*`` tables.

Nothing is judged here: what the converter said is written down in the workbench's encoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from validator.census import key_part, key_text
from validator.workbench.encoding import (
    json_column,
    json_digest,
    recorded_column,
    recorded_digest,
    recorded_row_digest,
)

BATCH_TABLES = {
    "record_stream": 7,
    "record": 63,
    "record_call": 6,
    "record_link": 5,
    "record_count": 3,
    "record_dimension": 3,
    "record_destination": 4,
    "record_gap": 10,
    "record_notice": 6,
}
"""The tables that lines are written to, and how many columns each has."""

_NONE: dict[str, Any] = {}


@dataclass(frozen=True)
class KeyRule:
    """How the unit of a record is found: its key columns, or ``entity.key`` where there are none."""

    columns: tuple[str, ...]


class RecordColumns:
    """Makes the rows of one run's lines."""

    def __init__(self, run: int, keys: dict[str, KeyRule], alias: tuple[str, ...]) -> None:
        self.run, self.keys, self.alias = run, keys, alias

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
        if not isinstance(record, dict) or not isinstance(record.get("row"), dict):
            return None, None
        table, row = record.get("table"), record["row"]
        rule = self.keys.get(table) if isinstance(table, str) else None
        if rule is None:
            return table, None
        if not rule.columns:
            return table, _key_of_entity(item)
        if not all(column in row for column in rule.columns):
            return table, None
        return table, key_text([_recorded_part(row[column]) for column in rule.columns])

    def record(
        self, item: dict[str, Any], line: int, number: int, offset: int, length: int
    ) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of a record line by table."""
        get = item.get
        table, key = self.unit_of(item)
        native = item["native"]
        record = native.get("record")
        digest = recorded_row_digest(record["row"]) if record else recorded_digest(native.get("blob"))
        result, channel, cost = get("toolResult"), get("channel"), get("cost")
        part, summary = get("part") or _NONE, get("compressedSummary")
        has_result, has_channel = (None if result is None else 1), (None if channel is None else 1)
        result, channel, cost = result or _NONE, channel or _NONE, cost or _NONE
        calls, counts, dimensions = get("toolCalls"), get("counts"), get("dimensions")
        column = recorded_column
        rows: dict[str, list[tuple[Any, ...]]] = {
            "record": [(
                line, self.run, number, line, item["stream"], item["family"], item["position"],
                item["entity"]["type"], item["entity"]["key"], table, key, None, digest,
                record.get("line") if record else None,
                part.get("of"), part.get("index"), get("revision"),
                column(get("role")), recorded_digest(get("content")), recorded_digest(get("display")),
                get("replay"), get("addressed"), json_column(get("author")), get("time"),
                column(get("platformMessage")),
                None if calls is None else len(calls),
                has_result, column(result.get("call")), column(result.get("providerId")), column(result.get("name")),
                recorded_digest(get("reasoning")), column(get("finishReason")),
                None if summary is None else json_column(summary["replaces"]),
                column(get("source")), get("scope"), get("trigger"), column(get("title")), column(get("model")),
                get("started"), get("ended"), column(get("endReason")), column(get("cwd")), column(get("branch")),
                has_channel, column(channel.get("source")), column(channel.get("chat")),
                column(channel.get("type")), column(channel.get("thread")),
                json_column(get("root")), get("summary"), get("usageScope"),
                None if dimensions is None else len(dimensions), None if counts is None else len(counts),
                column(cost.get("amount")), cost.get("basis"),
                recorded_digest(get("text")), json_column(get("tags")), column(get("project")), column(get("name")),
                json_column(get("input")), json_column(get("result")), offset, length,
            )]
        }  # fmt: skip
        self._nested(rows, item, line)
        return rows

    def _nested(self, rows: dict[str, list[tuple[Any, ...]]], item: dict[str, Any], line: int) -> None:
        if calls := item.get("toolCalls"):
            rows["record_call"] = [
                (line, index, recorded_column(call["occurrence"]), json_column(call.get("providerId")),
                 json_column(call.get("name")), json_digest(call.get("arguments")))
                for index, call in enumerate(calls)
            ]  # fmt: skip
        if links := item.get("links"):
            rows["record_link"] = [
                (line, index, link["rel"], link["to"]["type"], link["to"]["key"]) for index, link in enumerate(links)
            ]
        if counts := item.get("counts"):
            rows["record_count"] = [(line, name, recorded_column(value)) for name, value in counts.items()]
        if dimensions := item.get("dimensions"):
            rows["record_dimension"] = [(line, name, recorded_column(value)) for name, value in dimensions.items()]
        for alias in self.alias:
            if facts := item.get(alias):
                rows["record_destination"] = [
                    (line, name, _kind(value), json_column(value)) for name, value in facts.items()
                ]


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


