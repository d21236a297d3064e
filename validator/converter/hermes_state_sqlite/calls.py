"""Finds the tool calls of a message, the ids of their occurrences, and the call of a result without a uid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

from validator.converter.hermes_state_sqlite.scratch import Scratch, bindable

Calls = list[tuple[str, dict[str, Any]]]
"""The calls of a message: the id of the occurrence, and the element of the stored array."""


def calls_in(value: Any, message: str, uids: Any) -> Calls:
    """The calls of a decoded `tool_calls`: one for each object of the array; none where it is no array.

    The occurrence is the message's uid for the call's provider id (`uids`, a decoded map), or `MESSAGE/INDEX`.
    """
    if not isinstance(value, list):
        return []
    calls = [(f"{message}/{place}", element) for place, element in enumerate(value) if isinstance(element, dict)]
    return _with_uids(calls, uids) if uids and isinstance(uids, dict) else calls


def _with_uids(calls: Calls, uids: dict[str, Any]) -> Calls:
    """A provider id that is no string is no key of the map; one that is repeated in the message has no uid."""
    ids = [element.get("id") for _, element in calls]
    times = Counter(provider_id for provider_id in ids if isinstance(provider_id, str))
    found = []
    for (occurrence, element), provider_id in zip(calls, ids, strict=True):
        uid = uids.get(provider_id) if isinstance(provider_id, str) and times[provider_id] == 1 else None
        found.append((uid if isinstance(uid, str) else occurrence, element))
    return found


def item(occurrence: str, element: dict[str, Any]) -> dict[str, Any]:
    """A call as a record has it: id, name and arguments as stored, absent where they are null."""
    made: dict[str, Any] = {"occurrence": occurrence}
    get = element.get
    provider_id, function, name, arguments = get("id"), get("function"), None, None
    if provider_id is not None:
        made["providerId"] = provider_id
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
    if name is None:
        name = get("name")
    if name is not None:
        made["name"] = name
    if arguments is None:
        arguments = get("arguments")
    if arguments is not None:
        made["arguments"] = arguments
    return made


HELD = 100_000
"""Calls that are kept in memory; those of a larger store are kept on disk."""
NEAR = 10_000
"""Of those on disk, how many of the last that were met are kept in memory, too: a result mostly follows its call."""


class CallIndex:
    """The calls of a store by session, replay state and provider id; closed with `close`."""

    def __init__(self, entries: Iterable[tuple[object, bool, str, str]]) -> None:
        self._held: dict[tuple[object, bool, str], str | None] = {}
        self._disk: _CallsOnDisk | None = None
        rest = iter(entries)
        first = list(islice(rest, HELD + 1))
        if len(first) > HELD:
            self._disk = _CallsOnDisk(chain(first, rest))
            return
        for session, replay, provider_id, occurrence in first:
            key = (session, replay, provider_id)
            self._held[key] = None if key in self._held else occurrence

    def met(self, session: object, replay: bool, calls: Calls) -> None:
        """These are the calls of the message that is at hand: results for them are to be expected."""
        if self._disk is not None:
            self._disk.met(session, replay, calls)

    def find(self, session: object, replay: bool, provider_id: str) -> str | None:
        """The occurrence of the one call with this provider id in this session and replay state, if one."""
        key = (session, replay, provider_id)
        return self._held.get(key) if self._disk is None else self._disk.find(key)

    def close(self) -> None:
        """Removes the index."""
        if self._disk is not None:
            self._disk.close()


class _CallsOnDisk:
    """The calls of a large store, those that were met last also in memory: most results need no query."""

    def __init__(self, entries: Iterable[tuple[object, bool, str, str]]) -> None:
        columns = ("session", "replay", "provider_id", "occurrence")
        rows = ((bindable(session), *others) for session, *others in entries)
        self._scratch = Scratch("call", columns, rows)
        key = "session, replay, provider_id"
        sql = f"SELECT {key} FROM call GROUP BY {key} HAVING count(*) > 1 LIMIT ?"
        self._repeated = set(self._scratch.all(sql, (NEAR + 1,)))
        self._near: dict[tuple[object, bool, str], str] = {}
        self._before = self._near

    def met(self, session: object, replay: bool, calls: Calls) -> None:
        if len(self._repeated) > NEAR:
            # Which calls are the only ones of their id is not known: all are looked for on disk.
            return
        if len(self._near) > NEAR:
            self._near, self._before = {}, self._near
        for occurrence, element in calls:
            provider_id = element.get("id")
            if isinstance(provider_id, str):
                self._near[session, replay, provider_id] = occurrence

    def find(self, key: tuple[object, bool, str]) -> str | None:
        session, replay, provider_id = key
        bound = (bindable(session), replay, bindable(provider_id))
        if bound in self._repeated:
            return None
        near = self._near.get(key) or self._before.get(key)
        if near is not None:
            return near
        sql = "SELECT occurrence FROM call WHERE session IS ? AND replay = ? AND provider_id = ? LIMIT 2"
        found = self._scratch.all(sql, bound)
        return str(found[0][0]) if len(found) == 1 else None

    def close(self) -> None:
        self._scratch.close()
