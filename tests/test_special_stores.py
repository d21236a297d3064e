"""The special stores hold what they say: counted with sqlite3 alone, and by the bytes of their files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.stores import Contents, damage, formats, journals, strangers
from tests.stores.layouts import quoted
from tests.stores.pages import Image, root_of, walk
from tests.stores.special import Make, makers

EVERY = makers()
WHOLE = sorted(EVERY.keys() - makers(damage).keys())


def rows_found(store: Path, table: str) -> int:
    """How many rows of a table SQLite gives, reading the table and no index."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA writable_schema = ON")  # lets SQLite open a truncated store
        sql = f"SELECT count(*) FROM {quoted(table)} NOT INDEXED"
        return int(connection.execute(sql).fetchone()[0])


def messages_found(store: Path) -> set[int]:
    """The ids of the messages that can be read whole, each asked for by itself."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        return {n for n in range(1, damage.MESSAGES + 1) if _whole(connection, n)}


def _whole(connection: sqlite3.Connection, rowid: int) -> bool:
    try:
        return connection.execute("SELECT * FROM messages WHERE rowid = ?", (rowid,)).fetchone() is not None
    except sqlite3.DatabaseError:
        return False


@pytest.mark.parametrize("name", WHOLE)
def test_a_sound_store_holds_the_rows_it_says(tmp_path: Path, name: str) -> None:
    contents = EVERY[name](tmp_path / "state.db")
    assert {table: rows_found(contents.path, table) for table in contents.counts} == contents.counts


@pytest.mark.parametrize("name", makers(damage))
def test_of_a_damaged_store_exactly_the_lost_messages_cannot_be_read(tmp_path: Path, name: str) -> None:
    contents = EVERY[name](tmp_path / "state.db")
    if "messages" not in contents.counts:
        return
    found = messages_found(contents.path)
    assert len(found) == contents.counts["messages"]
    assert not found & set(contents.lost.get("messages", ()))


@pytest.mark.parametrize("name", [n for n in makers(damage) if n.startswith(("zeroed", "scribbled", "two"))])
def test_damage_to_the_messages_stops_a_scan(tmp_path: Path, name: str) -> None:
    contents = EVERY[name](tmp_path / "state.db")
    with closing(sqlite3.connect(contents.path)) as connection:
        column = "session_id, timestamp" if name == "zeroed_index" else "content"
        order = "INDEXED BY idx_messages_session" if name == "zeroed_index" else "NOT INDEXED"
        with pytest.raises(sqlite3.DatabaseError, match="malformed"):
            connection.execute(f"SELECT {column} FROM messages {order}").fetchall()


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
def test_a_leaf_can_be_damaged_at_any_page_size(tmp_path: Path, page_size: int) -> None:
    contents = damage.zeroed_leaf(tmp_path / "state.db", page_size)
    assert contents.lost["messages"]
    assert len(messages_found(contents.path)) == contents.counts["messages"]


NOT_STORES = ["all_nul", "plain_text", "png", "random_bytes", "newer_file_format", "broken_schema"]


@pytest.mark.parametrize("name", NOT_STORES)
def test_sqlite_refuses_a_file_that_is_no_store(tmp_path: Path, name: str) -> None:
    store = EVERY[name](tmp_path / "state.db").path
    with closing(sqlite3.connect(store)) as connection, pytest.raises(sqlite3.DatabaseError):
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def test_a_truncated_store_is_refused_as_it_stands(tmp_path: Path) -> None:
    store = damage.truncated(tmp_path / "state.db").path
    with closing(sqlite3.connect(store)) as connection, pytest.raises(sqlite3.DatabaseError):
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def test_the_walk_finds_every_rowid_once(tmp_path: Path) -> None:
    store = damage.zeroed_index(tmp_path / "state.db").path
    pages = walk(Image(store.read_bytes()), root_of(store, "messages"))
    assert [r for p in pages if p.leaf for r in p.rowids] == list(range(1, damage.MESSAGES + 1))


@pytest.mark.parametrize("name", ["killed_writer", "exited_writer"])
def test_a_killed_writer_leaves_a_store_of_one_page(tmp_path: Path, name: str) -> None:
    contents = EVERY[name](tmp_path / "state.db")
    assert contents.path.stat().st_size == 4096
    contents.path.with_name("state.db-wal").unlink()
    with closing(sqlite3.connect(contents.path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def frames(store: Path) -> Iterator[tuple[bool, bool]]:
    """Of each frame of a `-wal`: whether its salts are the header's, and whether it commits."""
    octets = store.with_name(store.name + "-wal").read_bytes()
    step = 24 + int.from_bytes(octets[8:12], "big")
    for at in range(32, len(octets) - step + 1, step):
        yield octets[at + 8 : at + 16] == octets[16:24], octets[at + 4 : at + 8] != bytes(4)


@pytest.mark.parametrize("make", [journals.uncommitted_frames, journals.only_uncommitted_frames])
def test_uncommitted_frames_stand_behind_the_last_commit(tmp_path: Path, make: Make) -> None:
    found = list(frames(make(tmp_path / "state.db").path))
    assert found[-1] == (True, False)
    assert any(commits for _, commits in found) == (make is journals.uncommitted_frames)


def test_frames_of_pages_written_twice_lose_their_salts(tmp_path: Path) -> None:
    found = list(frames(journals.rewritten_uncommitted_frames(tmp_path / "state.db").path))
    last_commit = max(n for n, (_, commits) in enumerate(found) if commits)
    behind = {same for same, _ in found[last_commit + 1 :]}
    assert behind == {True, False}


def test_no_frame_of_a_stale_log_has_the_salts_of_its_header(tmp_path: Path) -> None:
    assert {same for same, _ in frames(journals.stale_log(tmp_path / "state.db").path)} == {False}


def test_a_restarted_log_begins_with_its_own_frames_and_ends_with_older_ones(tmp_path: Path) -> None:
    own = [same for same, _ in frames(journals.restarted_log(tmp_path / "state.db").path)]
    assert own[0]
    assert not own[-1]


def test_a_reader_that_ignores_a_hot_journal_sees_what_was_never_committed(tmp_path: Path) -> None:
    store = journals.hot_journal(tmp_path / "state.db").path
    sql = "SELECT content FROM messages WHERE id = 1"
    with closing(sqlite3.connect(f"file:{store}?immutable=1", uri=True)) as connection:
        assert connection.execute(sql).fetchone() == ("never committed",)
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute(sql).fetchone() == ("committed 1",)


@pytest.mark.parametrize("make", [formats.utf_16_little, formats.utf_16_big])
def test_text_in_utf_16_may_be_none(tmp_path: Path, make: Make) -> None:
    store = make(tmp_path / "state.db").path
    with closing(sqlite3.connect(store)) as connection:
        sql = "SELECT hex(CAST(content AS BLOB)) FROM messages WHERE id = 4"
        assert connection.execute(sql).fetchone() in [("3DD8",), ("D83D",)]


def test_raising_triggers_refuse_every_change(tmp_path: Path) -> None:
    store = strangers.raising_triggers(tmp_path / "state.db").path
    with closing(sqlite3.connect(store)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("DELETE FROM messages")


def test_a_table_of_a_missing_module_cannot_be_read(tmp_path: Path) -> None:
    store = strangers.missing_module(tmp_path / "state.db").path
    with (
        closing(sqlite3.connect(store)) as connection,
        pytest.raises(sqlite3.OperationalError, match="module"),
    ):
        connection.execute("SELECT * FROM messages_fts_cjk")


def test_a_table_name_that_is_not_text_cannot_be_decoded(tmp_path: Path) -> None:
    store = strangers.undecodable_table_name(tmp_path / "state.db").path
    with closing(sqlite3.connect(store)) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("SELECT name FROM sqlite_master").fetchall()


def test_every_module_of_special_stores_is_listed() -> None:
    modules = (damage, formats, journals, strangers)
    assert len(EVERY) == sum(len(makers(module)) for module in modules)
    assert all(makers(module) for module in modules)


def test_contents_of_no_store_are_empty(tmp_path: Path) -> None:
    assert damage.png(tmp_path / "state.db") == Contents(tmp_path / "state.db", {}, is_store=False)
