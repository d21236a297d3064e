"""The constructor of test stores holds what it promises; read back here with sqlite3 alone."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.stores import NEWER, BadText, Cell, build, layout_of, layouts
from tests.stores.derive import CAPTURES, derived, read, written
from tests.stores.layouts import LAYOUTS

SCHEMAS = [*range(11, 33), NEWER]


def query(store: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(sql).fetchall()


def test_layouts_are_what_the_script_derives_from_the_captures() -> None:
    assert LAYOUTS.read_text(encoding="utf-8") == written(derived())


@pytest.mark.parametrize("store", sorted(CAPTURES.glob("*/home/state.db")), ids=lambda s: s.parts[-3])
def test_layout_of_a_captures_schema_is_the_captures_own(store: Path) -> None:
    seen = read(store)
    layout = layout_of(seen["schema"], migrated="-migrated-from-" in store.parts[-3])
    for name, table in seen["tables"].items():
        columns = [[c.name, c.type, int(c.notnull), c.default, c.pk] for c in layout.tables[name].columns]
        assert columns == table["columns"], name
    assert seen["tables"].keys() >= {t.name for t in layout.tables.values() if not t.lazy}


def test_only_schemas_without_a_capture_are_constructed() -> None:
    assert [name for name, layout in layouts().items() if layout.constructed] == ["14", str(NEWER)]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_built_store_has_the_columns_of_its_layout(tmp_path: Path, schema: int) -> None:
    store = build(tmp_path / "state.db", schema, lazy=True).path
    for table in layout_of(schema).tables.values():
        columns = [r[1:6] for r in query(store, f'PRAGMA table_info("{table.name}")')]
        assert columns == [(c.name, c.type, c.notnull, c.default, c.pk) for c in table.columns]
    assert query(store, "SELECT version FROM schema_version") == [(schema,)]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_one_message_needs_three_columns_only(tmp_path: Path, schema: int) -> None:
    message = {"session_id": "s", "role": "user", "content": "x"}
    contents = build(tmp_path / "state.db", schema, {"messages": [message]})
    assert query(contents.path, "SELECT id, session_id, role, content FROM messages") == [(1, "s", "user", "x")]
    assert contents.counts["messages"] == 1


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_table_accepts_rows_without_any_column(tmp_path: Path, schema: int) -> None:
    rows: dict[str, Sequence[dict[str, Cell]]] = {t: [{}] for t in layout_of(schema).tables}
    contents = build(tmp_path / "state.db", schema, rows)
    for table, count in contents.counts.items():
        assert query(contents.path, f'SELECT count(*) FROM "{table}"') == [(count,)], table


def test_two_rows_without_keys_get_different_ones(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31, {"sessions": [{}, {}], "state_meta": [{}, {}]}).path
    assert query(store, "SELECT count(DISTINCT id) FROM sessions") == [(2,)]
    assert query(store, "SELECT count(DISTINCT key) FROM state_meta") == [(2,)]


def test_a_newer_store_has_the_tables_of_the_upstream_source(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", NEWER).path
    tables = {name for (name,) in query(store, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables >= {"runtime_epoch", "session_admissions", "worker_executions", "worker_receipts"}


CELLS: list[tuple[Cell, str, bytes | None]] = [
    (b"\x00\xff", "blob", b"\x00\xff"),
    ("a\x00b", "text", b"a\x00b"),
    ("", "text", b""),
    (BadText(b"ok \xe2\x9c"), "text", b"ok \xe2\x9c"),
    (BadText(b"\xed\xa0\xbd"), "text", b"\xed\xa0\xbd"),
    (None, "null", None),
]


@pytest.mark.parametrize(("cell", "kind", "octets"), CELLS, ids=lambda v: repr(v)[:24])
def test_a_text_column_holds_any_bytes(tmp_path: Path, cell: Cell, kind: str, octets: bytes | None) -> None:
    store = build(tmp_path / "state.db", rows={"messages": [{"content": cell}]}).path
    assert query(store, "SELECT typeof(content), CAST(content AS BLOB) FROM messages") == [(kind, octets)]


@pytest.mark.parametrize("time", [math.inf, -math.inf, -1.5, 5.49e246, "soon", b"\x01", -(2**63), 2**63 - 1])
def test_a_time_column_holds_anything(tmp_path: Path, time: Cell) -> None:
    store = build(tmp_path / "state.db", rows={"messages": [{"timestamp": time}]}, raw=True).path
    (found,) = query(store, "SELECT timestamp FROM messages")
    assert found == (float(time) if isinstance(time, int) else time,)


def test_raw_cells_keep_their_type_against_the_column(tmp_path: Path) -> None:
    row: dict[str, Cell] = {"content": 5, "role": 1.5, "token_count": "7", "timestamp": "1750000000"}
    store = build(tmp_path / "state.db", rows={"messages": [row]}, raw=True).path
    types = "typeof(content), typeof(role), typeof(token_count), typeof(timestamp)"
    assert query(store, f"SELECT {types} FROM messages") == [("integer", "real", "text", "text")]
    assert query(store, "SELECT type FROM pragma_table_info('messages') WHERE name = 'content'") == [("TEXT",)]


def test_a_strict_store_refuses_null_and_a_lenient_one_holds_it(tmp_path: Path) -> None:
    rows = {"messages": [{"session_id": None, "active": None}]}
    with pytest.raises(sqlite3.IntegrityError):
        build(tmp_path / "strict.db", rows=rows)
    store = build(tmp_path / "lenient.db", rows=rows, strict=False).path
    assert query(store, "SELECT session_id, active FROM messages") == [(None, None)]


@pytest.mark.parametrize("page_size", [512 << n for n in range(8)])
def test_the_page_size_is_the_one_asked_for(tmp_path: Path, page_size: int) -> None:
    store = build(tmp_path / "state.db", page_size=page_size).path
    assert query(store, "PRAGMA page_size") == [(page_size,)]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_text_survives_each_encoding(tmp_path: Path, encoding: str) -> None:
    rows = {"messages": [{"content": "naïve \U0001f600"}]}
    store = build(tmp_path / "state.db", rows=rows, encoding=encoding).path  # type: ignore[arg-type]
    assert query(store, "PRAGMA encoding") == [(encoding,)]
    assert query(store, "SELECT content FROM messages") == [("naïve \U0001f600",)]


@pytest.mark.parametrize(("mode", "number"), [("none", 0), ("full", 1), ("incremental", 2)])
def test_auto_vacuum_is_the_one_asked_for(tmp_path: Path, mode: str, number: int) -> None:
    store = build(tmp_path / "state.db", auto_vacuum=mode).path  # type: ignore[arg-type]
    assert query(store, "PRAGMA auto_vacuum") == [(number,)]


@pytest.mark.parametrize(("journal", "version"), [("delete", 1), ("wal", 2)])
def test_the_header_tells_the_journal_and_no_sidecar_is_left(tmp_path: Path, journal: str, version: int) -> None:
    store = build(tmp_path / "state.db", journal=journal).path  # type: ignore[arg-type]
    assert store.read_bytes()[18:20] == bytes([version, version])
    assert [p.name for p in tmp_path.iterdir()] == ["state.db"]


@pytest.mark.parametrize("schema", [22, 25, 31])
def test_full_text_tables_find_the_messages(tmp_path: Path, schema: int) -> None:
    store = build(tmp_path / "state.db", schema, {"messages": [{"content": "needle"}]}, fts=True).path
    assert query(store, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'needle'") == [(1,)]


@pytest.mark.parametrize("schema", [22, 31])
def test_a_migrated_store_has_the_same_columns_in_another_order(schema: int) -> None:
    born, grown = (layout_of(schema, migrated=m).tables["messages"].columns for m in (False, True))
    assert born != grown
    assert {c.name for c in born} == {c.name for c in grown}


def test_a_row_with_an_unknown_column_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="messages has no column"):
        build(tmp_path / "state.db", rows={"messages": [{"mood": "x"}]})
