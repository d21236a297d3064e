"""Says what a message's row means: the standard fields of its record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from validator.converter.hermes_state_sqlite.calls import CallIndex, calls_in, item
from validator.converter.hermes_state_sqlite.cells import Json
from validator.converter.hermes_state_sqlite.damage import Gap, Row
from validator.converter.hermes_state_sqlite.instants import instant
from validator.converter.hermes_state_sqlite.json_cells import MALFORMED, decode
from validator.converter.hermes_state_sqlite.table import Table, key_text

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
    """Fills in the standard fields of a message from its row; `notices` are those of the last row."""

    def __init__(self, table: Table, index: CallIndex | None) -> None:
        places = [table.position(column) for column in _COLUMNS]
        # A column that this store does not have is read from the None that is put behind every row.
        self._pick = itemgetter(*(len(table.columns) if place is None else place for place in places))
        self._index = index
        self.message = ""
        self.session: object = None
        self.notices: Found = []
        self._note_calls, self._note_uids = self._note("tool_calls"), self._note("tool_call_uids")

    def __call__(self, fields: dict[str, Any], row: Sequence[Any]) -> None:
        """Puts in the fields of the row, whose cells may be tagged; set `message` (its key) and `session` before."""
        cells = self._pick((*row, None))
        role, content, api_content, active, observed, timestamp, platform, reasoning, finish, summary = cells[:10]
        calls, uids, call_uid, call_id, tool_name = cells[10:]
        self.notices = notices = []
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
            items = self._calls(replay, calls, uids)
            if items:
                fields["toolCalls"] = items
        if role == "tool":
            fields["toolResult"] = self._result(replay, call_uid, call_id, tool_name)
        if reasoning is not None:
            fields["reasoning"] = reasoning
        if finish is not None:
            fields["finishReason"] = finish
        if summary == 1:
            fields["compressedSummary"] = {"replaces": "unknown"}

    def _calls(self, replay: bool, calls: Json, uids: Json) -> list[dict[str, Any]]:
        uid_map = None if uids is None else decode(uids, self._note_uids)
        value = None if calls is None else decode(calls, self._note_calls)
        if value is MALFORMED or not isinstance(value, list):
            return []
        found = calls_in(value, self.message, uid_map)
        if len(found) < len(value):
            others = (place for place, element in enumerate(value) if not isinstance(element, dict))
            self.notices += [("not-a-call", f"tool_calls[{place}]") for place in others]
        if self._index is not None:
            self._index.met(self.session, replay, found)
        return [item(occurrence, element) for occurrence, element in found]

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


def call_entries(rows: Iterable[Row | Gap]) -> Iterator[tuple[object, bool, str, str]]:
    """What a `CallIndex` is made of, from rows of (rowid, key, session, active, tool_calls, tool_call_uids)."""
    for row in rows:
        if isinstance(row, Gap):
            continue
        _, key, session, active, calls, uids = row
        uid_map = None if uids is None else decode(uids, _quiet)
        for occurrence, element in calls_in(decode(calls, _quiet), key_text((key,)), uid_map):
            provider_id = element.get("id")
            if isinstance(provider_id, str):
                yield session, active != 0, provider_id, occurrence


def _quiet(code: str) -> None:
    """The scan of the messages gives the notices."""
