"""Makes the standard fields of a message and of a session from an exported row."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

Row = dict[str, Any]

LINEAGE = {"_branched_from": "fork", "_delegate_from": "spawn", "_reset_from": "reset"}
COUNTS = ("api_call_count", "tool_call_count", "input_tokens", "output_tokens", "cache_read_tokens",
          "cache_write_tokens", "reasoning_tokens")  # fmt: skip
AMOUNTS = {"actual": "actual_cost_usd", "estimated": "estimated_cost_usd"}
FROM_PROVIDER = ("provider_cost_api", "provider_generation_api")


def message(row: Row, siblings: list[Row]) -> Row:
    """Return the fields of a message; its siblings are the messages of its session."""
    seen = row.get("api_content")
    return filled(
        role=row.get("role"),
        content=row.get("content") if seen is None else seen,
        display=None if seen is None else row.get("content"),
        replay=row.get("active") != 0,
        addressed=False if row.get("observed") == 1 else None,
        time=instant(row.get("timestamp")),
        platformMessage=row.get("platform_message_id"),
        toolCalls=calls(row) or None,
        toolResult=result(row, siblings) if row.get("role") == "tool" else None,
        reasoning=row.get("reasoning"),
        finishReason=row.get("finish_reason"),
    )


def calls(row: Row) -> list[Row]:
    """Return the calls of a message; the export has decoded them already."""
    stored = row.get("tool_calls")
    found = []
    for index, call in enumerate(stored if isinstance(stored, list) else []):
        if isinstance(call, dict):
            function = call.get("function") if isinstance(call.get("function"), dict) else {}
            name, arguments = (
                call.get(part) if function.get(part) is None else function[part] for part in ("name", "arguments")
            )
            own = {"occurrence": f"{row['id']}/{index}", "providerId": call.get("id"), "name": name}
            found.append(filled(**own, arguments=arguments))
    return found


def result(row: Row, siblings: list[Row]) -> Row:
    """Return what a tool's message answers: the one call of its session and replay state with its id, if it is one."""
    wanted = row.get("tool_call_id")
    scope = [other for other in siblings if (other.get("active") != 0) == (row.get("active") != 0)]
    known = [call["occurrence"] for other in scope for call in calls(other) if call.get("providerId") == wanted]
    call = known[0] if wanted is not None and len(known) == 1 else None
    return filled(call=call, providerId=wanted, name=row.get("tool_name"))


def session(row: Row) -> Row:
    """Return the fields of a session."""
    source, chat = row.get("source"), row.get("chat_id")
    channel = None
    if source is not None and chat is not None:
        channel = filled(source=source, chat=chat, type=row.get("chat_type"), thread=row.get("thread_id"))
    origin = decoded(row.get("origin_json"))
    hermes = filled(origin=origin if isinstance(origin, dict) else None, threadId=row.get("thread_id"))
    return {
        **filled(
            source=source,
            scope="subagent" if source == "subagent" else None,
            trigger=source if source in ("cron", "webhook") else None,
            title=row.get("title"),
            model=row.get("model"),
            started=instant(row.get("started_at")),
            ended=instant(row.get("ended_at")),
            endReason=row.get("end_reason"),
            cwd=row.get("cwd"),
            branch=row.get("git_branch"),
            channel=channel,
            counts=filled(**{name: row.get(name) for name in COUNTS}) or None,
            cost=cost(row),
            links=lineage(row),
            hermes=hermes or None,
        ),
        "summary": True,
    }


def cost(row: Row) -> Row | None:
    """Return what a session cost, if its status says that the amount is one."""
    status = row.get("cost_status")
    if status == "included":
        return {"amount": 0, "basis": "included"}
    amount = row.get(AMOUNTS.get(status, ""))
    if amount is None:
        return None
    provider = status == "actual" and row.get("cost_source") in FROM_PROVIDER
    return {"amount": amount, "basis": "provider" if provider else status}


def lineage(row: Row) -> list[Row] | None:
    """Return the link to the parent; its kind is the marker that names the same parent."""
    parent = row.get("parent_session_id")
    if parent is None:
        return None
    config = decoded(row.get("model_config"))
    markers = [rel for name, rel in LINEAGE.items() if isinstance(config, dict) and config.get(name) == parent]
    return [{"rel": (markers or ["relatedUnknown"])[0], "to": {"type": "session", "key": parent}}]


def instant(seconds: float | None) -> str | None:
    """Return a time in UTC with six decimals, half to even."""
    if seconds is None:
        return None
    micros = int((Decimal(seconds) * 1_000_000).to_integral_value(ROUND_HALF_EVEN))
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def decoded(text: Any) -> Any:
    """Return the value of JSON text, or None."""
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def filled(**members: Any) -> Row:
    """Leave out what is not there."""
    return {name: value for name, value in members.items() if value is not None}
