"""Finds the tool calls of a message, the ids of their occurrences, and the call of a result without a uid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from typing import Any, NamedTuple

from validator.converter.hermes_state_sqlite.scratch import Scratch, bindable


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
    if not isinstance(uids, dict) or not uids:
        return [f"{message}/{call.place}" for call in calls]
    # A provider id that is no string is no key of the map.
    ids = [call.provider_id if isinstance(call.provider_id, str) else None for call in calls]
    repeats = Counter(ids)
    found = []
    for call, provider_id in zip(calls, ids, strict=True):
        uid = uids.get(provider_id) if provider_id is not None and repeats[provider_id] == 1 else None
        found.append(uid if isinstance(uid, str) else f"{message}/{call.place}")
    return found


HELD = 100_000
"""Calls that are kept in memory; those of a larger store are kept on disk."""


class CallIndex:
    """The calls of a store by session, replay state and provider id; closed with `close`."""

    def __init__(self, entries: Iterable[tuple[object, bool, str, str]]) -> None:
        self._held: dict[tuple[object, bool, str], str | None] = {}
        self._scratch: Scratch | None = None
        rest = iter(entries)
        first = list(islice(rest, HELD + 1))
        if len(first) <= HELD:
            for session, replay, provider_id, occurrence in first:
                key = (session, replay, provider_id)
                self._held[key] = None if key in self._held else occurrence
            return
        columns = ("session", "replay", "provider_id", "occurrence")
        rows = ((bindable(session), *others) for session, *others in chain(first, rest))
        self._scratch = Scratch("call", columns, rows)

    def find(self, session: object, replay: bool, provider_id: str) -> str | None:
        """The occurrence of the one call with this provider id in this session and replay state, if one."""
        if self._scratch is None:
            return self._held.get((session, replay, provider_id))
        sql = "SELECT occurrence FROM call WHERE session IS ? AND replay = ? AND provider_id = ? LIMIT 2"
        found = self._scratch.all(sql, (bindable(session), replay, bindable(provider_id)))
        return str(found[0][0]) if len(found) == 1 else None

    def close(self) -> None:
        """Removes the index."""
        if self._scratch is not None:
            self._scratch.close()
