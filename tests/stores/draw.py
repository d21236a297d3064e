"""Draws whole Hermes stores for Hypothesis: a schema, rows that hang together, and ways they do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.stores import draw_cells as cells
from tests.stores.cells import BadText, Cell
from tests.stores.construct import Contents, Rows, build
from tests.stores.draw_cells import Cells, one_of
from tests.stores.layouts import NEWER, layout_of

SCHEMAS = [22, 11, 13, 14, 16, 17, 19, 25, 26, 31, NEWER]
Row = dict[str, Cell]


@dataclass(frozen=True)
class Drawn:
    """A store drawn but not written; its rows are all that it will hold, and each message has its id."""

    schema: int
    rows: Rows
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def namespace(self) -> str | None:
        """The namespace that the store has of its own: a text that is not empty."""
        values = [row["value"] for row in self.rows["state_meta"] if row["key"] == "store_instance_id"]
        return next((value for value in values if isinstance(value, str) and value), None)

    def write(self, path: Path) -> Contents:
        """Writes the store to `path`, which must not exist."""
        return build(path, self.schema, self.rows, strict=False, **self.options)


def octets(cell: Cell) -> tuple[str, object]:
    """What makes two cells of a key the same: text by its bytes, BLOBs and numbers by themselves."""
    if isinstance(cell, BadText):
        return "text", cell.octets
    if isinstance(cell, str):
        return "text", cell.encode("utf-8")
    return type(cell).__name__, cell


MESSAGE: dict[str, Cells] = {
    "role": one_of(
        *("user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "system"),
        *("session_meta", "", "Tool", b"tool", None),
    ),
    "content": cells.contents(),
    "tool_call_id": one_of("c1", "c2", "c1", "c2", "call:0", None, "", "ghost", "7", BadText(b"c1\xff")),
    "tool_calls": cells.tool_calls(),
    "tool_name": one_of(None, "t", "", b"t"),
    "timestamp": cells.times(),
    "token_count": cells.numbers(),
    "finish_reason": one_of(None, "stop", "tool_calls", ""),
    "reasoning": cells.texts(),
    "reasoning_details": cells.objects({}),
    "platform_message_id": one_of(None, "17", "", b"17"),
    "observed": cells.flags(),
    "active": cells.flags(),
    "compacted": cells.flags(),
    "api_content": st.one_of(st.none(), cells.contents()),
    "_compressed_summary": cells.flags(),
    "display_identity": one_of(None, b"\0\1\2", b""),
    "message_uid": one_of(None, "m1", "m2"),
    "tool_call_uids": cells.tool_call_uids(),
    "tool_call_uid": one_of(None, *cells.UIDS, "", "ghost", "1/0", b"u1"),
}
COSTS: dict[str, Cells] = {
    "cost_status": one_of(None, "actual", "estimated", "included", "unknown", "", "Actual", b"actual"),
    "cost_source": one_of(
        None,
        "none",
        "provider_cost_api",
        "provider_generation_api",
        "provider",
        "catalog",
        "official_docs_snapshot",
    ),
    "estimated_cost_usd": cells.numbers(),
    "actual_cost_usd": cells.numbers(),
}
COUNTS: dict[str, Cells] = {
    name: cells.numbers()
    for name in (
        *("api_call_count", "input_tokens", "output_tokens"),
        *("cache_read_tokens", "cache_write_tokens", "reasoning_tokens"),
    )
}
SESSION: dict[str, Cells] = {
    "source": one_of("cli", "telegram", "subagent", "cron", "webhook", "", "CRON", None),
    "user_id": one_of(None, "u"),
    "model": cells.texts(),
    "model_config": cells.model_configs(),
    "system_prompt_hash": one_of(None, "h1", "h2", "ghost", "", b"h1"),
    "parent_session_id": st.one_of(st.none(), cells.session_ids(), st.just("ghost")),
    "started_at": cells.times(),
    "ended_at": cells.times(),
    "end_reason": one_of(None, "branched", "done", BadText(b"\xff")),
    "message_count": cells.numbers(),
    "title": cells.texts(),
    "cwd": one_of(None, "/home/somebody/project", "C:\\work", BadText(b"/\xff"), ""),
    "git_branch": one_of(None, "main"),
    "session_key": one_of(None, "agent:main:x", "k"),
    "chat_id": one_of(None, "42", "", b"42"),
    "chat_type": one_of(None, "dm", "group"),
    "thread_id": one_of(None, "7", "", b"7", "\0"),
    "origin_json": cells.objects({"platform": st.just("telegram"), "big": st.just(10**30)}),
    "tool_call_count": cells.numbers(),
    **COSTS,
    **COUNTS,
}
USAGE: dict[str, Cells] = {
    "model": one_of("m", "n", "", None),
    "billing_provider": one_of("", "p"),
    "billing_base_url": one_of("", "https://example.invalid/v1"),
    "billing_mode": one_of("", "batch"),
    "task": one_of("", "title", "compress"),
    "first_seen": cells.times(),
    "last_seen": cells.times(),
    **COSTS,
    **COUNTS,
}
# Tables besides messages and sessions: the columns that matter (session ids apart), and the key.
OTHERS: dict[str, tuple[dict[str, Cells], tuple[str, ...]]] = {
    "session_model_usage": (
        USAGE,
        ("session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task"),
    ),
    "system_prompts": ({"hash": one_of("h1", "h2", "", b"h1"), "prompt": cells.texts()}, ("hash",)),
    "delivery_obligations": (
        {
            "obligation_id": one_of("d1", "d2", ""),
            "session_key": one_of("agent:main:x", "k", "s"),
            "content": cells.contents(),
            "created_at": cells.times(),
        },
        ("obligation_id",),
    ),
    "async_delegations": (
        {
            "delegation_id": one_of("g1", "g2"),
            "result_json": cells.objects({}),
            "dispatched_at": cells.times(),
        },
        ("delegation_id",),
    ),
    "gateway_routing": (
        {
            "scope": one_of("", "x", None),
            "session_key": one_of("agent:main:x", "k", BadText(b"k\xff"), None),
            "entry_json": cells.objects({"session_id": st.just("s")}),
        },
        ("scope", "session_key"),
    ),
    "telegram_dm_topic_mode": ({"chat_id": one_of("1", "2"), "enabled": cells.flags()}, ("chat_id",)),
    "conversation_generations": (
        {"source": one_of("cli", ""), "session_key": one_of("k", ""), "generation": cells.numbers()},
        ("source", "session_key"),
    ),
    "session_admissions": (
        {
            "seq": one_of(1, 2, 0, -1, 2**53 + 1),
            "target_session_id": st.one_of(cells.session_ids(), st.none()),
            "payload_json": cells.objects({}),
        },
        ("seq",),
    ),
    "worker_executions": (
        {"execution_id": one_of("e1", "e2", "", b"e1"), "last_sequence": cells.numbers()},
        ("execution_id",),
    ),
    "worker_receipts": (
        {
            "execution_id": one_of("e1", "e2", "ghost"),
            "sequence": one_of(1, 2, -1, "x"),
            "result_json": cells.objects({}),
        },
        ("execution_id", "sequence"),
    ),
    "compression_locks": ({}, ("session_id",)),
    "gateway_hygiene_state": ({"failure_streak": cells.numbers()}, ("session_key",)),
}
STRANGE_DDL = [
    "ALTER TABLE messages ADD COLUMN mood TEXT DEFAULT 'calm'",
    "ALTER TABLE sessions ADD COLUMN karma REAL DEFAULT 0.5",
    "CREATE TABLE future_table(k TEXT, v BLOB)",
    "CREATE VIEW all_messages AS SELECT * FROM messages",
]


@st.composite
def stores(draw: st.DrawFn, max_sessions: int = 3, max_messages: int = 6) -> Drawn:
    """A store of any schema; half of what hangs together in a sound store does not here."""
    schema = draw(st.sampled_from(SCHEMAS))
    layout = layout_of(schema)
    least = draw(st.sampled_from([1, 1, 1, 0]))
    ids = draw(st.lists(cells.session_ids(), min_size=least, max_size=max_sessions, unique_by=octets))
    anywhere = _mostly(ids)

    def rows_of(table: str, columns: dict[str, Cells], key: dict[str, Cells]) -> st.SearchStrategy[Row]:
        present = {c.name for c in layout.tables[table].columns}
        optional = {c: s for c, s in columns.items() if c in present and c not in key}
        return st.fixed_dictionaries(key, optional=optional)

    rows: dict[str, list[Row]] = {}
    rows["sessions"] = []
    for i in ids:
        parent = {"parent_session_id": st.one_of(SESSION["parent_session_id"], anywhere)}
        row = draw(rows_of("sessions", SESSION | parent, {"id": st.just(i)}))
        rows["sessions"].append(row | draw(_marked(row.get("parent_session_id"))))
    numbers = st.one_of(st.integers(1, 40), st.sampled_from([0, -1, 2**53 + 1, 2**63 - 1, -(2**63)]))
    for number in draw(st.lists(numbers, max_size=max_messages, unique=True)):
        key = {"id": st.just(number), "session_id": anywhere, "role": MESSAGE["role"]}
        rows.setdefault("messages", []).append(draw(rows_of("messages", MESSAGE, key)))
    for table, (columns, unique) in OTHERS.items():
        if table in layout.tables and draw(st.booleans()):
            shape = {c.name for c in layout.tables[table].columns}
            key = {name: columns.get(name, anywhere) for name in unique if name in shape}
            if "session_id" in shape:
                key["session_id"] = anywhere
            one = rows_of(table, columns, key)
            rows[table] = draw(st.lists(one, max_size=3, unique_by=_key(unique)))
    rows["state_meta"] = draw(_meta())
    options = {
        "page_size": draw(st.sampled_from([4096, 512, 65536])),
        "journal": draw(st.sampled_from(["delete", "wal"])),
        "extra_ddl": draw(st.lists(st.sampled_from(STRANGE_DDL), unique=True, max_size=2)),
    }
    return Drawn(schema, rows, options)


def _mostly(ids: list[Cell]) -> Cells:
    """One of the store's own session ids, nine times of ten where it has any."""
    if not ids:
        return cells.session_ids()
    return st.integers(0, 9).flatmap(lambda n: cells.session_ids() if n == 9 else st.sampled_from(ids))


def _marked(parent: Cell) -> st.SearchStrategy[Row]:
    """Half of the time, a `model_config` with a marker that equals the parent, perhaps beside others."""
    if not isinstance(parent, str):
        return st.just({})
    others = st.dictionaries(st.sampled_from(cells.MARKERS), st.just("ghost"), max_size=1)
    marked = st.sampled_from(cells.MARKERS).flatmap(lambda name: others.map(lambda o: {**o, name: parent}))
    return st.one_of(st.just({}), marked.map(lambda config: {"model_config": json.dumps(config)}))


def _key(unique: tuple[str, ...]) -> Callable[[Row], object]:
    return lambda row: tuple(octets(row.get(name)) for name in unique)


@st.composite
def _meta(draw: st.DrawFn) -> list[Row]:
    values = one_of("11111111-2222-3333-4444-555555555555", "", None, b"x", "a/path")
    if draw(st.booleans()):
        return []
    return [
        {"key": "store_instance_id", "value": draw(values)},
        {"key": "other", "value": draw(cells.texts())},
    ]
