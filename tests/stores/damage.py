"""Writes damaged stores and files that are stores only by name; each function says what is left to read.

The rows that a damaged page costs are worked out from the pages before the damage is done.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.stores.construct import Contents, Rows, build
from tests.stores.pages import Image, Page, root_of, walk

Choice = Callable[[Sequence[Page]], Sequence[Page]]

MESSAGES = 600
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002"
    "0000050001a5f645400000000049454e44ae426082"
)


def many_rows(messages: int = MESSAGES) -> Rows:
    """Two sessions, and messages of one size, enough for a tree of three levels at 512 bytes a page."""
    return {
        "sessions": [{"id": f"s{n}"} for n in range(2)],
        "messages": [
            {
                "session_id": f"s{n % 2}",
                "role": ("user", "assistant")[n % 2],
                "content": f"message {n:05d} " * 8,
            }
            for n in range(1, messages + 1)
        ],
    }


def zeroed_leaf(path: Path, page_size: int = 4096) -> Contents:
    """A leaf of `messages`, in the middle of the table, is all zero."""
    return damaged(path, _middle_leaf, b"\x00", page_size)


def scribbled_leaf(path: Path, page_size: int = 4096) -> Contents:
    """A leaf of `messages`, in the middle of the table, is all 0xFF."""
    return damaged(path, _middle_leaf, b"\xff", page_size)


def zeroed_first_leaf(path: Path) -> Contents:
    """The first leaf of `messages` is all zero: no smaller key bounds the loss."""
    return damaged(path, lambda pages: _leaves(pages)[:1])


def zeroed_last_leaf(path: Path) -> Contents:
    """The last leaf of `messages` is all zero: no larger key bounds the loss."""
    return damaged(path, lambda pages: _leaves(pages)[-1:])


def two_zeroed_leaves(path: Path) -> Contents:
    """Two leaves of `messages` that are not neighbours are all zero: two runs of lost rows."""
    return damaged(path, lambda pages: _leaves(pages)[2:8:4])


def zeroed_interior(path: Path) -> Contents:
    """An interior page of `messages` under the root is all zero: every row under it is out of reach."""
    return damaged(path, _lower_interior, b"\x00", 512)


def scribbled_interior(path: Path) -> Contents:
    """An interior page of `messages` under the root is all 0xFF."""
    return damaged(path, _lower_interior, b"\xff", 512)


def zeroed_root(path: Path) -> Contents:
    """The root page of `messages` is all zero: the whole table is lost, the others are not."""
    return damaged(path, lambda pages: pages[-1:])


def scribbled_overflow(path: Path) -> Contents:
    """The rest of one long content is all 0xFF: that record is lost, its page and its neighbours are not."""
    rows: Rows = {"sessions": [{"id": "s"}], "messages": [{"content": f"{n} " * 9000} for n in range(1, 6)]}
    contents = build(path, rows=rows)
    image = Image(path.read_bytes())
    spilled = [o for page in walk(image, root_of(path, "messages")) for o in page.overflow]
    rowid, first = spilled[2]
    path.write_bytes(image.with_page(first, b"\xff" * image.page_size))
    return without(contents, (rowid,))


def zeroed_index(path: Path) -> Contents:
    """The root page of an index of `messages` is all zero: no row is lost."""
    contents = build(path, rows=many_rows())
    image = Image(path.read_bytes())
    root = root_of(path, "idx_messages_session")
    path.write_bytes(image.with_page(root, bytes(image.page_size)))
    return contents


def broken_full_text(path: Path) -> Contents:
    """The data of the full-text table is gone: derived damage, no row is lost."""
    then = ["DELETE FROM messages_fts_data WHERE id > 10", "DELETE FROM messages_fts_config"]
    return build(path, rows=many_rows(10), fts=True, then=then)


def broken_schema(path: Path) -> Contents:
    """The list of tables (page 1 behind the header) is scribbled over: no table can be named."""
    build(path, rows=many_rows())
    octets = path.read_bytes()
    path.write_bytes(octets[:100] + b"\xff" * 3996 + octets[4096:])
    return Contents(path, {})


def truncated(path: Path) -> Contents:
    """The last third of the file is missing, though the header counts its pages.

    SQLite refuses such a file; `counts` says what stands on the pages that are left, which a reader gets at
    only after `PRAGMA writable_schema = ON`.
    """
    contents = build(path, rows=many_rows())
    image = Image(path.read_bytes())
    kept = image.pages * 2 // 3
    leaves = _leaves(list(walk(image, root_of(path, "messages"))))
    path.write_bytes(image.octets[: kept * image.page_size])
    return without(contents, (rowid for p in leaves if p.number > kept for rowid in p.rowids))


def truncated_in_page_one(path: Path) -> Contents:
    """Only the header and a piece of page 1 are left."""
    build(path, rows=many_rows())
    path.write_bytes(path.read_bytes()[:200])
    return Contents(path, {})


def no_tables(path: Path) -> Contents:
    """A SQLite database without any table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    return Contents(path, {})


def empty_file(path: Path) -> Contents:
    """No byte at all, which SQLite opens as an empty database."""
    return _no_store(path, b"")


def all_nul(path: Path) -> Contents:
    """8,192 NUL bytes."""
    return _no_store(path, bytes(8192))


def png(path: Path) -> Contents:
    """A picture under a store's name."""
    return _no_store(path, PNG)


def plain_text(path: Path) -> Contents:
    """A line of text under a store's name."""
    return _no_store(path, b"this is not a database\n" * 400)


def random_bytes(path: Path) -> Contents:
    """Bytes as an encrypted store has them: no header, whole pages."""
    return _no_store(path, random.Random(1).randbytes(4 * 4096))


def newer_file_format(path: Path) -> Contents:
    """A store whose header asks for file format 9 to read and to write."""
    build(path, rows=many_rows(10))
    octets = path.read_bytes()
    return _no_store(path, octets[:18] + b"\x09\x09" + octets[20:])


def directory(path: Path) -> Contents:
    """A directory under a store's name."""
    path.mkdir()
    return Contents(path, {}, is_store=False)


def damaged(
    path: Path, choose: Choice, fill: bytes = b"\x00", page_size: int = 4096, rows: Rows | None = None
) -> Contents:
    """A store of many rows in which the chosen pages of `messages` hold nothing but `fill`."""
    contents = build(path, rows=rows or many_rows(), page_size=page_size)
    image = Image(path.read_bytes())
    chosen = choose(list(walk(image, root_of(path, "messages"))))
    for page in chosen:
        path.write_bytes(Image(path.read_bytes()).with_page(page.number, fill * page_size))
    return without(contents, (rowid for page in chosen for rowid in page.rowids))


def without(contents: Contents, lost: Iterable[int]) -> Contents:
    """`contents` after the rows `lost` of `messages` went."""
    gone = tuple(sorted(lost))
    counts = {**contents.counts, "messages": contents.counts["messages"] - len(gone)}
    return replace(contents, counts=counts, lost={"messages": gone} if gone else {})


def _leaves(pages: Sequence[Page]) -> list[Page]:
    return [p for p in pages if p.leaf]


def _middle_leaf(pages: Sequence[Page]) -> list[Page]:
    leaves = _leaves(pages)
    return [leaves[len(leaves) // 2]]


def _lower_interior(pages: Sequence[Page]) -> list[Page]:
    interior = [p for p in pages if not p.leaf]
    if len(interior) < 4:
        raise ValueError("the tree is too small: under its root there is no interior page between two others")
    return [interior[1]]


def _no_store(path: Path, octets: bytes) -> Contents:
    path.write_bytes(octets)
    return Contents(path, {}, is_store=False)
