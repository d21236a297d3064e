"""What stands in each constructed capture, theme by theme; what each row is for is said beside it."""

from __future__ import annotations

from itertools import product

from tests.constructed.calls import CALLS
from tests.constructed.cells import CELLS, MESSAGES
from tests.constructed.construct import Theme
from tests.constructed.homes import HOME_STORE, LOGS, MEMORIES
from tests.homes import documented
from tests.stores import NEWER, Row, Rows


def _markers(**markers: str) -> str:
    """A `model_config` with lineage markers, written as Hermes writes it."""
    return "{" + ", ".join(f'"_{name}": "{value}"' for name, value in markers.items()) + "}"


def _child(name: str, parent: str | None, config: str | None, **more: str) -> Row:
    return {"id": name, "source": "cli", "parent_session_id": parent, "model_config": config, **more}


LINEAGE_ROWS: Rows = {
    "state_meta": [{"key": "store_instance_id", "value": "/srv/agent/.hermes"}],  # looks like a path, and is the id
    "sessions": [
        {"id": "root", "source": "cli", "title": "the first"},
        _child("fork", "root", _markers(branched_from="root"), end_reason="branched"),
        _child("spawn", "root", _markers(delegate_from="root")),
        _child("reset", "root", _markers(reset_from="root")),
        # Markers that differ from the parent: what compression copies from an older child.
        _child("after-fork", "fork", _markers(branched_from="root")),
        _child("after-spawn", "spawn", _markers(delegate_from="root")),
        _child("after-reset", "reset", _markers(reset_from="root")),
        _child("case", "fork", _markers(branched_from="FORK")),
        _child("space", "fork", _markers(branched_from="fork ")),
        # Two markers: the one that equals the parent proves it; where both do, branching goes first.
        _child("spawn-of-fork", "fork", _markers(branched_from="root", delegate_from="fork")),
        _child("reset-of-spawn", "spawn", _markers(delegate_from="root", reset_from="spawn")),
        _child("both", "root", _markers(delegate_from="root", branched_from="root")),
        # Pointers without a marker, and markers without a pointer.
        _child("plain", "root", None),
        _child("plain-branched", "root", "{}", end_reason="branched"),
        _child("orphaned", None, _markers(delegate_from="__orphaned__")),
        _child("no-parent", None, _markers(branched_from="root")),
        # Sessions that are gone: the pointer stands, the marker proves what it proves.
        _child("of-deleted", "deleted", _markers(branched_from="deleted")),
        _child("of-deleted-too", "deleted", None),
        _child("marker-deleted", "root", _markers(delegate_from="deleted")),
        # A parent that is the empty text, itself, or in a circle.
        _child("empty-parent", "", _markers(branched_from="")),
        _child("self", "self", _markers(branched_from="self")),
        _child("circle-a", "circle-b", None),
        _child("circle-b", "circle-a", _markers(reset_from="circle-a")),
        # model_config that proves nothing.
        _child("not-json", "root", "{'_branched_from': 'root'}"),
        _child("not-object", "root", '["_branched_from", "root"]'),
        _child("double-encoded", "root", '"{\\"_branched_from\\": \\"root\\"}"'),
        _child("nested", "root", '{"agent": {"_branched_from": "root"}}'),
        _child("nan", "root", '{"_branched_from": "root", "temperature": NaN}'),
        _child("marker-true", "root", '{"_branched_from": true}'),
        _child("marker-null", "root", '{"_branched_from": null, "_delegate_from": "root"}'),
        _child("marker-twice", "root", '{"_branched_from": "other", "_branched_from": "root"}'),
        # The source says subagent; nothing says whose.
        {"id": "subagent", "source": "subagent"},
        {"id": "subagent-of-root", "source": "subagent", "parent_session_id": "root"},
        {"id": "subagent-spawned", "source": "subagent", "parent_session_id": "root",
         "model_config": _markers(delegate_from="root")},
        # Ids that look like paths, hosts and users.
        {"id": "../../etc/passwd", "source": "cli"},
        {"id": "C:\\Users\\someone", "source": "cli", "parent_session_id": "../../etc/passwd"},
        {"id": "someone@host", "source": "cli", "cwd": "/home/someone/work", "git_branch": "main"},
    ],
    "messages": [
        {"session_id": "root", "role": "user", "content": "Read the file."},
        {"session_id": "root", "role": "assistant", "content": "It is read."},
        # A child that repeats its parent's first messages, and goes on.
        {"session_id": "fork", "role": "user", "content": "Read the file."},
        {"session_id": "fork", "role": "assistant", "content": "It is read."},
        {"session_id": "fork", "role": "user", "content": "And now another."},
        {"session_id": "subagent", "role": "user", "content": "A task."},
        {"session_id": "../../etc/passwd", "role": "user", "content": "A session is a session."},
        {"session_id": "nobody", "role": "user", "content": "Its session has no row."},
    ],
}  # fmt: skip

STATUSES = ("actual", "estimated", "included", "unknown", None, "Actual", "billed")
SOURCES = (
    "provider_cost_api",
    "provider_generation_api",
    "provider_models_api",
    "official_docs_snapshot",
    "user_override",
    "custom_contract",
    "none",
    None,
)


def _priced(number: int, status: str | None, source: str | None) -> Row:
    """A session of one status and source; amounts that tell the two columns apart."""
    return {
        "id": f"cost-{number}",
        "source": "cli",
        "cost_status": status,
        "cost_source": source,
        "actual_cost_usd": 0.25 + number,
        "estimated_cost_usd": 0.5 + number,
    }


def _used(number: int, status: str | None, source: str | None) -> Row:
    return {
        "session_id": "cost-0",
        "model": f"model-{number}",
        "cost_status": status,
        "cost_source": source,
        "actual_cost_usd": 0.125 + number,
        "estimated_cost_usd": 0.375 + number,
    }


COSTS_ROWS: Rows = {
    "state_meta": [{"key": "store_instance_id", "value": ""}],  # an empty value is absent
    "sessions": [
        *(_priced(number, *both) for number, both in enumerate(product(STATUSES, SOURCES))),
        # No amount, whatever the status says.
        {"id": "actual-null", "cost_status": "actual", "cost_source": "provider_cost_api", "estimated_cost_usd": 1.5},
        {"id": "estimated-null", "cost_status": "estimated", "cost_source": "user_override", "actual_cost_usd": 1.5},
        {"id": "actual-text", "cost_status": "actual", "actual_cost_usd": "1.5"},
        # Zero is an amount where a status claims it, and none where the status is unknown.
        {"id": "actual-zero", "cost_status": "actual", "cost_source": "none", "actual_cost_usd": 0.0},
        {"id": "unknown-zero", "cost_status": "unknown", "cost_source": "none", "actual_cost_usd": 0.0,
         "estimated_cost_usd": 0.0},
        {"id": "included-null", "cost_status": "included"},
        {"id": "integer", "cost_status": "actual", "actual_cost_usd": 2},
        {"id": "tiny", "cost_status": "estimated", "estimated_cost_usd": 1e-17},
        {"id": "infinite", "cost_status": "estimated", "estimated_cost_usd": float("inf")},
        # Counts: none, zero, beyond 2^53, and not a number.
        {"id": "no-counts", "api_call_count": None, "tool_call_count": None, "input_tokens": None,
         "output_tokens": None, "cache_read_tokens": None, "cache_write_tokens": None, "reasoning_tokens": None},
        {"id": "counts", "api_call_count": 3, "tool_call_count": 2, "input_tokens": 2**53 + 1, "output_tokens": 7,
         "cache_read_tokens": 11, "cache_write_tokens": 13, "reasoning_tokens": 0},
        {"id": "odd-counts", "api_call_count": "3", "input_tokens": 1.5},
    ],
    "session_model_usage": [
        *(_used(number, *both) for number, both in enumerate(product(STATUSES, SOURCES))),
        # Keys that differ in one dimension only, the empty text among them.
        *({"session_id": "counts", "model": "m", **dimension} for dimension in (
            {}, {"task": "title"}, {"billing_mode": "batch"}, {"billing_base_url": "http://127.0.0.1/"},
            {"billing_provider": "openai"}, {"billing_provider": None})),
        {"session_id": "nobody", "model": "m", "input_tokens": 5, "first_seen": 1.5, "last_seen": 2.5},
        {"session_id": None, "model": "m"},
    ],
}  # fmt: skip

GATEWAY_ROWS: Rows = {
    "sessions": [
        # Group and direct chats, with and without the chat's fields.
        {"id": "group", "source": "telegram", "user_id": "u-1", "chat_id": "-100", "chat_type": "group",
         "thread_id": "7", "session_key": "agent:telegram:-100", "origin_json": '{"platform": "telegram", "n": 1}'},
        {"id": "group-no-chat", "source": "telegram", "user_id": "u-1", "chat_type": "group"},
        {"id": "channel", "source": "discord", "user_id": "u-2", "chat_id": "c", "chat_type": "channel"},
        {"id": "untyped", "source": "slack", "user_id": "u-3", "chat_id": "C1"},
        {"id": "dm", "source": "telegram", "user_id": "u-1", "chat_id": "5", "chat_type": "dm"},
        {"id": "nobody-s", "source": "telegram", "chat_id": "-100", "chat_type": "group"},
        {"id": "empty-chat", "source": "telegram", "chat_id": "", "chat_type": "", "thread_id": ""},
        {"id": "number-chat", "source": "telegram", "chat_id": 5, "thread_id": 6},
        {"id": "no-source", "source": None, "chat_id": "-100"},
        # Triggers, and sources that are none.
        {"id": "cron", "source": "cron"},
        {"id": "webhook", "source": "webhook", "chat_id": "hook", "origin_json": '["no object"]'},
        {"id": "Cron", "source": "Cron"},
        {"id": "scheduler", "source": "scheduler", "origin_json": "{'no': 'json'}"},
        {"id": "double", "source": "cli", "origin_json": '"{\\"platform\\": \\"telegram\\"}"', "thread_id": 1.5},
    ],
    "messages": [
        {"session_id": "group", "role": "user", "content": "Who am I?", "platform_message_id": "41"},
        {"session_id": "group", "role": "assistant", "content": "It is done."},
        {"session_id": "group", "role": "user", "content": "By the way.", "observed": 1, "platform_message_id": "42"},
        {"session_id": "group-no-chat", "role": "user", "content": "Hello.", "observed": 0},
        {"session_id": "channel", "role": "user", "content": "Hello.", "observed": None},
        {"session_id": "untyped", "role": "user", "content": "Hello.", "observed": "1"},
        {"session_id": "dm", "role": "user", "content": "Hello.", "platform_message_id": ""},
        {"session_id": "dm", "role": "assistant", "content": "It is done."},  # stands in the group too
        {"session_id": "dm", "role": "assistant", "content": "Delivered."},  # stands in a delivery
        {"session_id": "cron", "role": "user", "content": "It is time."},
        {"session_id": "cron", "role": "assistant", "content": "Delivered."},
        {"session_id": "webhook", "role": "user", "content": "Ring.", "platform_message_id": 43},
    ],
    "delivery_obligations": [
        {"obligation_id": "o-1", "session_key": "agent:telegram:-100", "platform": "telegram", "chat_id": "-100",
         "content": "Delivered.", "state": "pending"},
        {"obligation_id": "o-2", "session_key": "dm", "platform": "telegram", "chat_id": "5", "content": "It is done.",
         "state": "delivered", "thread_id": "7"},
        {"obligation_id": "o-3", "session_key": "agent:slack:nobody", "platform": "slack", "chat_id": "x",
         "content": ""},
    ],
    "gateway_routing": [{"scope": "", "session_key": "agent:telegram:-100", "entry_json": '{"session_id": "group"}'}],
    "telegram_dm_topic_mode": [{"chat_id": "5", "user_id": "u-1", "enabled": 1}],
    "telegram_dm_topic_bindings": [
        {"chat_id": "5", "thread_id": "7", "user_id": "u-1", "session_key": "dm", "session_id": "dm"}
    ],
    "async_delegations": [{"delegation_id": "d-1", "origin_session": "group"}],
}  # fmt: skip

WORKERS_ROWS: Rows = {
    "state_meta": [{"key": "store_instance_id", "value": "5f2c0f5e-5a51-4a8e-9b1d-3f1f6a0c7e11"}],
    "runtime_epoch": [{"singleton": 1, "epoch": 4, "instance_id": "5f2c0f5e-5a51-4a8e-9b1d-3f1f6a0c7e11"}],
    "system_prompts": [{"hash": "a" * 64, "prompt": "Be brief."}, {"hash": "b" * 64, "prompt": "Be brief."}],
    "sessions": [
        {"id": "w-1", "source": "cli", "system_prompt_hash": "a" * 64, "runtime_revision": 3, "runtime_generation": 1},
        {"id": "w-2", "source": "cli", "system_prompt_hash": "c" * 64, "system_prompt": "Be long."},  # has no row
        {"id": "w-3", "source": "cli", "system_prompt_hash": ""},
    ],
    "messages": [
        {"session_id": "w-1", "role": "user", "content": "Work."},
        {"session_id": "w-2", "role": "user", "content": "Work too."},
        {"session_id": "w-1", "role": "assistant", "content": "Done."},
    ],
    "session_admissions": [
        {"seq": 1, "admission_id": "a-1", "request_id": "r-1", "target_session_id": "w-1", "status": "done"},
        {"seq": 2, "admission_id": "a-2", "request_id": "r-1", "target_session_id": "w-2", "lineage_json": '["w-1"]'},
        {"seq": 3, "admission_id": "a-3", "target_session_id": None},
        {"seq": 4, "admission_id": "a-4", "target_session_id": "gone"},
    ],
    "worker_executions": [
        {"execution_id": "e-1", "session_id": "w-1", "kind": "turn", "status": "done", "last_sequence": 2},
        {"execution_id": "e-2", "session_id": "w-2", "kind": "turn", "status": "running", "last_sequence": 1},
        {"execution_id": "e-3", "session_id": None, "kind": "turn"},
        {"execution_id": "e-4", "session_id": "gone", "kind": "turn"},
    ],
    "worker_receipts": [
        {"execution_id": "e-1", "sequence": 1, "payload_digest": "d-1", "result_json": '{"ok": true}'},
        {"execution_id": "e-1", "sequence": 2, "payload_digest": "d-2", "result_json": "not json"},
        {"execution_id": "e-2", "sequence": 1, "payload_digest": "d-1", "result_json": '{"ok": true}'},
        {"execution_id": "e-3", "sequence": 1, "payload_digest": "d-3"},
        {"execution_id": "gone", "sequence": 1, "payload_digest": "d-4"},  # of an execution that has no row
    ],
    "conversation_generations": [{"source": "telegram", "session_key": "k", "generation": 2}],
}  # fmt: skip

PERSISTED = "0b7f5a3c-8a43-4a55-9a0e-6f1f0f5b7d2e"

THEMES = (
    Theme("lineage", "parent pointers with every marker, none, and those that prove nothing", 31, LINEAGE_ROWS),
    Theme("costs", "every cost status with every source, and amounts that are none", 22, COSTS_ROWS, PERSISTED),
    Theme("messages", "replay states, content and its display, times and roles of every kind", 31, MESSAGES, PERSISTED),
    Theme("tool-calls", "stored calls and results that join, and those that only seem to", 31, CALLS, PERSISTED),
    Theme("gateway", "chats, triggers and deliveries, and what they tempt to claim", 31, GATEWAY_ROWS, PERSISTED),
    Theme("workers", "admissions, executions, receipts and shared instructions", NEWER, WORKERS_ROWS),
    Theme(
        "cells",
        "cells that are hard to carry whole, and tables and columns that nobody describes",
        31,
        CELLS,
        PERSISTED,
        {
            "extra_ddl": [
                "ALTER TABLE messages ADD COLUMN mood",
                "CREATE TABLE moods (name TEXT, kind INTEGER, why, PRIMARY KEY (kind, name)) WITHOUT ROWID",
                "CREATE TABLE notes (body)",
            ]
        },
    ),
    Theme(
        "home-documented",
        "the home that the home document shows, file by file",
        None,
        {},
        PERSISTED,
        files=documented(),
    ),
    Theme("home-memories", "memories of every kind, and no logs", None, {}, PERSISTED, files=MEMORIES),
    Theme(
        "home-logs",
        "session logs of every kind of line, beside a store that knows some of the sessions",
        31,
        HOME_STORE,
        files=LOGS,
    ),
)
"""Every constructed capture."""
