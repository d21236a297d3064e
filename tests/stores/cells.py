"""Says what a test may put into a cell, and how SQLite is made to hold exactly that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BadText:
    """A TEXT cell given by its bytes, which need not be text in the store's encoding.

    Python binds a `str` only if it encodes to UTF-8, so a cut character or a lone surrogate cannot be
    written that way. The bytes are bound as a BLOB and cast: SQLite does not look at them.
    """

    octets: bytes


Cell = int | float | str | bytes | BadText | None


def place(cell: Cell) -> str:
    """The place holder for `cell` in a VALUES list."""
    return "CAST(? AS TEXT)" if isinstance(cell, BadText) else "?"


def bound(cell: Cell) -> int | float | str | bytes | None:
    """The value that is bound to the place holder of `cell`."""
    return cell.octets if isinstance(cell, BadText) else cell
