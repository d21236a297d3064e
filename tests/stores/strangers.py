"""Writes sound stores of an odd shape: tables, columns and objects that no Hermes release makes."""

from __future__ import annotations

from pathlib import Path

from tests.stores.cells import BadText, Cell
from tests.stores.construct import Contents, Rows, build

TURN: Rows = {
    "sessions": [{"id": "s"}],
    "messages": [
        {"session_id": "s", "content": "hello"},
        {"session_id": "s", "role": "assistant", "content": "yo"},
    ],
}


def unknown_table(path: Path) -> Contents:
    """A table that nobody describes, with a row."""
    return _with(path, ["CREATE TABLE future_table(k TEXT, v BLOB)"], {"future_table": [{"k": "a", "v": b"\0"}]})


def empty_unknown_table(path: Path) -> Contents:
    """A table that nobody describes, without rows."""
    return _with(path, ["CREATE TABLE future_table(k TEXT, v BLOB)"], {"future_table": []})


def unknown_column(path: Path) -> Contents:
    """Two columns of known tables that nobody describes."""
    ddl = ["ALTER TABLE messages ADD COLUMN mood TEXT", "ALTER TABLE sessions ADD COLUMN karma REAL"]
    rows: Rows = {
        "sessions": [{"id": "s", "karma": 0.5}],
        "messages": [{"session_id": "s", "content": "hello", "mood": "calm"}],
    }
    return build(path, rows=rows, extra_ddl=ddl)


def without_rowid(path: Path) -> Contents:
    """An unknown table without rowids, whose key has its columns in another order than the table."""
    ddl = "CREATE TABLE odd(a TEXT, b BLOB, c INTEGER, v, PRIMARY KEY(c, a, b)) WITHOUT ROWID"
    rows: Rows = {"odd": [{"a": "x", "b": b"\xff", "c": 7, "v": 1.5}, {"a": "x", "b": b"", "c": -1, "v": None}]}
    return _with(path, [ddl], rows)


def without_primary_key(path: Path) -> Contents:
    """An unknown table without a key; two of its rows are alike."""
    rows: Rows = {"log": [{"line": "same"}, {"line": "same"}, {"line": None}]}
    return _with(path, ["CREATE TABLE log(line)"], rows)


def rowid_names_taken(path: Path) -> Contents:
    """An unknown table whose columns bear every name of the rowid."""
    rows: Rows = {"taken": [{"rowid": "a", "oid": "b", "_rowid_": "c"}]}
    return _with(path, ["CREATE TABLE taken(rowid TEXT, oid TEXT, _rowid_ TEXT)"], rows)


def negative_rowids(path: Path) -> Contents:
    """Messages with the least and the largest rowid, and one of zero."""
    ids: list[Cell] = [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1]
    messages: Rows = {"messages": [{"id": n, "session_id": "s", "content": str(n)} for n in ids]}
    return build(path, rows={"sessions": [{"id": "s"}], **messages})


def generated_columns(path: Path) -> Contents:
    """A known table and an unknown one with generated columns, stored and virtual."""
    ddl = [
        "ALTER TABLE messages ADD COLUMN shout TEXT AS (upper(content)) VIRTUAL",
        "CREATE TABLE sums(a INTEGER, b INTEGER, c INTEGER AS (a + b) STORED, d AS (a - b))",
    ]
    return _with(path, ddl, {"sums": [{"a": 1, "b": 2}]})


def strange_names(path: Path) -> Contents:
    """Unknown tables and columns whose names need quoting, or are not even ASCII."""
    ddl = [
        'CREATE TABLE "a ""quoted"" table"("select" TEXT, "" TEXT, "x;y" TEXT)',
        """CREATE TABLE "naïve \U0001f600; DROP TABLE messages"("a'b" TEXT)""",
    ]
    rows: Rows = {
        'a "quoted" table': [{"select": "1", "": "2", "x;y": "3"}],
        "naïve \U0001f600; DROP TABLE messages": [{"a'b": "c"}],
    }
    return _with(path, ddl, rows)


def virtual_tables(path: Path) -> Contents:
    """Virtual tables of a stranger, with their shadows: derived, so they have no units."""
    ddl = [
        "CREATE VIRTUAL TABLE notes_search USING fts5(body)",
        "INSERT INTO notes_search VALUES ('needle')",
        "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
        "INSERT INTO boxes VALUES (1, 0, 1)",
    ]
    return build(path, rows=TURN, then=ddl)


def shadow_by_name_only(path: Path) -> Contents:
    """Tables that end like the shadow of a virtual table, but there is no such virtual table."""
    rows: Rows = {"user_data": [{"k": "a"}], "notes_content": [{"k": "b"}]}
    return _with(path, [f"CREATE TABLE {name}(k TEXT)" for name in rows], rows)


def views(path: Path) -> Contents:
    """Views, of which one names a table that is not there and one a function that is not there."""
    ddl = [
        "CREATE VIEW all_messages AS SELECT * FROM messages",
        "CREATE VIEW broken AS SELECT * FROM no_such_table",
        "CREATE VIEW no_function AS SELECT no_such_function(id) FROM messages",
    ]
    return build(path, rows=TURN, then=ddl)


def raising_triggers(path: Path) -> Contents:
    """Triggers that refuse every change of the store."""
    ddl = [
        f"CREATE TRIGGER no_{event.lower()}_{table} BEFORE {event} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'this store must not be changed'); END"
        for table in ("messages", "sessions", "state_meta")
        for event in ("INSERT", "UPDATE", "DELETE")
    ]
    return build(path, rows=TURN, then=ddl)


def missing_module(path: Path) -> Contents:
    """The list of tables names a virtual table whose module no SQLite has."""
    return build(path, rows=TURN, then=_listed("messages_fts_cjk", "no_such_module(content)"))


def stranger_missing_module(path: Path) -> Contents:
    """As `missing_module`, with a name that Hermes never uses, and shadows that lie there as plain tables."""
    ddl = ["CREATE TABLE vectors_data(id INTEGER PRIMARY KEY, block BLOB)"]
    return build(path, rows=TURN, then=[*ddl, *_listed("vectors", "vec0(embedding float[3])")])


def undecodable_table_name(path: Path) -> Contents:
    """The list of tables names an unknown table by bytes that are not UTF-8."""
    then = [
        "CREATE TABLE spare_name(a)",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET name = CAST(X'73FF70' AS TEXT), tbl_name = CAST(X'73FF70' AS TEXT), "
        "sql = CAST(X'435245415445205441424C45202273FF7022286129' AS TEXT) WHERE name = 'spare_name'",
        "PRAGMA writable_schema = OFF",
    ]
    return build(path, rows=TURN, then=then)


def undecodable_namespace(path: Path) -> Contents:
    """The store's own namespace is text that is not UTF-8, and so no namespace."""
    meta: Rows = {"state_meta": [{"key": "store_instance_id", "value": BadText(b"\xff")}]}
    return build(path, rows={**TURN, **meta})


def messages_without_key(path: Path) -> Contents:
    """A table `messages` that has no column `id`."""
    return _replaced(path, "CREATE TABLE messages(session_id TEXT, role TEXT, content TEXT, timestamp REAL)")


def messages_with_text_key(path: Path) -> Contents:
    """A table `messages` whose ids are text, without rowids."""
    ddl = "CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT, role TEXT, content TEXT) WITHOUT ROWID"
    rows: Rows = {"messages": [{"id": "m-1", "session_id": "s"}, {"id": "m-2", "session_id": "s"}]}
    return _replaced(path, ddl, rows)


def messages_is_a_view(path: Path) -> Contents:
    """`messages` is a view over a table that nobody describes: it has no units of its own."""
    contents = _with(
        path,
        ["CREATE TABLE stored(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT)"],
        {"messages": [], "stored": [{"session_id": "s", "role": "user", "content": "x"}]},
        then=["DROP TABLE messages", "CREATE VIEW messages AS SELECT * FROM stored"],
    )
    counts = {name: n for name, n in contents.counts.items() if name != "messages"}
    return Contents(path, counts | {"sqlite_sequence": 0})


def no_schema_version(path: Path) -> Contents:
    """A store without the table `schema_version`."""
    contents = build(path, rows=TURN, then=["DROP TABLE schema_version"])
    return Contents(path, {name: n for name, n in contents.counts.items() if name != "schema_version"})


def empty_schema_version(path: Path) -> Contents:
    """A store whose table `schema_version` has no row."""
    return build(path, rows={**TURN, "schema_version": []})


def wordy_schema_version(path: Path) -> Contents:
    """A store whose `schema_version` has two rows, one of them text."""
    return build(path, rows={**TURN, "schema_version": [{"version": "twenty-two"}, {"version": 22}]})


def null_keys(path: Path) -> Contents:
    """Rows of every converted table whose key columns are NULL, which a lenient table accepts."""
    rows: Rows = {
        "sessions": [{"id": None}],
        "messages": [{"session_id": None}],
        "session_model_usage": [{"session_id": None, "model": None, "task": None}],
        "delivery_obligations": [{"obligation_id": None}],
        "gateway_routing": [{"scope": None, "session_key": None}],
        "system_prompts": [{"hash": None}],
    }
    return build(path, 31, rows, strict=False)


def twin_keys(path: Path) -> Contents:
    """Session ids that a careless reader confuses: by letter case, BLOB and text, with and without a NUL."""
    ids: list[Cell] = ["s", "S", b"s", "s\0", "s ", BadText(b"s\xff"), "", "1", 1, "01"]
    rows: Rows = {
        "sessions": [{"id": i} for i in ids],
        "messages": [{"session_id": i, "content": "x"} for i in ids],
    }
    return build(path, rows=rows, raw=True, strict=False)


def pointers_that_are_no_text(path: Path) -> Contents:
    """Pointers to a parent, a prompt, a call and a chat that are BLOBs of the right bytes, or numbers."""
    calls = '[{"id": "c1", "function": {"name": "t", "arguments": "{}"}}]'
    rows: Rows = {
        "system_prompts": [{"hash": "h", "prompt": "p"}],
        "sessions": [
            {"id": "p"},
            {"id": "c", "parent_session_id": b"p", "model_config": '{"_branched_from": "p"}', "chat_id": b"42"},
            {"id": "d", "parent_session_id": 7, "system_prompt_hash": b"h", "title": b"t", "cwd": 5},
        ],
        "messages": [
            {"session_id": "p", "role": "assistant", "tool_calls": calls, "tool_call_uids": '{"c1": "u1"}'},
            {"session_id": "p", "role": "tool", "tool_call_id": "c1", "tool_call_uid": b"u1"},
            {"session_id": "p", "role": "tool", "tool_call_id": b"c1", "tool_call_uid": 1, "tool_name": b"t"},
            {"session_id": "p", "role": b"tool", "tool_call_id": "c1", "content": 1.5},
        ],
    }
    return build(path, 31, rows, raw=True)


def _with(path: Path, ddl: list[str], rows: Rows, then: list[str] | None = None) -> Contents:
    turn = {name: given for name, given in TURN.items() if name not in rows}
    return build(path, rows={**turn, **rows}, extra_ddl=ddl, then=then or [])


def _replaced(path: Path, ddl: str, rows: Rows | None = None) -> Contents:
    """A store whose `messages` is the one of `ddl`."""
    given = rows or {"messages": [{"session_id": "s", "content": "hello"}]}
    contents = build(path, rows={"sessions": [{"id": "s"}], **given}, extra_ddl=["DROP TABLE messages", ddl])
    return Contents(path, {**contents.counts, "sqlite_sequence": 0})


def _listed(name: str, module: str) -> list[str]:
    """Statements that list a virtual table without making it."""
    return [
        "PRAGMA writable_schema = ON",
        "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) "
        f"VALUES ('table', '{name}', '{name}', 0, 'CREATE VIRTUAL TABLE {name} USING {module}')",
        "PRAGMA writable_schema = OFF",
    ]
