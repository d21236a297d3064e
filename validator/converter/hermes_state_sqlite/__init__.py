"""The converter of `hermes-state-sqlite`: turns a Hermes `state.db` into its record stream.

Messages come first, in the order of their ids, then the receipts, then the current state; each stream is
declared before its first record. It reads each table once, keeps to one row at a time, and knows the tables
by itself: it shares nothing with the other stations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from validator.converter import ConversionError, Request, WrongRequest
from validator.converter.hermes_state_sqlite.cells import is_utf8
from validator.converter.hermes_state_sqlite.lines import Lines
from validator.converter.hermes_state_sqlite.namespace import namespace
from validator.converter.hermes_state_sqlite.run import Run
from validator.converter.hermes_state_sqlite.store import opened, source_name


def convert(request: Request) -> Iterator[bytes]:
    """The lines of the store's record stream; `ConversionError` before the first where there can be none."""
    after = _position(request.after)
    if not request.snapshot or not is_utf8(request.snapshot):
        raise WrongRequest("--snapshot must say the position of the current state, such as sha256:…")
    name = source_name(request.source)
    try:
        with opened(request.source) as connection:
            write = Lines(name, namespace(connection, request.namespace))
            yield from Run(connection, write, request.snapshot, after).lines()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise ConversionError(f"{name} cannot be converted: {str(error)[:200]}") from error


def _position(after: str | None) -> int | None:
    if after is None:
        return None
    digits = after.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 30):
        raise WrongRequest(f"{after[:200]!r} is no position of a transcript: give a message id in decimal")
    return int(after)
