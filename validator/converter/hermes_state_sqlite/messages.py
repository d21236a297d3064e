"""Says what a message's row means: the standard fields of its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from validator.converter.hermes_state_sqlite.calls import CallIndex, calls_in, occurrences
from validator.converter.hermes_state_sqlite.cells import Json
from validator.converter.hermes_state_sqlite.instants import instant
from validator.converter.hermes_state_sqlite.json_cells import MALFORMED, decode
from validator.converter.hermes_state_sqlite.table import Table

KNOWN_ROLES = frozenset({"user", "assistant", "tool", "system"})

Found = list[tuple[str, str]]
"""Notices about the cells of a row: code, and column or element."""

_COLUMNS = (
    "role",
    "content",
    "api_content",
    "active",
    "observed",
    "timestamp",
    "platform_message_id",
    "reasoning",
    "finish_reason",
    "_compressed_summary",
    "tool_calls",
    "tool_call_uids",
    "tool_call_uid",
    "tool_call_id",
    "tool_name",
)


class MessageFields:
    """Makes the standard fields of a message from its row; `notices` are those of the last row."""

    def __init__(self, table: Table, index: CallIndex | None) -> None:
        places = [table.position(column) for column in _COLUMNS]
        # A column that this store does not have is read from the None that is put behind every row.
        self._pick = itemgetter(*(len(table.columns) if place is None else place for place in places))
        self._index = index
        self.message = ""
        self.session: object = None
        self.notices: Found = []

    def __call__(self, row: Sequence[Any]) -> dict[str, Any]:
        """The fields of the row, whose cells may be tagged; set `message` (its key) and `session` before."""
        cells = self._pick((*row, None))
        role, content, api_content, active, observed, timestamp, platform, reasoning, finish, summary = cells[:10]
        calls, uids = cells[10:12]
        self.notices = notices = []
        fields: dict[str, Any] = {}
        if role is not None:
            fields["role"] = role
        if api_content is not None:
            fields["content"] = api_content
            if content is not None:
                fields["display"] = content
        elif content is not None:
            fields["content"] = content
        # NULL and an absent column are in the replay.
        fields["replay"] = replay = active != 0
        if observed == 1:
            fields["addressed"] = False
        if timestamp is not None:
            time = instant(timestamp)
            if time is not None:
                fields["time"] = time
            else:
                notices.append(("not-a-time", "timestamp"))
        if platform is not None:
            fields["platformMessage"] = platform
        if calls is not None or uids is not None:
            items = self._calls(calls, uids)
            if items:
                fields["toolCalls"] = items
        if role == "tool":
            fields["toolResult"] = self._result(replay, *cells[12:])
        if reasoning is not None:
            fields["reasoning"] = reasoning
        if finish is not None:
            fields["finishReason"] = finish
        if summary == 1:
            fields["compressedSummary"] = {"replaces": "unknown"}
        return fields

    def _calls(self, calls: Json, uids: Json) -> list[dict[str, Any]]:
        note = self._note
        uid_map = None if uids is None else decode(uids, note("tool_call_uids"))
        value = None if calls is None else decode(calls, note("tool_calls"))
        if value is MALFORMED or not isinstance(value, list):
            return []
        found = calls_in(value)
        if len(found) < len(value):
            places = {call.place for call in found}
            self.notices += [("not-a-call", f"tool_calls[{i}]") for i in range(len(value)) if i not in places]
        items = []
        for call, occurrence in zip(found, occurrences(self.message, found, uid_map), strict=True):
            item = {"occurrence": occurrence}
            if call.provider_id is not None:
                item["providerId"] = call.provider_id
            if call.name is not None:
                item["name"] = call.name
            if call.arguments is not None:
                item["arguments"] = call.arguments
            items.append(item)
        return items

    def _result(self, replay: bool, uid: Json, call_id: Json, tool_name: Json) -> dict[str, Any]:
        result: dict[str, Any] = {}
        if (isinstance(uid, str) and uid) or (isinstance(uid, dict) and uid.get("$text")):
            result["call"] = uid
        elif self._index is not None and isinstance(call_id, str):
            call = self._index.find(self.session, replay, call_id)
            if call is not None:
                result["call"] = call
        if call_id is not None:
            result["providerId"] = call_id
        if tool_name is not None:
            result["name"] = tool_name
        return result

    def _note(self, column: str) -> Callable[[str], None]:
        return lambda code: self.notices.append((code, column))


def call_entries(
    rows: Iterator[tuple[Any, ...]],
) -> Iterator[tuple[object, bool, str, str]]:
    """What a `CallIndex` is made of, from rows of (key, session, active, tool_calls, tool_call_uids)."""
    for key, session, active, calls, uids in rows:
        found = calls_in(decode(calls, _quiet))
        if found:
            uid_map = None if uids is None else decode(uids, _quiet)
            for call, occurrence in zip(found, occurrences(key, found, uid_map), strict=True):
                if isinstance(call.provider_id, str):
                    yield session, active != 0, call.provider_id, occurrence


def _quiet(code: str) -> None:
    """The scan of the messages gives the notices."""
