"""Runs one conversion: takes the store's tables in the stream's order and turns every row into its record."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from validator import __version__
from validator.converter import PROTOCOL
from validator.converter.hermes_state_sqlite import FORMAT, PRODUCER
from validator.converter.hermes_state_sqlite.calls import CallIndex
from validator.converter.hermes_state_sqlite.cells import Json, entity_key, key_part
from validator.converter.hermes_state_sqlite.damage import GREATEST_ROWID, Gap, Row
from validator.converter.hermes_state_sqlite.executions import ExecutionSessions
from validator.converter.hermes_state_sqlite.lines import Fields, Lines
from validator.converter.hermes_state_sqlite.messages import KNOWN_ROLES, MessageFields, call_entries
from validator.converter.hermes_state_sqlite.scan import LEAST_ROWID, scan, sorted_scan
from validator.converter.hermes_state_sqlite.sessions import SessionFields, UsageFields, link
from validator.converter.hermes_state_sqlite.store import Table, Unreadable, tables
from validator.converter.hermes_state_sqlite.tables import (
    CONVERTED,
    EXECUTIONS,
    MESSAGES,
    RECEIPTS,
    SESSIONS,
    UNKNOWN,
    USAGE,
)

Found = list[tuple[str, str]]


class Run:
    """One conversion of an opened store; only messages with ids beyond `after` are wanted (None: all)."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        source: str,
        namespace: dict[str, str],
        snapshot: str,
        after: int | None,
    ) -> None:
        self._connection = connection
        self._write = Lines(source, namespace)
        self._snapshot = snapshot
        self._after = after
        # Sessions that messages name, with the key of the first such message, until their row is met.
        self._unowned: dict[object, Row] = {}
        # With rows of sessions lost, a session without a row may have one.
        self._sessions_whole = True
        self._roles: set[object] = set(KNOWN_ROLES)

    def lines(self) -> Iterator[bytes]:
        """All lines, in order."""
        yield self._write.begin({"name": FORMAT, "version": __version__}, PRODUCER, FORMAT, PROTOCOL)
        found = {table.name: table for table in tables(self._connection)}
        for name in [*CONVERTED, *(name for name in found if name not in CONVERTED)]:
            table = found.get(name)
            if isinstance(table, Unreadable):
                self._sessions_whole &= name != SESSIONS
                yield self._write.gap(table.name, (None,), (None,), None)
            elif table is not None:
                yield from self._table(table, found)
        if self._sessions_whole:
            for key in self._unowned.values():
                yield self._write.notice("orphan-session", self._write.unit(found[MESSAGES].name, key))
        yield self._write.end()

    def _table(self, table: Table, found: dict[str, Table | Unreadable]) -> Iterator[bytes]:
        name = table.name
        if name == MESSAGES:
            yield from self._messages(table)
        elif name == RECEIPTS:
            yield from self._receipts(table, found.get(EXECUTIONS))
        elif name == SESSIONS:
            yield from self._states(table, SessionFields(table))
        elif name == USAGE:
            yield from self._states(table, UsageFields(table))
        else:
            if table.kind is UNKNOWN:
                yield self._write.notice("unknown-table", self._write.unit(), table.name)
            yield from self._states(table, _no_fields)

    def _messages(self, table: Table) -> Iterator[bytes]:
        index = self._call_index(table)
        try:
            yield from self._message_lines(table, MessageFields(table, index))
        finally:
            if index is not None:
                index.close()

    def _message_lines(self, table: Table, fields: MessageFields) -> Iterator[bytes]:
        write, name, columns, lead = self._write, table.name, table.columns, table.lead
        session_at, role_at = table.position("session_id"), table.position("role")
        keys = _Keys(table)
        for row in self._message_rows(table):
            if isinstance(row, Gap):
                yield write.gap(name, row.first or (None,), row.last or (None,), row.units)
                continue
            key = keys.of(row)
            cells = row[lead:] if lead else row
            text = str(key[0]) if len(key) == 1 and key[0].__class__ is int else _entity_key(key)
            session = None if session_at is None else cells[session_at]
            number, declaration = write.stream(session)
            if declaration:
                yield declaration
                if session is not None:
                    self._unowned[session] = key
            fields.message, fields.session = text, session
            head = {
                "line": "record",
                "stream": number,
                "family": "transcript",
                "position": text or '[""]',
                "entity": {"type": "message", "key": text},
            }
            yield write.record(head, fields, name, columns, cells)
            if fields.notices or write.not_utf8:
                yield from self._notices(table, key, fields.notices)
            if role_at is not None and cells[role_at] not in self._roles:
                self._roles.add(cells[role_at])
                yield write.notice("unknown-role", write.unit(name, key))

    def _message_rows(self, table: Table) -> Iterator[Row | Gap]:
        after = self._after
        if table.key is not None and table.key != (table.alias,):
            order = table.expressions[table.key[0]]
            return sorted_scan(self._connection, table, order, "1" if after is None else f"{order} > {after}")
        start = LEAST_ROWID if after is None else min(max(after + 1, LEAST_ROWID), GREATEST_ROWID + 1)
        return scan(self._connection, table, start=start)

    def _call_index(self, table: Table) -> CallIndex | None:
        """The calls by provider id, if a result needs them: one that has no uid."""
        sql = {
            column: "NULL" if place is None else table.expressions[place] for column, place in _places(table)
        }
        key = table.rowid if table.key is None else table.expressions[table.key[0]]
        if key is None or "NULL" in (sql["tool_calls"], sql["tool_call_id"], sql["role"]):
            return None
        uid = sql["tool_call_uid"]
        needs = f"{sql['role']} = 'tool' AND {sql['tool_call_id']} IS NOT NULL"
        needs += f" AND ({uid} IS NULL OR typeof({uid}) <> 'text' OR {uid} = '')"
        try:
            if (
                self._connection.execute(f"SELECT 1 FROM {table.source} WHERE {needs} LIMIT 1").fetchone()
                is None
            ):
                return None
        except sqlite3.DatabaseError:
            # A damaged place may hold such a result.
            pass
        wanted = [table.rowid or "NULL", key, *(sql[name] for name in _CALL_COLUMNS)]
        where = f"{sql['tool_calls']} IS NOT NULL"
        rows = scan(self._connection, table, select=", ".join(wanted), where=where)
        return CallIndex(call_entries(_keyed(row) for row in rows if not isinstance(row, Gap)))

    def _receipts(self, table: Table, executions: Table | Unreadable | None) -> Iterator[bytes]:
        place = table.position("execution_id")
        if place is None:
            yield from self._states(table, _no_fields)
            return

        def fields(row: Any) -> dict[str, Any]:
            return {} if row[place] is None else {"links": [link("execution", "execution", row[place])]}

        sessions = ExecutionSessions(self._execution_sessions(executions))
        try:
            yield from self._states(table, fields, lambda cells: sessions.find(cells[place]))
        finally:
            sessions.close()

    def _execution_sessions(self, table: Table | Unreadable | None) -> Iterator[tuple[object, object]]:
        if isinstance(table, Table):
            execution, session = table.position("execution_id"), table.position("session_id")
            if execution is not None and session is not None:
                for row in scan(self._connection, table):
                    if not isinstance(row, Gap):
                        yield row[execution + table.lead], row[session + table.lead]

    def _states(
        self,
        table: Table,
        fields: Fields,
        session: Callable[[Row], object] | None = None,
    ) -> Iterator[bytes]:
        """The current-state records of a table; `session`, or else the kind, names a row's stream."""
        write, name, lead = self._write, table.name, table.lead
        place = None if table.kind.session is None else table.position(table.kind.session)
        keys, before, bounded = _Keys(table), None, None
        for row in scan(self._connection, table):
            if isinstance(row, Gap):
                self._sessions_whole &= table.kind.entity != "session"
                if row.first is None or row.last is None:
                    bounded = Gap(row.first or before, row.last, row.units)
                else:
                    yield write.gap(name, row.first, row.last, row.units)
                continue
            key = keys.of(row)
            if bounded is not None:
                yield write.gap(name, bounded.first or (None,), bounded.last or key, bounded.units)
                bounded = None
            before = key
            cells = row[lead:] if lead else row
            owner = session(cells) if session is not None else None if place is None else cells[place]
            if table.kind.entity == "session":
                self._unowned.pop(owner, None)
            number, declaration = write.stream(owner)
            if declaration:
                yield declaration
            head = {
                "line": "record",
                "stream": number,
                "family": "current-state",
                "position": self._snapshot,
                "entity": {"type": table.kind.entity, "key": _entity_key(key)},
            }
            yield write.record(head, fields, name, table.columns, cells)
            yield from self._notices(table, key, getattr(fields, "notices", []))
        if bounded is not None:
            yield write.gap(name, bounded.first or (None,), bounded.last or (None,), bounded.units)

    def _notices(self, table: Table, key: Row, found: Found) -> Iterator[bytes]:
        unit = self._write.unit(table.name, key)
        for column in self._write.not_utf8:
            yield self._write.notice("not-utf8", unit, column)
        for code, detail in found:
            yield self._write.notice(code, unit, detail)


_CALL_COLUMNS = ("session_id", "active", "tool_calls", "tool_call_uids")


def _places(table: Table) -> Iterator[tuple[str, int | None]]:
    for column in (*_CALL_COLUMNS, "tool_call_uid", "tool_call_id", "role"):
        yield column, table.position(column)


def _keyed(row: Row) -> Row:
    return (_entity_key(row[1:2]), *row[2:])


def _no_fields(row: object) -> dict[str, Any]:
    return {}


def _entity_key(key: Row) -> str:
    parts: list[Json] = [key_part(cell) for cell in key]
    return entity_key(parts)


class _Keys:
    """The key cells of a scanned row."""

    def __init__(self, table: Table) -> None:
        self._places = None if table.key is None else [place + table.lead for place in table.key]
        self._rowid = table.rowid is not None
        self._alias = table.alias or 0
        self._ordinal = 0

    def of(self, row: Row) -> Row:
        if self._places is not None:
            return tuple([row[place] for place in self._places])
        if self._rowid:
            return (row[self._alias],)
        # No key and no name left for the rowid: rows are told apart by their order.
        self._ordinal += 1
        return (self._ordinal,)
