"""Walks the pages of a table in a SQLite file, so that damage can be aimed and its cost is known beforehand.

Reads the file's bytes after https://www.sqlite.org/fileformat2.html; it never asks SQLite what it can read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

LEAF, INTERIOR = 13, 5


@dataclass(frozen=True)
class Page:
    """A page of a table's tree: its number (from 1), whether it is a leaf, and the rowids at or under it.

    `overflow` gives, of a leaf, the rows whose record continues on other pages, and the first such page.
    """

    number: int
    leaf: bool
    rowids: tuple[int, ...]
    overflow: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Image:
    """The bytes of a store without a log, and the size of its pages."""

    octets: bytes

    @property
    def page_size(self) -> int:
        """The size of a page in bytes."""
        size = int.from_bytes(self.octets[16:18], "big")
        return 65536 if size == 1 else size

    @property
    def pages(self) -> int:
        """The number of pages."""
        return len(self.octets) // self.page_size

    def page(self, number: int) -> bytes:
        """The bytes of a page."""
        start = (number - 1) * self.page_size
        return self.octets[start : start + self.page_size]

    def with_page(self, number: int, octets: bytes) -> bytes:
        """The file with the bytes of one page replaced."""
        start = (number - 1) * self.page_size
        return self.octets[:start] + octets + self.octets[start + len(octets) :]


def root_of(store: Path, table: str) -> int:
    """The number of a table's root page."""
    with closing(sqlite3.connect(store)) as connection:
        sql = "SELECT rootpage FROM sqlite_master WHERE type IN ('table', 'index') AND name = ?"
        (root,) = connection.execute(sql, (table,)).fetchone()
    return int(root)


def walk(image: Image, root: int) -> Iterator[Page]:
    """The pages of the table whose root is `root`, each interior page after the pages under it."""
    page = image.page(root)
    head = 100 if root == 1 else 0
    kind = page[head]
    cells = _cells(page, head)
    if kind == LEAF:
        rows = [_row(image, page, cell) for cell in cells]
        spilled = tuple((rowid, first) for rowid, first in rows if first)
        yield Page(root, True, tuple(rowid for rowid, _ in rows), spilled)
        return
    if kind != INTERIOR:
        raise ValueError(f"page {root} is no page of a table")
    children = [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
    children.append(int.from_bytes(page[head + 8 : head + 12], "big"))
    under: list[int] = []
    for child in children:
        for found in walk(image, child):
            yield found
            if found.leaf:
                under.extend(found.rowids)
    yield Page(root, False, tuple(under))


def _cells(page: bytes, head: int) -> list[int]:
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    first = head + (12 if page[head] == INTERIOR else 8)
    return [int.from_bytes(page[first + 2 * n : first + 2 * n + 2], "big") for n in range(count)]


def _row(image: Image, page: bytes, cell: int) -> tuple[int, int]:
    """The rowid of a leaf's cell, and the first page of its overflow or 0."""
    payload, at = _varint(page, cell)
    rowid, at = _varint(page, at)
    usable = image.page_size - image.octets[20]
    most, least = usable - 35, (usable - 12) * 32 // 255 - 23
    if payload <= most:
        return rowid, 0
    local = least + (payload - least) % (usable - 4)
    at += local if local <= most else least
    return rowid, int.from_bytes(page[at : at + 4], "big")


def _varint(octets: bytes, at: int) -> tuple[int, int]:
    value = 0
    for n in range(8):
        value = value << 7 | octets[at + n] & 0x7F
        if octets[at + n] < 0x80:
            return _signed(value), at + n + 1
    return _signed(value << 8 | octets[at + 8]), at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
