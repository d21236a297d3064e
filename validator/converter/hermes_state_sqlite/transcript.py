"""Turns messages into transcript records, in the order of their ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from validator.converter.hermes_state_sqlite.calls import CallIndex
from validator.converter.hermes_state_sqlite.damage import GREATEST_ROWID, LEAST_ROWID, Gap, Row
from validator.converter.hermes_state_sqlite.faults import UNREADABLE
from validator.converter.hermes_state_sqlite.lines import Lines
from validator.converter.hermes_state_sqlite.messages import KNOWN_ROLES, MessageFields, call_entries
from validator.converter.hermes_state_sqlite.owners import Owners
from validator.converter.hermes_state_sqlite.scan import scan, sorted_scan
from validator.converter.hermes_state_sqlite.table import Keys, Table, key_text


def transcript_lines(
    connection: sqlite3.Connection, write: Lines, table: Table, owners: Owners, after: int | None
) -> Iterator[bytes]:
    """The lines of the messages with ids beyond `after` (None: all); `owners` are told of each session."""
    index = _call_index(connection, table)
    try:
        yield from _lines(write, table, _rows(connection, table, after), MessageFields(table, index), owners)
    finally:
        if index is not None:
            index.close()


def _lines(
    write: Lines, table: Table, rows: Iterator[Row | Gap], fields: MessageFields, owners: Owners
) -> Iterator[bytes]:
    lead, keys = table.lead, Keys(table)
    session_at, role_at = table.position("session_id"), table.position("role")
    roles: set[object] = {None, *KNOWN_ROLES}
    for row in rows:
        if isinstance(row, Gap):
            yield write.gap(table.name, row.first or (None,), row.last or (None,), row.units)
            continue
        key = keys.of(row)
        cells = row[lead:] if lead else row
        text = key_text(key)
        session = None if session_at is None else cells[session_at]
        stream, declaration = write.stream(session)
        if declaration:
            yield declaration
            owners.named(session, key)
        fields.message, fields.session = text, session
        head = {
            "line": "record",
            "stream": stream,
            "family": "transcript",
            # A position is never empty, as an id that is text might be.
            "position": text or '[""]',
            "entity": {"type": "message", "key": text},
        }
        yield write.record(head, fields, table, cells)
        if fields.notices or write.not_utf8:
            yield from write.notices(table, key, fields.notices)
        if role_at is not None and cells[role_at] not in roles:
            roles.add(cells[role_at])
            yield write.notice("unknown-role", write.unit(table.name, key))


def _rows(connection: sqlite3.Connection, table: Table, after: int | None) -> Iterator[Row | Gap]:
    if table.key is not None and table.key != (table.alias,):
        order = table.expressions[table.key[0]]
        return sorted_scan(connection, table, order, "1" if after is None else f"{order} > {after}")
    start = LEAST_ROWID if after is None else min(max(after + 1, LEAST_ROWID), GREATEST_ROWID + 1)
    return scan(connection, table, start=start)


def _call_index(connection: sqlite3.Connection, table: Table) -> CallIndex | None:
    """The calls by provider id, if a result needs them: one that has no uid."""
    key = table.rowid if table.key is None else table.expressions[table.key[0]]
    calls, call_id, role = (_sql(table, name) for name in ("tool_calls", "tool_call_id", "role"))
    if key is None or "NULL" in (calls, call_id, role):
        return None
    uid = _sql(table, "tool_call_uid")
    without_uid = f"({uid} IS NULL OR typeof({uid}) <> 'text' OR {uid} = '')"
    needs = f"{role} = 'tool' AND {call_id} IS NOT NULL AND {without_uid}"
    try:
        sql = f"SELECT 1 FROM {table.source} WHERE {needs} LIMIT 1"
        if connection.execute(sql).fetchone() is None:
            return None
    except UNREADABLE:
        # Behind the damaged place there may be such a result.
        pass
    wanted = [table.rowid or "NULL", key, *(_sql(table, name) for name in ("session_id", "active"))]
    wanted += [calls, _sql(table, "tool_call_uids")]
    rows = scan(connection, table, select=", ".join(wanted), where=f"{calls} IS NOT NULL")
    return CallIndex(call_entries(rows))


def _sql(table: Table, column: str) -> str:
    place = table.position(column)
    return "NULL" if place is None else table.expressions[place]
