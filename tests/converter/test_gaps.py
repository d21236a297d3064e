"""What a damaged store has lost is said as closely as it can be known: by an index, or by the keys on both sides."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.converter.streams import Line, lines, of_kind, records
from tests.stores import BadText, Cell, Rows, build, damage
from tests.stores.pages import Image, root_of, walk


def without_indexes(store: Path, table: str) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        sql = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        for (name,) in connection.execute(sql, (table,)).fetchall():
            connection.execute(f'DROP INDEX "{name}"')


INDEX_LEAF = 10


def children(image: Image, number: int) -> list[int]:
    """The pages under an interior page of an index tree: each of its cells begins with one."""
    page = image.page(number)
    count = int.from_bytes(page[3:5], "big")
    cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(count)]
    return [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]


def bounds(found: list[Line]) -> list[tuple[object, object, int | None]]:
    return [(gap["from"]["key"], gap["to"]["key"], gap["units"]) for gap in of_kind(found, "gap")]


@pytest.mark.parametrize("which", [slice(0, 1), slice(3, 4), slice(3, 5), slice(2, 7, 4), slice(-1, None)])
def test_without_an_index_the_keys_on_both_sides_bound_the_loss(tmp_path: Path, which: slice) -> None:
    store = build(tmp_path / "state.db", 31, damage.many_rows(200), page_size=1024).path
    without_indexes(store, "messages")
    image = Image(store.read_bytes())
    chosen = [page for page in walk(image, root_of(store, "messages")) if page.leaf][which]
    for page in chosen:
        store.write_bytes(Image(store.read_bytes()).with_page(page.number, bytes(1024)))
    lost = [rowid for page in chosen for rowid in page.rowids]
    found = lines(store)
    assert [int(key) for key in records(found, "messages")] == [n for n in range(1, 201) if n not in lost]
    covered: list[int] = []
    for first, last, units in bounds(found):
        assert units is None
        covered += range(max(int(first[0]), 1), int(last[0]) + 1)
    assert covered == lost


@pytest.mark.parametrize("step", [1, 7, 5000, 10**9, 10**15])
def test_rows_behind_a_wide_hole_are_found(tmp_path: Path, step: int) -> None:
    rows: Rows = {"messages": [{"id": n * step, "session_id": "s", "content": "x" * 400} for n in range(1, 41)]}
    store = build(tmp_path / "state.db", 31, rows, page_size=1024).path
    without_indexes(store, "messages")
    image = Image(store.read_bytes())
    page = [page for page in walk(image, root_of(store, "messages")) if page.leaf][5]
    store.write_bytes(image.with_page(page.number, bytes(1024)))
    found = lines(store)
    left = [n * step for n in range(1, 41) if n * step not in page.rowids]
    assert [int(key) for key in records(found, "messages")] == left
    ((first, last, units),) = bounds(found)
    before = max(n for n in left if n < page.rowids[0])
    behind = min(n for n in left if n > page.rowids[-1])
    assert before < int(first[0]) <= page.rowids[0] and page.rowids[-1] <= int(last[0]) < behind
    assert units is None


def test_each_lost_session_is_named_by_an_index(tmp_path: Path) -> None:
    rows: Rows = {"sessions": [{"id": f"s{n:03}", "title": f"{n} " * 60} for n in range(60)]}
    store = build(tmp_path / "state.db", 31, rows, page_size=1024).path
    image = Image(store.read_bytes())
    page = [page for page in walk(image, root_of(store, "sessions")) if page.leaf][4]
    store.write_bytes(image.with_page(page.number, bytes(1024)))
    lost = [f"s{rowid - 1:03}" for rowid in page.rowids]
    found = lines(store)
    assert bounds(found) == [([key], [key], 1) for key in lost]
    assert sorted(records(found, "sessions")) == [f"s{n:03}" for n in range(60) if f"s{n:03}" not in lost]


def test_without_an_index_lost_rows_with_text_keys_are_bounded_by_their_neighbours(tmp_path: Path) -> None:
    ddl = ["DROP TABLE system_prompts", "CREATE TABLE system_prompts(hash TEXT, prompt TEXT)"]
    rows: Rows = {"system_prompts": [{"hash": f"h{n:03}", "prompt": f"{n} " * 60} for n in range(60)]}
    store = build(tmp_path / "state.db", 31, rows, page_size=1024, extra_ddl=ddl).path
    image = Image(store.read_bytes())
    page = [page for page in walk(image, root_of(store, "system_prompts")) if page.leaf][4]
    store.write_bytes(image.with_page(page.number, bytes(1024)))
    found = lines(store)
    first, last = page.rowids[0] - 2, page.rowids[-1]
    assert bounds(found) == [([f"h{first:03}"], [f"h{last:03}"], None)]
    assert len(records(found, "system_prompts")) == 60 - len(page.rowids)


def test_a_row_whose_overflow_is_lost_is_lost_alone_and_known(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31, {"messages": [{"content": f"{n} " * 9000} for n in range(1, 6)]}).path
    without_indexes(store, "messages")
    image = Image(store.read_bytes())
    spilled = [entry for page in walk(image, root_of(store, "messages")) for entry in page.overflow]
    rowid, first = spilled[2]
    store.write_bytes(image.with_page(first, b"\xff" * image.page_size))
    found = lines(store)
    assert bounds(found) == [([str(rowid)], [str(rowid)], 1)]
    assert len(records(found, "messages")) == 4


def test_of_a_table_without_rowids_both_ends_are_read(tmp_path: Path) -> None:
    ddl = ["CREATE TABLE odd(k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID"]
    rows: Rows = {"odd": [{"k": f"k{n:03}", "v": f"{n} " * 60} for n in range(60)]}
    store = build(tmp_path / "state.db", 31, rows, page_size=1024, extra_ddl=ddl).path
    with closing(sqlite3.connect(store)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'odd'").fetchone()
    image = Image(store.read_bytes())
    inner = children(image, root)[0]
    leaves = children(image, inner)
    assert image.page(leaves[0])[0] == INDEX_LEAF
    store.write_bytes(image.with_page(leaves[len(leaves) // 2], bytes(1024)))
    found = lines(store)
    kept = sorted(records(found, "odd"))
    lost = [f"k{n:03}" for n in range(60) if f"k{n:03}" not in kept]
    assert 0 < len(lost) < 10
    ((first, last, units),) = bounds(found)
    assert units is None and first[0] < lost[0] and lost[-1] < last[0]
    assert not [key for key in kept if first[0] < key < last[0]]


def test_a_table_that_cannot_be_selected_from_is_a_gap_of_its_own(tmp_path: Path) -> None:
    then = [
        "CREATE TABLE odd(a, b AS (upper(a)))",
        "INSERT INTO odd VALUES ('x')",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, 'upper', 'no_such_function') WHERE name = 'odd'",
        "PRAGMA writable_schema = OFF",
    ]
    rows: Rows = {"sessions": [{"id": "s"}], "messages": [{"session_id": "s"}]}
    found = lines(build(tmp_path / "state.db", 31, rows, then=then).path)
    assert len(of_kind(found, "record")) == 2
    assert [gap["from"]["table"] for gap in of_kind(found, "gap")] == ["odd"]
    assert bounds(found) == [([None], [None], None)]


def test_senseless_entries_of_the_schema_hurt_nobody(tmp_path: Path) -> None:
    entries = [
        "('table', 'garbage', 'garbage', 0, 'this is garbage')",
        "('table', 'nowhere', 'nowhere', 99999, 'CREATE TABLE nowhere(a)')",
        "('trigger', 'odd', 'messages', 0, 'CREATE TRIGGER odd nonsense')",
        "('index', 'odder', 'messages', 3, 'CREATE INDEX odder ON messages(no_such_column)')",
        "(NULL, NULL, NULL, NULL, NULL)",
        "(x'ff', x'00', 5, 'x', x'ff')",
        "('table', '', '', 2, 'CREATE TABLE \"\"(a)')",
    ]
    then = ["PRAGMA writable_schema = ON"]
    then += [f"INSERT INTO sqlite_master VALUES {entry}" for entry in entries]
    rows: Rows = {"sessions": [{"id": "s"}], "messages": [{"session_id": "s"}]}
    found = lines(build(tmp_path / "state.db", 31, rows, then=then).path)
    assert {record["entity"]["key"] for record in of_kind(found, "record")} == {"s", "1"}
    assert {gap["from"]["table"] for gap in of_kind(found, "gap")} <= {"nowhere"}


def rekeyed(store: Path, rowid: int, other: int) -> None:
    """Gives a message another rowid where it stands, so that the keys of its page are out of order."""
    image = Image(store.read_bytes())
    (page,) = [page for page in walk(image, root_of(store, "messages")) if page.leaf and rowid in page.rowids]
    octets = bytearray(image.page(page.number))
    pointer = 8 + 2 * page.rowids.index(rowid)
    cell = int.from_bytes(octets[pointer : pointer + 2], "big")
    # A cell is the size of its payload, the rowid, the payload; both numbers have one byte here, or the size has two.
    place = cell + (1 if octets[cell] < 128 else 2)
    assert octets[place] == rowid < 128 and other < 128
    octets[place] = other
    store.write_bytes(image.with_page(page.number, bytes(octets)))


@pytest.mark.parametrize(("rowid", "other"), [(20, 120), (20, 1), (20, 19), (1, 127), (100, 3)])
@pytest.mark.parametrize("indexed", [True, False])
def test_keys_out_of_order_neither_loop_nor_hide_their_neighbours(
    tmp_path: Path, rowid: int, other: int, indexed: bool
) -> None:
    store = build(tmp_path / "state.db", 31, damage.many_rows(110), page_size=1024).path
    if not indexed:
        without_indexes(store, "messages")
    rekeyed(store, rowid, other)
    found = lines(store)
    keys = [int(record["entity"]["key"]) for record in of_kind(found, "record") if record["family"] == "transcript"]
    assert len(keys) == len(set(keys)) and keys == sorted(keys)
    left = set(range(1, 111)) - set(keys)
    # A search by key may miss rows of the same page; none is lost without a gap, and no other page is touched.
    assert rowid in left and len(left) < 8
    covered: set[int] = set()
    for first, last, units in bounds(found):
        run = set(range(max(int(first[0]), 0), int(last[0]) + 1))
        covered |= run
        assert units is None or units == len(run)
    assert left <= covered


def test_an_index_whose_name_is_not_utf8_is_passed_over(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31, damage.many_rows(60), page_size=1024).path
    without_indexes(store, "messages")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("CREATE INDEX spare ON messages(role)")
        connection.execute("PRAGMA writable_schema = ON")
        sql = b'CREATE INDEX "s'.hex() + "ff" + b'" ON messages(role)'.hex()
        connection.execute(
            f"UPDATE sqlite_master SET name = CAST(X'73ff' AS TEXT), sql = CAST(X'{sql}' AS TEXT) WHERE name = 'spare'"
        )
    image = Image(store.read_bytes())
    page = [page for page in walk(image, root_of(store, "messages")) if page.leaf][4]
    store.write_bytes(image.with_page(page.number, bytes(1024)))
    found = lines(store)
    assert bounds(found) == [([str(page.rowids[0])], [str(page.rowids[-1])], None)]
    assert len(records(found, "messages")) == 60 - len(page.rowids)


@pytest.mark.parametrize("ending", ["", " WITHOUT ROWID"])
def test_text_that_is_not_utf8_is_no_damage(tmp_path: Path, ending: str) -> None:
    values: list[Cell] = ["a", "é", BadText(b"\xff"), "b", BadText(b"\xed\xa0\x80"), "c"]
    rows: Rows = {"odd": [{"k": f"k{n}", "v": value} for n, value in enumerate(values)]}
    ddl = [f"CREATE TABLE odd(k TEXT PRIMARY KEY, v TEXT){ending}"]
    found = lines(build(tmp_path / "state.db", 31, rows, extra_ddl=ddl).path)
    native = [record["native"]["record"] for record in of_kind(found, "record")]
    written = ["a", "é", {"$text": "/w=="}, "b", {"$text": "7aCA"}, "c"]
    assert [n["row"] for n in native if n["table"] == "odd"] == [
        {"k": f"k{n}", "v": value} for n, value in enumerate(written)
    ]
    assert of_kind(found, "gap") == []
