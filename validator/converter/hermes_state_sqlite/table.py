"""Says how one table is read: what to select, and what tells its rows apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validator.converter.hermes_state_sqlite.cells import entity_key, is_utf8, key_part, text_bytes
from validator.converter.hermes_state_sqlite.tables import Kind


@dataclass(frozen=True)
class Table:
    """A table whose rows are units.

    `name` is as the schema has it, `columns` are the names that `SELECT *` gives, in its order, both as text
    that can be written. `source` stands after FROM; `expressions` are the columns in SQL. `key` are the
    positions of the key columns, or None where rows are told apart by rowid alone. `rowid` is the rowid in
    SQL, None where it cannot be had (WITHOUT ROWID, or all its names are taken); `alias` is the position of
    the column that is the rowid, None where none is.
    """

    name: str
    kind: Kind
    columns: tuple[str, ...]
    source: str
    expressions: tuple[str, ...]
    key: tuple[int, ...] | None
    rowid: str | None
    alias: int | None

    @property
    def lead(self) -> int:
        """How many cells stand before the columns of a scanned row: 1 where the rowid is no column."""
        return int(self.rowid is not None and self.alias is None)

    @property
    def everything(self) -> str:
        """What to select for a scanned row."""
        return ", ".join((self.rowid, *self.expressions) if self.lead and self.rowid else self.expressions)

    def position(self, column: str) -> int | None:
        """Where a column stands; None where the store has none of that name."""
        return self.columns.index(column) if column in self.columns else None


def shown_name(name: str) -> str:
    """A name of the schema as text that can be written."""
    return name if is_utf8(name) else text_bytes(name).decode("utf-8", "replace")


def quoted_name(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


class Keys:
    """Takes the key cells of scanned rows."""

    def __init__(self, table: Table) -> None:
        self._places = None if table.key is None else [place + table.lead for place in table.key]
        self._at: int | None = None
        if self._places is not None and len(self._places) == 1:
            self._at = self._places[0]
        elif self._places is None and table.rowid is not None:
            self._at = table.alias or 0
        self._ordinal = 0

    def of(self, row: Sequence[object]) -> tuple[object, ...]:
        """The key columns of a row, or its rowid; call it once for each row, in their order."""
        if self._at is not None:
            return (row[self._at],)
        if self._places is not None:
            return tuple([row[place] for place in self._places])
        # No key and no name left for the rowid: rows are told apart by their order.
        self._ordinal += 1
        return (self._ordinal,)


def key_text(key: Sequence[object]) -> str:
    """The entity key that key cells make."""
    if len(key) == 1 and type(key[0]) is int:
        return str(key[0])
    return entity_key([key_part(cell) for cell in key])
