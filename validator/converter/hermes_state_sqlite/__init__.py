"""The converter of `hermes-state-sqlite`: turns a Hermes `state.db` into its record stream.

Messages come first, in the order of their ids, then the receipts, then the current state; each stream is
declared before its first record. It reads each table once, keeps to one row at a time, and knows the tables
by itself: it shares nothing with the other stations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from validator.converter import ConversionError, NamespaceRequired, Request, WrongRequest

FORMAT = "hermes-state-sqlite"
PRODUCER = "com.nousresearch.hermes"


def convert(request: Request) -> Iterator[bytes]:
    """The lines of the store's record stream; `ConversionError` before the first where there can be none."""
    from validator.converter.hermes_state_sqlite.lines import Lines
    from validator.converter.hermes_state_sqlite.run import Run
    from validator.converter.hermes_state_sqlite.store import opened, source_name

    after = _position(request.after)
    try:
        with opened(request.source) as connection:
            write = Lines(source_name(request.source), _namespace(connection, request))
            yield from Run(connection, write, request.snapshot, after).lines()
    except sqlite3.Error as error:
        raise ConversionError(f"{source_name(request.source)} cannot be converted: {str(error)[:200]}") from error


def _position(after: str | None) -> int | None:
    if after is None:
        return None
    digits = after.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 30):
        raise WrongRequest(f"{after[:200]!r} is no position of a transcript: give a message id in decimal")
    return int(after)


def _namespace(connection: sqlite3.Connection, request: Request) -> dict[str, str]:
    """The store's own instance id, else the installation's."""
    own = _instance_id(connection)
    if own is not None:
        return {"value": own, "basis": "store-instance-id"}
    if not request.namespace:
        raise NamespaceRequired(
            "the store has no store_instance_id in state_meta, so it needs the namespace that its "
            "installation keeps: give it with --namespace (a capture has it as `installation`)"
        )
    return {"value": request.namespace, "basis": "installation"}


def _instance_id(connection: sqlite3.Connection) -> str | None:
    from validator.converter.hermes_state_sqlite.cells import is_utf8

    sql = (
        "SELECT value FROM main.state_meta NOT INDEXED"
        " WHERE key COLLATE BINARY = 'store_instance_id' AND typeof(value) = 'text'"
    )
    try:
        for (value,) in connection.execute(sql):
            if value and is_utf8(value):
                return str(value)
    except sqlite3.DatabaseError:
        # No such table or columns, or a damaged one: the store names no namespace that can be read.
        pass
    return None
