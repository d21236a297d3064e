"""The constructed captures are what their constructor writes, and say that nobody but a constructor wrote them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.constructed.construct import HERE, Theme, write
from tests.constructed.themes import THEMES
from validator.capture.manifest import read_manifest, verify

NAMES = [theme.name for theme in THEMES]
themes = pytest.mark.parametrize("theme", THEMES, ids=NAMES)


def contents(store: Path, private: Path) -> Iterator[tuple[Any, ...]]:
    """Everything that a store holds: its statements, and every cell with its type and its bytes."""
    copied = shutil.copyfile(store, private / "read.db")
    with closing(sqlite3.connect(copied)) as connection:
        connection.text_factory = bytes
        statements = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
        yield from statements
        for kind, name, _, _ in statements:
            if kind == b"table":
                table = '"' + name.decode() + '"'
                columns = [row[1].decode() for row in connection.execute(f"PRAGMA table_info({table})")]
                cells = ", ".join(f'typeof("{column}"), "{column}"' for column in columns)
                for row in connection.execute(f"SELECT {cells} FROM {table}"):
                    yield (name, *(repr(cell) for cell in row))


def rebuilt(theme: Theme, tmp_path: Path) -> Path:
    write(theme, tmp_path / theme.name)
    return tmp_path / theme.name


def test_there_is_one_folder_for_each_theme_and_no_other() -> None:
    assert sorted(path.parent.name for path in HERE.glob("*/capture.json")) == sorted(NAMES)


@themes
def test_a_capture_s_files_are_those_of_its_manifest(theme: Theme) -> None:
    verify(HERE / theme.name, read_manifest(HERE / theme.name))


@themes
def test_a_capture_says_that_it_is_constructed_and_of_no_release(theme: Theme) -> None:
    manifest = read_manifest(HERE / theme.name)
    assert manifest["made"]["by"] == "constructed"
    assert (manifest["package"], manifest["version"], manifest["revision"]) == (None, None, None)


@themes
def test_the_constructor_writes_the_same_contents_again(theme: Theme, tmp_path: Path) -> None:
    if theme.schema is None:
        pytest.skip("a home without a store; its files are compared byte for byte")
    again = rebuilt(theme, tmp_path)
    committed = list(contents(HERE / theme.name / "home" / "state.db", tmp_path))
    assert len(committed) > 20
    assert list(contents(again / "home" / "state.db", tmp_path)) == committed


@themes
def test_the_constructor_writes_the_same_bytes_again_with_the_same_sqlite(theme: Theme, tmp_path: Path) -> None:
    committed = read_manifest(HERE / theme.name)
    if committed["made"]["sqlite"] not in (None, sqlite3.sqlite_version):
        pytest.skip(f"written with SQLite {committed['made']['sqlite']}, which may lay pages out otherwise")
    again = rebuilt(theme, tmp_path)
    for name in ("capture.json", *(entry["path"] for entry in committed["files"])):
        assert (again / name).read_bytes() == (HERE / theme.name / name).read_bytes()


@themes
def test_the_constructor_writes_the_same_files_beside_the_store_again(theme: Theme, tmp_path: Path) -> None:
    again = rebuilt(theme, tmp_path)
    for path in theme.files:
        assert (again / "home" / path).read_bytes() == (HERE / theme.name / "home" / path).read_bytes()


def test_a_changed_row_would_be_found_out(tmp_path: Path) -> None:
    lineage = HERE / "lineage" / "home" / "state.db"
    changed = shutil.copyfile(lineage, tmp_path / "changed.db")
    with closing(sqlite3.connect(changed)) as connection, connection:
        connection.execute("UPDATE messages SET content = CAST(content AS BLOB) WHERE id = 1")
    assert list(contents(changed, tmp_path)) != list(contents(lineage, tmp_path))


def test_the_manifests_are_written_alike() -> None:
    for theme in THEMES:
        text = (HERE / theme.name / "capture.json").read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
