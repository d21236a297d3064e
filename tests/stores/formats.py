"""Writes sound stores in every format of the file that SQLite knows, and of every schema, a row in each table."""

from __future__ import annotations

from pathlib import Path

from tests.stores.cells import BadText
from tests.stores.construct import Contents, Encoding, Row, Rows, build
from tests.stores.layouts import NEWER, layout_of

# A content that needs pages of its own at any page size, and text beyond ASCII and beyond the first plane.
TURN: Rows = {
    "sessions": [{"id": "s"}],
    "messages": [
        {"session_id": "s", "content": "naïve 漢字 \U0001f600"},
        {"session_id": "s", "role": "assistant", "content": "long " * 40_000},
        {"session_id": "s", "content": "a\0b"},
    ],
}


def pages_of_512(path: Path) -> Contents:
    """The smallest pages."""
    return build(path, rows=TURN, page_size=512)


def pages_of_1024(path: Path) -> Contents:
    """Pages as old builds of SQLite make them."""
    return build(path, rows=TURN, page_size=1024)


def pages_of_65536(path: Path) -> Contents:
    """The largest pages, whose size the header writes as 1."""
    return build(path, rows=TURN, page_size=65536)


def utf_16_little(path: Path) -> Contents:
    """Text in UTF-16, little-endian, one cell with half of a surrogate pair and one of an odd number of bytes."""
    return _utf_16(path, "UTF-16le", b"\x3d\xd8")


def utf_16_big(path: Path) -> Contents:
    """Text in UTF-16, big-endian, one cell with half of a surrogate pair and one of an odd number of bytes."""
    return _utf_16(path, "UTF-16be", b"\xd8\x3d")


def auto_vacuum_full(path: Path) -> Contents:
    """A store with pointer maps, in which rows were deleted."""
    return build(path, rows=TURN, auto_vacuum="full", then=_churn())


def auto_vacuum_incremental(path: Path) -> Contents:
    """A store with pointer maps and free pages."""
    return build(path, rows=TURN, auto_vacuum="incremental", then=_churn())


def free_pages(path: Path) -> Contents:
    """A store whose free pages still hold deleted rows."""
    return build(path, rows=TURN, then=_churn())


def full_text_inline(path: Path) -> Contents:
    """Full-text tables that keep the text themselves, as up to schema 22."""
    return build(path, 22, TURN, fts=True)


def full_text_external(path: Path) -> Contents:
    """Full-text tables over views, as from schema 25 on."""
    return build(path, 31, TURN, fts=True)


def migrated_to_22(path: Path) -> Contents:
    """The columns in the order of a store that 0.13.0 began."""
    return build(path, 22, TURN, migrated=True)


def migrated_to_31(path: Path) -> Contents:
    """The columns in the order of a store that 0.16.0 began."""
    return build(path, 31, TURN, migrated=True)


def every_table(path: Path, schema: int = NEWER) -> Contents:
    """A row in every table that a store of the schema may have, the lazily made ones included."""
    rows: Rows = {table: [{}] for table in layout_of(schema).tables if table != "schema_version"}
    return build(path, schema, rows)


def _utf_16(path: Path, encoding: Encoding, half: bytes) -> Contents:
    odd: list[Row] = [{"session_id": "s", "content": BadText(half)}, {"session_id": "s", "content": BadText(b"abc")}]
    return build(path, rows={**TURN, "messages": [*TURN["messages"], *odd]}, encoding=encoding)


def _churn() -> list[str]:
    """Statements that add a session with much text and take it away again."""
    return [
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('gone', 'user', hex(zeroblob(90000)), 0)",
        "DELETE FROM messages WHERE session_id = 'gone'",
    ]
