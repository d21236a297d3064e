"""Says what a session's row and a usage row mean: the standard fields of their records, and their links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from validator.converter.hermes_state_sqlite.cells import Json, entity_key, is_number, is_text
from validator.converter.hermes_state_sqlite.instants import instant
from validator.converter.hermes_state_sqlite.json_cells import decode
from validator.converter.hermes_state_sqlite.states import StateFields
from validator.converter.hermes_state_sqlite.table import Table

COUNTS = (
    "api_call_count",
    "tool_call_count",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
USAGE_COUNTS = tuple(name for name in COUNTS if name != "tool_call_count")
DIMENSIONS = ("session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task")
MODEL_USAGE = (
    "cost_status",
    "cost_source",
    "estimated_cost_usd",
    "actual_cost_usd",
    "first_seen",
    "last_seen",
)
PROVIDER_SOURCES = ("provider_cost_api", "provider_generation_api")
"""The only sources of a cost that the provider itself reported."""

LINEAGE = (("_branched_from", "fork"), ("_delegate_from", "spawn"), ("_reset_from", "reset"))
"""Markers of `model_config` and the relation each proves, the first that equals the parent deciding."""

Cells = dict[str, Any]
"""The cells of a row by column, those that are NULL or absent left out."""


class _Cells:
    """Takes the named cells of a row."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        places = [(column, table.position(column)) for column in columns]
        self._places = [(column, place) for column, place in places if place is not None]

    def present(self, row: Sequence[Any]) -> Cells:
        return {column: row[place] for column, place in self._places if row[place] is not None}

    def stored(self, row: Sequence[Any]) -> Cells:
        """Also those that are NULL."""
        return {column: row[place] for column, place in self._places}


class SessionFields(StateFields):
    """Makes the standard fields of a session."""

    _verbatim = (
        ("title", "title"),
        ("model", "model"),
        ("endReason", "end_reason"),
        ("cwd", "cwd"),
        ("branch", "git_branch"),
    )
    _other = (
        "source",
        "started_at",
        "ended_at",
        "chat_id",
        "chat_type",
        "thread_id",
        "origin_json",
        "cost_status",
        "cost_source",
        "estimated_cost_usd",
        "actual_cost_usd",
        "parent_session_id",
        "model_config",
        "system_prompt_hash",
    )

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._cells = _Cells(table, [*(column for _, column in self._verbatim), *self._other])
        self._counts = _Cells(table, COUNTS)

    def __call__(self, fields: dict[str, Any], row: Sequence[Any]) -> None:
        """Puts in the fields of the row, whose cells may be tagged."""
        self.notices = []
        cells = self._cells.present(row)
        source = cells.get("source")
        if source is not None:
            fields["source"] = source
        if source == "subagent":
            fields["scope"] = "subagent"
        if source in ("cron", "webhook"):
            fields["trigger"] = source
        fields.update((field, cells[column]) for field, column in self._verbatim if column in cells)
        for field, column in (("started", "started_at"), ("ended", "ended_at")):
            if column in cells:
                time = instant(cells[column])
                if time is None:
                    self.notices.append(("not-a-time", column))
                else:
                    fields[field] = time
        if source is not None and "chat_id" in cells:
            fields["channel"] = _channel(cells)
        fields["summary"] = True
        fields.update(_totals(self._counts.present(row), cells))
        links = self._links(cells)
        if links:
            fields["links"] = links
        facts = self._facts(cells)
        if facts:
            fields["hermes"] = facts

    def _links(self, cells: Cells) -> list[Json]:
        # Read even without a parent, so that a malformed one is noticed.
        config = decode(cells["model_config"], self._note("model_config")) if "model_config" in cells else None
        parent, prompt = cells.get("parent_session_id"), cells.get("system_prompt_hash")
        links: list[Json] = []
        if is_text(parent):
            markers = config if isinstance(config, dict) else {}
            proven = [rel for marker, rel in LINEAGE if isinstance(parent, str) and markers.get(marker) == parent]
            links.append(link(proven[0] if proven else "relatedUnknown", "session", parent))
        if is_text(prompt):
            links.append(link("instructions", "instructions", prompt))
        return links

    def _facts(self, cells: Cells) -> dict[str, Json]:
        facts: dict[str, Json] = {}
        if "origin_json" in cells:
            origin = decode(cells["origin_json"], self._note("origin_json"))
            if isinstance(origin, dict):
                facts["origin"] = origin
        if "thread_id" in cells:
            facts["threadId"] = cells["thread_id"]
        return facts

    def _note(self, column: str) -> Callable[[str], None]:
        return lambda code: self.notices.append((code, column))


class UsageFields(StateFields):
    """Makes the standard fields of a row of session_model_usage."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._dimensions = _Cells(table, DIMENSIONS)
        self._counts = _Cells(table, USAGE_COUNTS)
        self._facts = _Cells(table, MODEL_USAGE)

    def __call__(self, fields: dict[str, Any], row: Sequence[Any]) -> None:
        """Puts in the fields of the row, whose cells may be tagged."""
        facts = self._facts.present(row)
        fields["summary"] = True
        fields["usageScope"] = "session"
        fields["dimensions"] = self._dimensions.stored(row)
        fields.update(_totals(self._counts.present(row), facts))
        if facts:
            fields["hermes"] = {"modelUsage": facts}


def link(rel: str, entity: str, key: Json) -> dict[str, Json]:
    """A link to the entity that a cell (tagged, if need be) names."""
    return {"rel": rel, "to": {"type": entity, "key": entity_key((key,))}}


def _channel(cells: Cells) -> dict[str, Json]:
    channel = {"source": cells["source"], "chat": cells["chat_id"]}
    for member, column in (("type", "chat_type"), ("thread", "thread_id")):
        if column in cells:
            channel[member] = cells[column]
    return channel


def _totals(counts: Cells, cells: Cells) -> dict[str, Any]:
    totals: dict[str, Any] = {}
    if counts:
        totals["counts"] = counts
    status = cells.get("cost_status")
    if status == "included":
        totals["cost"] = {"amount": 0, "basis": "included"}
    elif status in ("actual", "estimated"):
        # Any other status, unknown first, leaves a stored 0 without a meaning.
        amount = cells.get(f"{status}_cost_usd")
        if is_number(amount):
            reported = status == "actual" and cells.get("cost_source") in PROVIDER_SOURCES
            totals["cost"] = {"amount": amount, "basis": "provider" if reported else status}
    return totals
