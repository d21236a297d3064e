"""Settles the namespace of a store's sessions: its own instance id, else the one that its installation keeps."""

from __future__ import annotations

import sqlite3

from validator.converter import NamespaceRequired, WrongRequest
from validator.converter.hermes_state_sqlite.cells import is_utf8
from validator.converter.hermes_state_sqlite.faults import UNREADABLE


def namespace(connection: sqlite3.Connection, given: str | None) -> dict[str, str]:
    """What stands in every stream line; `given` is the installation's, used where the store has none.

    Raises `NamespaceRequired` where there is neither, `WrongRequest` where the given one cannot be written.
    """
    own = _instance_id(connection)
    if own is not None:
        return {"value": own, "basis": "store-instance-id"}
    if not given:
        raise NamespaceRequired(
            "the store has no store_instance_id in state_meta, so it needs the namespace that its "
            "installation keeps: give it with --namespace (a capture has it as `installation`)"
        )
    if not is_utf8(given):
        raise WrongRequest("the namespace given with --namespace is not UTF-8")
    return {"value": given, "basis": "installation"}


def _instance_id(connection: sqlite3.Connection) -> str | None:
    sql = (
        "SELECT value FROM main.state_meta NOT INDEXED"
        " WHERE key COLLATE BINARY = 'store_instance_id' AND typeof(value) = 'text'"
    )
    try:
        for (value,) in connection.execute(sql):
            if value and is_utf8(value):
                return str(value)
    except UNREADABLE:
        # No such table or columns, or a damaged one: the store names no namespace that can be read.
        pass
    return None
