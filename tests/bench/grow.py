"""Grows a large store from an authentic capture, with the schema of the release that made it.

Every row repeats a row of the capture, with its own ids and a later time; provider ids are unique in a session,
as the release writes them. Full-text indexes stay empty: no reader of the canonical tables needs them.
"""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CAPTURES = Path(__file__).parent.parent.parent / "captures"
NAMESPACE = "00000000-0000-4000-8000-000000000000"


def grow(path: Path, messages: int, per_session: int, capture: str = "0.19.0-edit-review") -> Path:
    """Write a store of so many messages, in sessions of so many each, to ``path``; returns it."""
    shutil.copyfile(CAPTURES / capture / "home/state.db", path)
    store = sqlite3.connect(path, isolation_level=None)
    store.row_factory = sqlite3.Row
    store.execute("PRAGMA journal_mode = OFF")
    store.execute("PRAGMA synchronous = OFF")
    triggers = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    store.execute("BEGIN")
    for name, _ in triggers:
        store.execute(f'DROP TRIGGER "{name}"')
    sessions = -(-messages // per_session)
    template = {name: store.execute(f"SELECT * FROM {name}").fetchall() for name in _TABLES}
    for name in _TABLES:
        store.execute(f"DELETE FROM {name}")
    _insert(store, "sessions", (_session(template["sessions"][0], n) for n in range(sessions)))
    usage = template["session_model_usage"]
    used = ({**dict(row), "session_id": _id(n)} for n in range(sessions) for row in usage)
    _insert(store, "session_model_usage", used)
    _insert(store, "messages", _messages(template["messages"], messages, per_session))
    for _, sql in triggers:
        store.execute(sql)
    store.execute("COMMIT")
    store.close()
    return path


_TABLES = ("sessions", "session_model_usage", "messages")


def _id(number: int) -> str:
    return f"20261130_130524_{number:08x}"


def _session(row: sqlite3.Row, number: int) -> dict[str, Any]:
    title = f"{row['title']} {number}" if row["title"] else None
    return {**dict(row), "id": _id(number), "title": title}


def _messages(template: list[sqlite3.Row], count: int, per_session: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        within = number % per_session
        round_, turn = divmod(within, len(template))
        row = dict(template[turn])
        row["id"] = number + 1
        row["session_id"] = _id(number // per_session)
        row["timestamp"] = row["timestamp"] + 10 * round_
        if row["tool_calls"]:
            row["tool_calls"] = row["tool_calls"].replace('"call_', f'"call_{round_}_')
        if row["tool_call_id"]:
            row["tool_call_id"] = row["tool_call_id"].replace("call_", f"call_{round_}_", 1)
        yield row


def _insert(store: sqlite3.Connection, table: str, rows: Iterator[dict[str, Any]]) -> None:
    first = next(rows, None)
    if first is None:
        return
    names = ", ".join(f'"{name}"' for name in first)
    statement = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(first))})"
    store.executemany(statement, (tuple(row.values()) for row in itertools.chain([first], rows)))
