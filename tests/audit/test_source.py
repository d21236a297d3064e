"""What the audit reads from source: every way in which a schema is written down, and nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.trees import schema, tree
from validator.audit import audit
from validator.descriptor import load


def drift(target: Path) -> list[tuple[str, str, str, str]]:
    return [(d.level, d.kind, d.change, d.name) for d in audit(str(target), load()).drift]


def unread(target: Path) -> str:
    return "\n".join(audit(str(target), load()).unread)


MIGRATIONS = Path(__file__).with_name("migrations")

MOOD = [("additive", "column", "new", "messages.mood")]


def test_the_source_of_the_newest_layout_brings_nothing_new(tmp_path: Path) -> None:
    assert drift(tree(tmp_path)) == []


@pytest.mark.parametrize("migration", sorted(MIGRATIONS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_column_that_a_migration_adds_is_found(tmp_path: Path, migration: Path) -> None:
    assert drift(tree(tmp_path, more=migration.read_text(encoding="utf-8"))) == MOOD


def test_a_new_table_and_an_enlarged_one_are_found_in_the_schema_itself(tmp_path: Path) -> None:
    sql = schema().replace('"role" TEXT NOT NULL,', '"role" TEXT NOT NULL, "mood" TEXT,')
    sql += "CREATE TABLE moods (mood TEXT PRIMARY KEY, since REAL);\n"
    assert drift(tree(tmp_path, sql=sql)) == [("additive", "table", "new", "moods"), *MOOD]


def test_a_text_that_is_put_together_from_other_modules_is_evaluated(tmp_path: Path) -> None:
    more = 'from state_words import NAME\nPATH = "state.db"\nSQL = f"ALTER TABLE messages ADD COLUMN {NAME}"\n'
    files = {
        "state_words.py": 'NAME = "mood"\n',
        "package/more.py": more,
        "package/__init__.py": "",
    }
    assert drift(tree(tmp_path, files=files)) == MOOD


def test_tables_of_another_database_do_not_count(tmp_path: Path) -> None:
    files = {
        "kanban.py": 'import hermes_state\nPATH = "kanban.db"\nSQL = "CREATE TABLE tasks (id)"\n',
        "memory/store.py": 'SQL = "CREATE TABLE messages (id, mood)"\n',
        "hermes_state_pg.py": 'import hermes_state, sqlalchemy\nSQL = "CREATE TABLE more (id)"\n',
    }
    assert drift(tree(tmp_path, files=files)) == []


def test_a_module_that_names_two_databases_is_said_to_be_unsure(tmp_path: Path) -> None:
    files = {"both.py": 'A = "state.db"\nB = "other.db"\nSQL = "CREATE TABLE things (id)"\n'}
    assert drift(tree(tmp_path, files=files)) == []
    assert "both.py: is about other.db too; not counted: things" in unread(tmp_path)


def test_a_statement_that_only_a_run_puts_together_is_said_to_be_unread(tmp_path: Path) -> None:
    target = tree(
        tmp_path,
        more='def go(c, names):\n    for n in names:\n        c.execute(f"ALTER TABLE messages ADD COLUMN {n}")',
    )
    assert drift(target) == []
    assert "hermes_state.py:" in unread(target)
    assert "put together while it runs: ALTER TABLE messages ADD COLUMN {n}" in unread(target)


def test_a_table_that_a_migration_only_passes_through_does_not_count(tmp_path: Path) -> None:
    sql = [
        "CREATE TABLE state_meta_new (key TEXT PRIMARY KEY, value TEXT);",
        "INSERT INTO state_meta_new SELECT * FROM state_meta;",
        "DROP TABLE state_meta;",
        "ALTER TABLE state_meta_new RENAME TO state_meta;",
    ]
    more = f"SQL = {' '.join(sql)!r}"
    assert drift(tree(tmp_path, more=more)) == []


def test_comments_docstrings_and_messages_are_no_schema(tmp_path: Path) -> None:
    more = 'def f():\n    """CREATE TABLE nothing (x);"""\n    print("CREATE TABLE failed for x")\n'
    more += "# CREATE TABLE less (x);\n"
    assert drift(tree(tmp_path, more=more)) == []


def test_a_table_and_a_column_that_are_gone_break(tmp_path: Path) -> None:
    sql = schema(without=("conversation_generations",)).replace('"reasoning" TEXT,', "")
    assert drift(tree(tmp_path, sql=sql)) == [
        ("breaking", "table", "gone", "conversation_generations"),
        ("breaking", "column", "gone", "messages.reasoning"),
    ]


def test_a_changed_declaration_has_the_class_of_what_it_changes(tmp_path: Path) -> None:
    sql = schema()
    for old, new in (
        ('"title" TEXT,', '"title" BLOB,'),
        ('"archived" INTEGER NOT NULL DEFAULT 0', '"archived" INTEGER NOT NULL DEFAULT 1'),
        ('"model" TEXT,', '"model" VARCHAR,'),
        ('"started_at" REAL NOT NULL,', '"started_at" REAL,'),
    ):
        assert sql.count(old) >= 1, old
        sql = sql.replace(old, new)
    found = drift(tree(tmp_path, sql=sql))
    assert ("breaking", "column", "changed", "sessions.title") in found
    assert ("semantic", "column", "changed", "sessions.archived") in found
    assert ("additive", "column", "changed", "sessions.model") in found
    assert ("semantic", "column", "changed", "sessions.started_at") in found


def test_another_primary_key_breaks(tmp_path: Path) -> None:
    sql = schema().replace('PRIMARY KEY ("scope", "session_key")', 'PRIMARY KEY ("session_key")')
    assert drift(tree(tmp_path, sql=sql)) == [("breaking", "key", "changed", "gateway_routing")]


def test_new_words_are_found_where_the_source_speaks_them(tmp_path: Path) -> None:
    more = (
        'from typing import Literal\nCostStatus = Literal["actual", "guessed"]\n'
        'REASON = "melted"\n'
        'def go(db, x):\n    db.end_session("s", REASON)\n    db.end_session("s", "frozen" if x else "cli_close")\n'
        '    db.create_session("s", "radio", model_config={"_forked_from": x})\n'
    )
    found = audit(str(tree(tmp_path, more=more)), load()).drift
    assert [(d.level, d.kind, d.name, d.word) for d in found] == [
        ("semantic", "value", "sessions.cost_status", "guessed"),
        ("semantic", "value", "sessions.end_reason", "frozen"),
        ("semantic", "value", "sessions.end_reason", "melted"),
        ("semantic", "value", "sessions.source", "radio"),
        ("semantic", "member", "sessions.model_config", "_forked_from"),
    ]


def test_a_newer_layout_number_is_drift(tmp_path: Path) -> None:
    target = tree(tmp_path)
    main = target / "hermes_state.py"
    main.write_text(
        main.read_text(encoding="utf-8").replace("SCHEMA_VERSION = 31", "SCHEMA_VERSION = 40"), encoding="utf-8"
    )
    assert drift(target) == [("additive", "layout", "new", "40")]


def test_claims_are_named_from_what_their_sql_reads(tmp_path: Path) -> None:
    target = tree(tmp_path, more='SQL = "ALTER TABLE messages ADD COLUMN mood"')
    (found,) = audit(str(target), load()).drift
    assert {"mapping.native", "mapping.conservation"} <= set(found.claims)
