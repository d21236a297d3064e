"""Keeps which sessions messages name, until the row of each is met."""

from __future__ import annotations

from collections.abc import Iterator

from validator.converter.hermes_state_sqlite.damage import Row


class Owners:
    """The sessions that messages name and whose row was not met, each with the key of its first message."""

    def __init__(self) -> None:
        self._first: dict[object, Row] = {}

    def named(self, session: object, message: Row) -> None:
        """A message names a session; called once for each session. NULL names none."""
        if session is not None:
            self._first[session] = message

    def met(self, session: object) -> None:
        """The session has a row."""
        self._first.pop(session, None)

    def lost(self) -> None:
        """Rows of sessions cannot be read: of no session can it be said any more that it has no row."""
        self._first.clear()

    def missing(self) -> Iterator[Row]:
        """The key of the first message of each session without a row, in the order of the messages."""
        return iter(self._first.values())
