"""Reads session logs: lines, whose session a file is, and the standard fields of each kind of line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator.converter.hermes_home_files.files import LARGEST
from validator.converter.hermes_home_files.front_matter import BOM
from validator.converter.hermes_home_files.json_text import Decoded, NotJson, decode
from validator.converter.hermes_home_files.memories import Found, instant, scalar

SUFFIX = ".jsonl"
META, USE, RESULT = "session_meta", "tool_use", "tool_result"
TURN, UNKNOWN = "message", "unknown"

_ENTITIES = {META: "session-meta", USE: "tool-use", RESULT: "tool-result"}


@dataclass(frozen=True)
class LogLine:
    """A line that is not blank: its number from 1, its bytes without LF, and what it holds."""

    number: int
    raw: bytes
    decoded: Decoded | None
    """None where it cannot be read; then `fault` says why."""
    fault: NotJson | None = None
    marked: bool = False
    """Whether a byte order mark stands before it."""

    @property
    def value(self) -> Any:
        """The decoded value."""
        return self.decoded.value if self.decoded else None


def log_lines(path: Path) -> Iterator[LogLine]:
    """The lines of a log. Only LF ends one; a line of blanks is no unit."""
    for number, raw in _raw_lines(path):
        if raw is None:
            yield LogLine(number, b"", None, NotJson("malformed-json"))
            continue
        marked = _is_marked(number, raw)
        text = raw[len(BOM) :] if marked else raw
        try:
            yield LogLine(number, raw, decode(text), marked=marked)
        except NotJson as fault:
            yield LogLine(number, raw, None, fault, marked)


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, by number and bytes; None for one that is too long."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LARGEST + 1):
            number += 1
            if len(raw) > LARGEST and not raw.endswith(b"\n"):
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(LARGEST)
                yield number, None
                continue
            raw = raw.removesuffix(b"\n")
            if (raw[len(BOM) :] if _is_marked(number, raw) else raw).strip(b" \t\r"):
                yield number, raw


def _is_marked(number: int, raw: bytes) -> bool:
    return number == 1 and raw.startswith(BOM)


def possible_calls(path: Path) -> Iterator[tuple[int, Any]]:
    """The lines that may be calls, by number and value: a call's type is spelled out, unless it is escaped."""
    for number, raw in _raw_lines(path):
        if raw is not None and (b"tool_use" in raw or b"\\u" in raw):
            try:
                yield number, decode(raw[len(BOM) :] if _is_marked(number, raw) else raw).value
            except NotJson:
                continue


def session_of(path: str, lines: Iterable[LogLine]) -> str:
    """The session of a log: the id of a first line `session_meta`, else the name of the file."""
    first = next(iter(lines), None)
    value = first.value if first else None
    if isinstance(value, dict) and value.get("type") == META:
        named = value.get("id")
        if isinstance(named, str) and named:
            return named
    return path.rpartition("/")[2].removesuffix(SUFFIX)


def entity_of(value: Any) -> str:
    """The entity type of a line."""
    if not isinstance(value, dict):
        return UNKNOWN
    kind = value.get("type")
    if isinstance(kind, str) and kind in _ENTITIES:
        return _ENTITIES[kind]
    return TURN if isinstance(value.get("role"), str) else UNKNOWN


def fields(entity: str, value: Any, found: Found) -> dict[str, Any]:
    """The standard fields of a line that stand in it; the link of a result is `Calls.link`."""
    if entity == TURN:
        return {"role": value["role"], **_any("content", value.get("content"))}
    if entity == "tool-use":
        return {**scalar("name", value.get("name")), **_any("input", value.get("input"))}
    if entity == "tool-result":
        return _any("result", value.get("content"))
    if entity == "session-meta":
        meta = {**scalar("model", value.get("model")), **scalar("cwd", value.get("cwd"))}
        started = value.get("started_at")
        if started is not None:
            time = instant(started)
            if time is None:
                found.append(("not-a-time", "started_at"))
            else:
                meta["started"] = time
        return meta
    return {}


def _any(name: str, value: Any) -> dict[str, Any]:
    return {} if value is None else {name: value}


class Calls:
    """The `tool_use` lines of all sessions by id, on disk; closed with `close`."""

    def __init__(self) -> None:
        # An empty name is a private database in a temporary file that SQLite removes.
        self._index = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            self._index.execute(f"PRAGMA {setting}")
        self._index.execute("CREATE TABLE call (session, id, entity)")
        self._index.execute("BEGIN")

    def add(self, session: str, value: Any, entity: str) -> None:
        """Take a line that may be a call; `entity` is its key."""
        if entity_of(value) == "tool-use" and isinstance(value.get("id"), str):
            self._index.execute("INSERT INTO call VALUES (?, ?, ?)", (session, value["id"], entity))

    def complete(self) -> None:
        """Say that all are in."""
        self._index.execute("CREATE INDEX call_key ON call (session, id, entity)")
        self._index.execute("COMMIT")

    def link(self, session: str, value: Any) -> dict[str, Any]:
        """The link of a result to the one call of its session with the id that it names, if one."""
        named = value.get("tool_use_id")
        if not isinstance(named, str):
            return {}
        found = self._index.execute(
            "SELECT entity FROM call WHERE session = ? AND id = ? LIMIT 2", (session, named)
        ).fetchall()
        if len(found) != 1:
            return {}
        return {"links": [{"rel": "call", "to": {"type": "tool-use", "key": found[0][0]}}]}

    def close(self) -> None:
        """Remove the index."""
        self._index.close()
