"""Runs one conversion: takes a home's files in the stream's order and writes a record for each unit."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from validator import __version__
from validator.converter import PROTOCOL
from validator.converter.hermes_home_files import FORMAT, PRODUCER
from validator.converter.hermes_home_files.files import (
    CONFIGURATION,
    JSON,
    LARGEST,
    LOG,
    MARKDOWN,
    HomeFile,
    home_files,
)
from validator.converter.hermes_home_files.logs import (
    Calls,
    LogLine,
    entity_of,
    fields,
    log_lines,
    possible_calls,
    session_of,
)
from validator.converter.hermes_home_files.memories import Found, json_fields, markdown_fields

_FIELDS: dict[str, Callable[[bytes, Found], dict[str, Any]]] = {
    MARKDOWN: markdown_fields,
    JSON: json_fields,
    CONFIGURATION: lambda _data, _found: {},
}
_ENTITIES = {MARKDOWN: "memory", JSON: "memory", CONFIGURATION: "configuration"}


class Run:
    """One conversion of a home."""

    def __init__(self, home: Path, namespace: dict[str, str], snapshot: str) -> None:
        self._files = home_files(home)
        self._namespace = namespace
        self._snapshot = snapshot
        self._streams: dict[str | None, int] = {}
        self._counts = {"streams": 0, "records": 0, "gaps": 0, "notices": 0}

    def lines(self) -> Iterator[bytes]:
        """All lines, in order."""
        converter = {"name": FORMAT, "version": __version__}
        yield _written(
            {"line": "begin", "protocol": PROTOCOL, "converter": converter, "producer": PRODUCER, "format": FORMAT}
        )
        yield from self._logs([file for file in self._files if file.kind == LOG])
        for file in self._files:
            if file.kind != LOG:
                yield from self._document(file)
        yield _written({"line": "end", **self._counts})

    def _logs(self, logs: list[HomeFile]) -> Iterator[bytes]:
        calls = Calls()
        try:
            sessions = [self._index(log, calls) for log in logs]
            calls.complete()
            for log, session in zip(logs, sessions, strict=True):
                yield from self._log(log, session, calls)
        finally:
            calls.close()

    def _index(self, log: HomeFile, calls: Calls) -> str:
        """Note a log's calls, and return its session."""
        session = session_of(log.path, log_lines(log.place))
        for number, value in possible_calls(log.place):
            calls.add(session, value, _key(log.path, number))
        return session

    def _log(self, log: HomeFile, session: str, calls: Calls) -> Iterator[bytes]:
        lost: list[int] = []
        for line in log_lines(log.place):
            if line.decoded is None:
                lost.append(line.number)
                continue
            yield from self._gap(log.path, lost)
            yield from self._line(log.path, session, line, calls)
        yield from self._gap(log.path, lost)

    def _line(self, path: str, session: str, line: LogLine, calls: Calls) -> Iterator[bytes]:
        assert line.decoded is not None
        found: Found = [("bom", "")] if line.marked else []
        value = line.decoded.value
        entity = entity_of(value)
        said = fields(entity, value, found)
        if entity == "tool-result":
            said |= calls.link(session, value)
        # What a value cannot say (a member twice, half of a pair, a mark) is kept as the bytes of the line.
        whole = line.decoded.exact and not line.marked
        native = {"record": {"line": line.number, "value": value}} if whole else _blob(line.raw)
        number = yield from self._stream(session)
        yield self._record(number, "transcript", str(line.number), entity, _key(path, line.number), said, native)
        yield from self._notices({"source": path, "line": line.number}, found)

    def _document(self, file: HomeFile) -> Iterator[bytes]:
        if file.size > LARGEST:
            place = {"source": file.path}
            self._counts["gaps"] += 1
            yield _written({"line": "gap", "from": place, "to": place, "units": 1, "reason": "unreadable"})
            return
        data = file.place.read_bytes()
        found: Found = []
        said = _FIELDS[file.kind](data, found)
        number = yield from self._stream(None)
        entity = _ENTITIES[file.kind]
        yield self._record(number, "current-state", self._snapshot, entity, file.path, said, _blob(data))
        yield from self._notices({"source": file.path}, found)

    def _stream(self, session: str | None) -> Any:
        """The number of a session's stream (None: the home's own), declared where it is new."""
        if session not in self._streams:
            self._counts["streams"] = self._streams[session] = len(self._streams) + 1
            line = {"line": "stream", "stream": self._streams[session], "namespace": self._namespace}
            yield _written({**line, "session": session, "agent": None})
        return self._streams[session]

    def _record(
        self, stream: int, family: str, position: str, entity: str, key: str, said: dict[str, Any], native: Any
    ) -> bytes:
        self._counts["records"] += 1
        head = {"line": "record", "stream": stream, "family": family, "position": position}
        return _written({**head, "entity": {"type": entity, "key": key}, **said, "native": native})

    def _gap(self, path: str, lost: list[int]) -> Iterator[bytes]:
        if lost:
            self._counts["gaps"] += 1
            first, last = ({"source": path, "line": number} for number in (lost[0], lost[-1]))
            yield _written({"line": "gap", "from": first, "to": last, "units": len(lost), "reason": "unreadable"})
            lost.clear()

    def _notices(self, place: dict[str, Any], found: Found) -> Iterator[bytes]:
        for code, detail in found:
            self._counts["notices"] += 1
            line = {"line": "notice", "code": code, "unit": place}
            yield _written(line | {"detail": detail} if detail else line)


def _blob(data: bytes) -> dict[str, Any]:
    return {"blob": {"$blob": b64encode(data).decode("ascii")}}


def _key(path: str, line: int) -> str:
    """The key of a line: two parts, as compact JSON."""
    return orjson.dumps([path, str(line)]).decode()


def _written(line: dict[str, Any]) -> bytes:
    """A line; large integers and deep nesting are kept."""
    try:
        return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode() + b"\n"
