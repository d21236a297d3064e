"""`--write` leaves a diff of the lines that it is about, after which the same target brings nothing new."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.audit.trees import schema, tree
from validator.audit.style import styled
from validator.cli import cli

DESCRIPTOR = Path(__file__).parents[2] / "descriptors" / "com.nousresearch.hermes"
SHAPE = "formats/hermes-state-sqlite.json"
HOME_SHAPE = "formats/hermes-home-files.json"
WORDS = "vocabularies/hermes-state-sqlite.json"


@pytest.mark.parametrize("name", [SHAPE, HOME_SHAPE, WORDS])
def test_the_files_are_in_the_style_that_is_written(name: str) -> None:
    text = (DESCRIPTOR / name).read_text(encoding="utf-8")
    same = styled(json.loads(text)) == text
    assert same, f"{name} is written in another style: write what validator.audit.style.styled returns of it"


@pytest.fixture
def descriptor(tmp_path: Path) -> Path:
    shutil.copytree(DESCRIPTOR, tmp_path / "descriptor")
    return tmp_path / "descriptor"


def run(target: Path, descriptor: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["audit", str(target), "--descriptor", str(descriptor), *more])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stderr


def diff(descriptor: Path, name: str) -> list[str]:
    old, new = ((folder / name).read_text(encoding="utf-8").splitlines() for folder in (DESCRIPTOR, descriptor))
    return [
        line
        for line in difflib.unified_diff(old, new, n=0, lineterm="")
        if line[0] in "+-" and line[:3] not in ("+++", "---")
    ]


def check_again(target: Path, descriptor: Path) -> None:
    from validator.descriptor import _load_folder

    _load_folder.cache_clear()
    assert run(target, descriptor)[0] == 0


def test_a_new_column_is_one_line_more(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", more="SQL = \"ALTER TABLE messages ADD COLUMN mood TEXT DEFAULT 'calm'\"")
    code, said = run(target, descriptor, "--write")
    assert code == 1
    assert "wrote formats/hermes-state-sqlite.json: review the diff" in said
    assert diff(descriptor, SHAPE) == [
        '-        {"name": "tool_call_uid", "type": "TEXT", "notNull": false, "default": null, "since": 31}',
        '+        {"name": "tool_call_uid", "type": "TEXT", "notNull": false, "default": null, "since": 31},',
        '+        {"name": "mood", "type": "TEXT", "notNull": false, "default": "\'calm\'", "since": 31}',
    ]
    check_again(target, descriptor)


def test_new_words_are_added_in_their_place(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", more='def go(db):\n    db.end_session("s", "melted")')
    assert run(target, descriptor, "--write")[0] == 1
    assert diff(descriptor, WORDS) == ['+        "melted",']
    check_again(target, descriptor)


def test_a_new_table_is_written_as_unknown_and_said_to_need_a_decision(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", sql=schema() + "CREATE TABLE moods (mood TEXT PRIMARY KEY);")
    _, said = run(target, descriptor, "--write")
    assert "moods is written as entity 'unknown': say what its rows are" in said
    assert not [line for line in diff(descriptor, SHAPE) if line.startswith("-") and "}" not in line]
    check_again(target, descriptor)


def test_another_declaration_in_a_known_layout_becomes_a_variant(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", sql=schema().replace('"display_order" INTEGER', '"display_order" REAL'))
    run(target, descriptor, "--write")
    column = written(descriptor, "display_order")
    assert column["type"] == "INTEGER"
    assert column["variants"] == [{"layout": 31, "type": "REAL", "notNull": False, "default": None}]
    check_again(target, descriptor)


def test_the_declaration_of_a_newer_layout_becomes_the_current_one(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", sql=schema().replace('"api_content" TEXT', '"api_content" BLOB'))
    main = target / "hermes_state.py"
    main.write_text(main.read_text(encoding="utf-8").replace("VERSION = 31", "VERSION = 40"), encoding="utf-8")
    run(target, descriptor, "--write")
    column = written(descriptor, "api_content")
    assert column["type"] == "BLOB"
    assert [(v["layout"], v["type"]) for v in column["variants"]] == [
        (22, "TEXT"),
        (25, "TEXT"),
        (26, "TEXT"),
        (31, "TEXT"),
    ]


def written(descriptor: Path, name: str) -> dict[str, Any]:
    shape = json.loads((descriptor / SHAPE).read_text(encoding="utf-8"))
    found: dict[str, Any] = next(c for c in shape["tables"][0]["columns"] if c["name"] == name)
    return found


def test_what_is_gone_stays_and_is_said(tmp_path: Path, descriptor: Path) -> None:
    target = tree(tmp_path / "tree", sql=schema().replace('"reasoning" TEXT,', ""))
    code, said = run(target, descriptor, "--write")
    assert code == 1
    assert "messages.reasoning is gone: it stays in the shape, for older stores" in said
    assert diff(descriptor, SHAPE) == []


def test_nothing_new_writes_nothing(tmp_path: Path, descriptor: Path) -> None:
    code, said = run(tree(tmp_path / "tree"), descriptor, "--write")
    assert (code, said) == (0, "nothing to write\n")
    assert diff(descriptor, SHAPE) == diff(descriptor, WORDS) == []
