"""The standard fields and links of sessions and usage rows are those of their columns, absent where they are NULL."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.converter.streams import SNAPSHOT, lines, of_kind, records
from tests.stores import BadText, Cell, build

HEAD = {"line", "stream", "family", "position", "entity", "native"}
START = "1970-01-01T00:00:00.000000Z"
COLUMNS_OF_COUNTS = (
    "api_call_count",
    "tool_call_count",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)


def session(tmp_path: Path, schema: int = 31, **row: Cell) -> dict[str, Any]:
    """The standard fields of one session; `summary` is checked and left out, all counts are NULL by default."""
    rows = [{"id": "s", "source": "cli", "started_at": 0, **dict.fromkeys(COLUMNS_OF_COUNTS), **row}]
    path = build(tmp_path / "state.db", schema, {"sessions": rows}, raw=True, strict=False).path
    (record,) = records(lines(path), "sessions").values()
    assert record.pop("summary") is True
    return {name: value for name, value in record.items() if name not in HEAD}


def plain(tmp_path: Path, schema: int = 31, **row: Cell) -> dict[str, Any]:
    """As `session`, without the source and the start that every session of these tests has."""
    fields = session(tmp_path, schema, **row)
    assert fields.pop("source") == "cli" and fields.pop("started") == START
    return fields


def test_a_bare_session_has_its_source_and_its_start(tmp_path: Path) -> None:
    assert session(tmp_path) == {"source": "cli", "started": START}


def test_a_session_is_current_state_in_its_own_stream(tmp_path: Path) -> None:
    path = build(tmp_path / "state.db", 31, {"sessions": [{"id": "s1"}]}).path
    found = lines(path)
    (record,) = of_kind(found, "record")
    assert (record["family"], record["position"]) == ("current-state", SNAPSHOT)
    assert record["entity"] == {"type": "session", "key": "s1"}
    assert of_kind(found, "stream") == [
        {
            "line": "stream",
            "stream": 1,
            "namespace": {"value": "inst-1", "basis": "installation"},
            "session": "s1",
            "agent": None,
        }
    ]


def test_text_fields_are_their_columns(tmp_path: Path) -> None:
    row: dict[str, Cell] = {
        "title": "",
        "model": "m",
        "end_reason": BadText(b"\xff"),
        "cwd": "/w",
        "git_branch": "main",
        "ended_at": 2.25,
    }
    assert plain(tmp_path, **row) == {
        "title": "",
        "model": "m",
        "endReason": {"$text": b64encode(b"\xff").decode()},
        "cwd": "/w",
        "branch": "main",
        "ended": "1970-01-01T00:00:02.250000Z",
    }


def test_an_end_that_is_no_time_is_absent_and_noticed(tmp_path: Path) -> None:
    path = build(tmp_path / "state.db", 31, {"sessions": [{"id": "s", "ended_at": -1}]}).path
    found = lines(path)
    assert "ended" not in records(found, "sessions")["s"]
    assert [(n["code"], n["unit"]["key"], n["detail"]) for n in of_kind(found, "notice")] == [
        ("not-a-time", ["s"], "ended_at")
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("subagent", {"scope": "subagent"}),
        ("cron", {"trigger": "cron"}),
        ("webhook", {"trigger": "webhook"}),
        ("CRON", {}),
        ("", {}),
    ],
)
def test_scope_and_trigger_come_from_the_source_alone(tmp_path: Path, source: str, expected: dict[str, str]) -> None:
    assert session(tmp_path, source=source) == {"source": source, "started": START, **expected}


def test_without_a_source_there_is_none_and_no_channel(tmp_path: Path) -> None:
    assert session(tmp_path, source=None, chat_id="42") == {"started": START}


@pytest.mark.parametrize(
    ("row", "channel"),
    [
        ({"chat_id": "42"}, {"source": "cli", "chat": "42"}),
        ({"chat_id": "", "chat_type": "dm"}, {"source": "cli", "chat": "", "type": "dm"}),
        ({"chat_id": 42, "chat_type": ""}, {"source": "cli", "chat": 42, "type": ""}),
        ({"chat_type": "dm"}, None),
    ],
)
def test_a_channel_needs_a_source_and_a_chat(tmp_path: Path, row: dict[str, Cell], channel: object) -> None:
    assert plain(tmp_path, **row).get("channel") == channel


def test_a_thread_is_a_fact_of_the_producer_and_of_the_channel_if_there_is_one(tmp_path: Path) -> None:
    assert plain(tmp_path, thread_id="7") == {"hermes": {"threadId": "7"}}
    with_channel = tmp_path / "b"
    with_channel.mkdir()
    assert plain(with_channel, thread_id=7, chat_id="42") == {
        "channel": {"source": "cli", "chat": "42", "thread": 7},
        "hermes": {"threadId": 7},
    }


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ('{"platform": "telegram", "n": 1e3}', {"platform": "telegram", "n": 1000}),
        ("{}", {}),
        ("[1]", None),
        ('"x"', None),
        ("{", None),
        (b"{}", None),
        (None, None),
    ],
)
def test_an_origin_is_an_object_or_absent(tmp_path: Path, stored: Cell, expected: object) -> None:
    assert plain(tmp_path, origin_json=stored).get("hermes", {}).get("origin") == expected


def test_counts_are_their_columns_as_stored(tmp_path: Path) -> None:
    row: dict[str, Cell] = {"input_tokens": 5, "output_tokens": 0, "reasoning_tokens": "many", "api_call_count": 2**60}
    assert plain(tmp_path, **row) == {
        "counts": {
            "input_tokens": 5,
            "output_tokens": 0,
            "reasoning_tokens": "many",
            "api_call_count": {"$int": str(2**60)},
        }
    }


COSTS: list[tuple[dict[str, Cell], object]] = [
    ({"cost_status": "actual", "actual_cost_usd": 0.5, "estimated_cost_usd": 9}, (0.5, "actual")),
    ({"cost_status": "actual", "actual_cost_usd": 0.0}, (0, "actual")),
    ({"cost_status": "actual", "actual_cost_usd": None, "estimated_cost_usd": 9}, None),
    ({"cost_status": "actual", "actual_cost_usd": 1, "cost_source": "provider_cost_api"}, (1, "provider")),
    ({"cost_status": "actual", "actual_cost_usd": 1, "cost_source": "provider_generation_api"}, (1, "provider")),
    ({"cost_status": "actual", "actual_cost_usd": 1, "cost_source": "provider"}, (1, "actual")),
    ({"cost_status": "estimated", "estimated_cost_usd": 2}, (2, "estimated")),
    ({"cost_status": "estimated", "estimated_cost_usd": 2, "cost_source": "provider_cost_api"}, (2, "estimated")),
    ({"cost_status": "estimated", "actual_cost_usd": 2}, None),
    ({"cost_status": "estimated", "estimated_cost_usd": "2"}, None),
    ({"cost_status": "estimated", "estimated_cost_usd": b"2"}, None),
    ({"cost_status": "estimated", "estimated_cost_usd": float("inf")}, ({"$real": "Infinity"}, "estimated")),
    ({"cost_status": "included", "actual_cost_usd": 3, "estimated_cost_usd": 3}, (0, "included")),
    ({"cost_status": "included", "cost_source": "provider_cost_api"}, (0, "included")),
    ({"cost_status": "unknown", "actual_cost_usd": 1, "estimated_cost_usd": 1}, None),
    ({"cost_status": None, "actual_cost_usd": 1, "estimated_cost_usd": 1}, None),
    ({"cost_status": "Actual", "actual_cost_usd": 1}, None),
    ({"cost_status": b"actual", "actual_cost_usd": 1}, None),
]


@pytest.mark.parametrize(("row", "expected"), COSTS)
def test_a_session_costs_what_its_status_makes_of_its_columns(
    tmp_path: Path, row: dict[str, Cell], expected: Any
) -> None:
    cost = None if expected is None else {"amount": expected[0], "basis": expected[1]}
    assert plain(tmp_path, **row).get("cost") == cost


def config(**markers: object) -> str:
    return json.dumps({"temperature": 1, **markers})


LINEAGE: list[tuple[dict[str, Cell], str | None]] = [
    ({"parent_session_id": "p", "model_config": config(_branched_from="p")}, "fork"),
    ({"parent_session_id": "p", "model_config": config(_delegate_from="p")}, "spawn"),
    ({"parent_session_id": "p", "model_config": config(_reset_from="p")}, "reset"),
    (
        {"parent_session_id": "p", "model_config": config(_reset_from="p", _delegate_from="p", _branched_from="p")},
        "fork",
    ),
    ({"parent_session_id": "p", "model_config": config(_reset_from="p", _delegate_from="p")}, "spawn"),
    ({"parent_session_id": "p", "model_config": config(_branched_from="older", _reset_from="p")}, "reset"),
    ({"parent_session_id": "p", "model_config": config(_branched_from="older")}, "relatedUnknown"),
    ({"parent_session_id": "p", "model_config": config(_branched_from=["p"])}, "relatedUnknown"),
    ({"parent_session_id": "p", "model_config": "{"}, "relatedUnknown"),
    ({"parent_session_id": "p", "model_config": '["_branched_from"]'}, "relatedUnknown"),
    ({"parent_session_id": "p", "model_config": None}, "relatedUnknown"),
    ({"parent_session_id": "p", "source": "subagent"}, "relatedUnknown"),
    ({"parent_session_id": None, "model_config": config(_delegate_from="__orphaned__")}, None),
    ({"parent_session_id": 5, "model_config": config(_branched_from=5)}, None),
    ({"parent_session_id": b"p", "model_config": config(_branched_from="p")}, None),
]


@pytest.mark.parametrize(("row", "rel"), LINEAGE)
def test_a_marker_that_equals_the_parent_says_what_the_parent_is(
    tmp_path: Path, row: dict[str, Cell], rel: str | None
) -> None:
    links = [] if rel is None else [{"rel": rel, "to": {"type": "session", "key": "p"}}]
    assert session(tmp_path, **row).get("links", []) == links


def test_a_parent_that_is_not_utf8_is_named_by_its_bytes(tmp_path: Path) -> None:
    (found,) = plain(tmp_path, parent_session_id=BadText(b"p\xff"))["links"]
    assert found == {"rel": "relatedUnknown", "to": {"type": "session", "key": '[{"$text":"cP8="}]'}}


def test_instructions_are_linked_behind_the_parent_even_if_they_are_missing(tmp_path: Path) -> None:
    assert plain(tmp_path, parent_session_id="p", system_prompt_hash="h")["links"] == [
        {"rel": "relatedUnknown", "to": {"type": "session", "key": "p"}},
        {"rel": "instructions", "to": {"type": "instructions", "key": "h"}},
    ]


def test_an_empty_hash_is_text_and_a_blob_is_none(tmp_path: Path) -> None:
    (found,) = plain(tmp_path, system_prompt_hash="")["links"]
    assert found["to"] == {"type": "instructions", "key": ""}
    other = tmp_path / "b"
    other.mkdir()
    assert plain(other, system_prompt_hash=b"h") == {}


def test_a_column_that_the_store_does_not_have_is_absent(tmp_path: Path) -> None:
    assert plain(tmp_path, schema=11, title="t") == {"title": "t"}


USAGE: dict[str, Cell] = {
    "session_id": "s",
    "model": "m",
    "billing_provider": "",
    "billing_base_url": "https://x.invalid",
    "billing_mode": "",
    "task": "title",
    "api_call_count": 1,
    "input_tokens": 2,
    "output_tokens": 3,
    "cache_read_tokens": 4,
    "cache_write_tokens": 5,
    "reasoning_tokens": 6,
    "estimated_cost_usd": 0.25,
    "actual_cost_usd": 0.0,
    "cost_status": "estimated",
    "cost_source": "none",
    "first_seen": 1.5,
    "last_seen": None,
}


def usage(tmp_path: Path, **row: Cell) -> dict[str, Any]:
    rows = {"sessions": [{"id": "s"}], "session_model_usage": [{**USAGE, **row}]}
    path = build(tmp_path / "state.db", 31, rows, raw=True, strict=False).path
    (record,) = records(lines(path), "session_model_usage").values()
    return record


def test_a_usage_row_is_a_summary_of_its_session(tmp_path: Path) -> None:
    record = usage(tmp_path)
    del record["native"]
    assert record == {
        "line": "record",
        "stream": 1,
        "family": "current-state",
        "position": SNAPSHOT,
        "entity": {"type": "model-usage", "key": '["s","m","","https://x.invalid","","title"]'},
        "summary": True,
        "usageScope": "session",
        "dimensions": {
            "session_id": "s",
            "model": "m",
            "billing_provider": "",
            "billing_base_url": "https://x.invalid",
            "billing_mode": "",
            "task": "title",
        },
        "counts": {
            "api_call_count": 1,
            "input_tokens": 2,
            "output_tokens": 3,
            "cache_read_tokens": 4,
            "cache_write_tokens": 5,
            "reasoning_tokens": 6,
        },
        "cost": {"amount": 0.25, "basis": "estimated"},
        "hermes": {
            "modelUsage": {
                "cost_status": "estimated",
                "cost_source": "none",
                "estimated_cost_usd": 0.25,
                "actual_cost_usd": 0.0,
                "first_seen": 1.5,
            }
        },
    }


def test_an_empty_usage_row_keeps_its_dimensions_and_nothing_else(tmp_path: Path) -> None:
    nothing = dict.fromkeys(name for name in USAGE if name not in ("session_id", "task"))
    record = usage(tmp_path, **nothing, task=b"\0")
    assert {name for name in record if name not in HEAD} == {"summary", "usageScope", "dimensions"}
    assert record["dimensions"] == {
        "session_id": "s",
        "model": None,
        "billing_provider": None,
        "billing_base_url": None,
        "billing_mode": None,
        "task": {"$blob": "AA=="},
    }
    assert record["entity"]["key"] == '["s",null,null,null,null,{"$blob":"AA=="}]'


@pytest.mark.parametrize(("row", "expected"), COSTS)
def test_a_usage_row_costs_what_its_status_makes_of_its_columns(
    tmp_path: Path, row: dict[str, Cell], expected: Any
) -> None:
    nothing: dict[str, Cell] = dict.fromkeys(("estimated_cost_usd", "actual_cost_usd", "cost_status", "cost_source"))
    cost = None if expected is None else {"amount": expected[0], "basis": expected[1]}
    assert usage(tmp_path, **{**nothing, **row}).get("cost") == cost
