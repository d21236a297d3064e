"""The audit of stores: what ships brings nothing new, and each kind of change is found."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.audit.trees import tree
from tests.stores import build
from validator.audit import audit
from validator.cli import cli
from validator.descriptor import load
from validator.schemas import errors

CAPTURES = Path(__file__).parents[2] / "captures"


@pytest.mark.parametrize("capture", sorted(p.parent for p in CAPTURES.glob("*/capture.json")), ids=lambda p: p.name)
def test_no_capture_that_ships_brings_anything_new(capture: Path) -> None:
    assert audit(str(capture), load()).drift == ()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    source = CAPTURES / "0.19.0-branch" / "home" / "state.db"
    shutil.copy(source, tmp_path / "state.db")
    return tmp_path / "state.db"


def changed(store: Path, *sql: str) -> list[str]:
    with closing(sqlite3.connect(store)) as connection, connection:
        for statement in sql:
            connection.execute(statement)
    found = audit(str(store), load()).drift
    return [" ".join([d.level, d.kind, d.change, d.name, d.word]).rstrip() for d in found]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("ALTER TABLE messages ADD COLUMN mood TEXT", "additive column new messages.mood"),
        ("CREATE TABLE moods (mood)", "additive table new moods"),
        ("ALTER TABLE messages RENAME COLUMN reasoning TO thought", "breaking column gone messages.reasoning"),
        ("DROP TABLE gateway_routing", "breaking table gone gateway_routing"),
        ("UPDATE messages SET role = 'oracle' WHERE id = 1", "semantic value new messages.role oracle"),
        ("UPDATE sessions SET end_reason = 'bored'", "semantic value new sessions.end_reason bored"),
        ("UPDATE sessions SET source = 'fax'", "semantic value new sessions.source fax"),
        ("UPDATE messages SET finish_reason = 'tired'", "semantic value new messages.finish_reason tired"),
        ("UPDATE session_model_usage SET cost_status = 'free'", "semantic value new sessions.cost_status free"),
        ("UPDATE sessions SET cost_source = 'rumour'", "semantic value new sessions.cost_source rumour"),
        (
            "UPDATE sessions SET model_config = '{\"_cloned_from\": 1}'",
            "semantic member new sessions.model_config _cloned_from",
        ),
        ("UPDATE sessions SET origin_json = '{\"planet\": 1}'", "additive member new sessions.origin_json planet"),
        (
            'UPDATE messages SET tool_calls = \'[{"function": {"mood": 1}}, 7]\'',
            "additive member new messages.tool_calls/*/function mood",
        ),
        ("UPDATE messages SET tool_calls = '[{\"mood\": 1}]'", "additive member new messages.tool_calls/* mood"),
        ("UPDATE schema_version SET version = 99", "additive layout new 99"),
    ],
)
def test_a_change_of_a_store_is_found(store: Path, sql: str, expected: str) -> None:
    assert expected in changed(store, sql)


def test_broken_json_and_texts_that_are_no_words_bring_nothing_new(store: Path) -> None:
    found = changed(
        store,
        "UPDATE sessions SET model_config = '{\"a\": '",
        "UPDATE messages SET tool_calls = x'ff', finish_reason = NULL",
        f"UPDATE messages SET role = '{'x' * 200}' WHERE id = 1",
    )
    assert found == []


def test_a_column_of_very_many_values_is_bounded(store: Path) -> None:
    many = ", ".join(f"('{n}', 'cli', {n}, 'reason {n}')" for n in range(1000))
    changed(store, f"INSERT INTO sessions (id, source, started_at, end_reason) VALUES {many}")
    found = audit(str(store), load())
    assert 400 < sum(d.name == "sessions.end_reason" for d in found.drift) <= 500
    assert "sessions.end_reason: more than 500 different words" in "\n".join(found.unread)


def test_the_store_itself_is_left_as_it_was(store: Path) -> None:
    before = store.read_bytes()
    audit(str(store), load())
    assert store.read_bytes() == before
    assert [p.name for p in store.parent.iterdir()] == ["state.db"]


def test_a_new_column_of_a_constructed_store_touches_the_whole_row_claims(tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    build(store, 31)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("ALTER TABLE sessions ADD COLUMN mood")
    done = CliRunner().invoke(cli, ["audit", str(store), "--json"])
    assert done.exit_code == 1, done.stderr
    document = json.loads(done.stdout)
    assert list(errors("audit", document)) == []
    (found,) = document["drift"]
    assert (found["class"], found["kind"], found["name"]) == ("additive", "column", "sessions.mood")
    assert {"mapping.native", "mapping.conservation"} <= set(found["claims"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere"], 2, "nowhere: no such file or folder, and no PACKAGE==VERSION"),
        (["--since", "not a version", "{capture}"], 2, "--since not a version: no version"),
        (["{tree}", "--since", "x y"], 2, "--since x y: no version"),
        (["{text}"], 2, "neither a store nor a wheel or sdist"),
        (["{empty}"], 3, "0 bytes: not a store"),
        (["{captures}"], 2, "a folder of captures; audit them one by one"),
        (["{tree}", "--write", "--since", "0.19.0"], 2, "--write compares with the shape"),
    ],
)
def test_a_wrong_target_is_said_in_one_line(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "state.db").write_bytes(b"")
    places = {
        "capture": CAPTURES / "0.19.0-branch", "captures": CAPTURES, "tree": tree(tmp_path / "tree"),
        "text": tmp_path / "a.txt", "empty": tmp_path / "empty" / "state.db",
    }  # fmt: skip
    done = CliRunner().invoke(cli, ["audit", *(a.format(**places) for a in arguments)])
    assert (done.exit_code, message in done.stderr, done.stderr.count("\n")) == (code, True, 1), done.stderr


def test_two_trees_are_compared_with_each_other(tmp_path: Path) -> None:
    old = tree(tmp_path / "old")
    new = tree(
        tmp_path / "new", more='SQL = "CREATE INDEX by_mood ON messages (mood); ALTER TABLE messages ADD COLUMN mood"'
    )
    done = CliRunner().invoke(cli, ["audit", str(new), "--since", str(old), "--json"])
    assert [(d["kind"], d["name"]) for d in json.loads(done.stdout)["drift"]] == [
        ("column", "messages.mood"),
        ("index", "by_mood"),
    ]
    done = CliRunner().invoke(cli, ["audit", str(old), "--since", str(new), "--json"])
    assert [(d["class"], d["kind"], d["change"]) for d in json.loads(done.stdout)["drift"]] == [
        ("breaking", "column", "gone"),
        ("additive", "index", "gone"),
    ]
