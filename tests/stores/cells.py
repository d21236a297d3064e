"""Says what a test may put into a cell, and how SQLite is made to hold exactly that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class BadText:
    """A TEXT cell given by its bytes, which need not be text in the store's encoding.

    Python binds a `str` only if it encodes to UTF-8, so a cut character or a lone surrogate cannot be
    written that way. The bytes are written as a BLOB literal and cast: SQLite does not look at them. (A BLOB
    that is bound would be taken for UTF-8 and encoded anew in a store of UTF-16.)
    """

    octets: bytes


Cell = int | float | str | bytes | BadText | None


def place(cell: Cell) -> str:
    """What stands for `cell` in a VALUES list."""
    return f"CAST(X'{cell.octets.hex()}' AS TEXT)" if isinstance(cell, BadText) else "?"


def bound(cells: Iterable[Cell]) -> list[int | float | str | bytes | None]:
    """The values that are bound to the place holders of `cells`."""
    return [cell for cell in cells if not isinstance(cell, BadText)]
