"""Finds the tool calls of a message, the ids of their occurrences, and the call of a result without a uid."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from validator.converter.hermes_state_sqlite.cells import is_utf8, text_bytes


class Call(NamedTuple):
    """A call: its 0-based place in the stored array; id, name and arguments as stored (None: absent)."""

    place: int
    provider_id: Any
    name: Any
    arguments: Any


def calls_in(value: Any) -> list[Call]:
    """The calls of a decoded `tool_calls`: one for each object of the array; none where it is no array."""
    if not isinstance(value, list):
        return []
    return [_call(index, element) for index, element in enumerate(value) if isinstance(element, dict)]


def _call(index: int, element: dict[str, Any]) -> Call:
    function = element.get("function")
    inner = function if isinstance(function, dict) else {}
    name, arguments = inner.get("name"), inner.get("arguments")
    return Call(
        index,
        element.get("id"),
        element.get("name") if name is None else name,
        element.get("arguments") if arguments is None else arguments,
    )


def occurrences(message: str, calls: list[Call], uids: Any) -> list[str]:
    """The id of each call's occurrence: the message's uid for its provider id, or `MESSAGE/INDEX`.

    A provider id that is repeated in the message has no uid.
    """
    found = []
    for call in calls:
        uid = None
        if isinstance(uids, dict) and isinstance(call.provider_id, str):
            uid = uids.get(call.provider_id)
            if uid is not None and sum(other.provider_id == call.provider_id for other in calls) > 1:
                uid = None
        found.append(uid if isinstance(uid, str) else f"{message}/{call.place}")
    return found


class CallIndex:
    """The calls of a store by session, replay state and provider id, on disk; closed with `close`."""

    def __init__(self, entries: Iterable[tuple[object, bool, str, str]]) -> None:
        # An empty name is a private database in a temporary file that SQLite removes.
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            self._connection.execute(f"PRAGMA {setting}")
        self._connection.execute("CREATE TABLE call (session, replay, provider_id, occurrence)")
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO call VALUES (?, ?, ?, ?)", _bindable(entries))
        self._connection.execute("CREATE INDEX call_key ON call (session, replay, provider_id, occurrence)")
        self._connection.execute("COMMIT")

    def find(self, session: object, replay: bool, provider_id: str) -> str | None:
        """The occurrence of the one call with this provider id in this session and replay state, if one."""
        found = self._connection.execute(
            "SELECT occurrence FROM call WHERE session IS ? AND replay = ? AND provider_id = ? LIMIT 2",
            (bindable(session), replay, bindable(provider_id)),
        ).fetchall()
        return found[0][0] if len(found) == 1 else None

    def close(self) -> None:
        """Removes the index."""
        self._connection.close()


def _bindable(entries: Iterable[tuple[object, bool, str, str]]) -> Iterator[tuple[object, ...]]:
    for session, replay, provider_id, occurrence in entries:
        yield bindable(session), replay, provider_id, occurrence


def bindable(cell: object) -> object:
    """The cell as SQLite can be given it: text that is not UTF-8 as bytes, told apart from a BLOB."""
    if isinstance(cell, bytes):
        return b"blob:" + cell
    if isinstance(cell, str) and not is_utf8(cell):
        return b"text:" + text_bytes(cell)
    return cell


def unbound(value: object) -> object:
    """The cell that `bindable` was given."""
    if isinstance(value, bytes):
        rest = value[len(b"blob:") :]
        return rest if value.startswith(b"blob:") else rest.decode("utf-8", "surrogateescape")
    return value
