"""Derives `layouts.json` from the stores of the authentic captures: `python -m tests.stores.derive`.

Of every store it keeps names, declared types, NOT NULL, defaults and keys, never the text of the DDL. Schemas
that no capture shows are constructed from what is known of their releases, and marked so.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.stores.layouts import LAYOUTS, NEWER

CAPTURES = Path(__file__).parents[2] / "captures"

# Columns of the tables that only the newest upstream source has; no release was run with them, so their
# types are ours. [name, type, not null, default, place in the key]
NEWER_TABLES: dict[str, list[list[Any]]] = {
    "runtime_epoch": [
        ["singleton", "INTEGER", 0, None, 1],
        ["epoch", "INTEGER", 1, None, 0],
        ["instance_id", "TEXT", 1, None, 0],
    ],
    "session_admissions": [
        ["seq", "INTEGER", 0, None, 1],
        ["admission_id", "TEXT", 1, None, 0],
        ["request_id", "TEXT", 0, None, 0],
        ["principal_id", "TEXT", 0, None, 0],
        ["target_session_id", "TEXT", 0, None, 0],
        ["lineage_json", "TEXT", 0, None, 0],
        ["payload_json", "TEXT", 0, None, 0],
        ["payload_digest", "TEXT", 0, None, 0],
        ["intent", "TEXT", 0, None, 0],
        ["status", "TEXT", 1, None, 0],
        ["outcome", "TEXT", 0, None, 0],
        ["owner_epoch", "INTEGER", 0, None, 0],
        ["generation", "INTEGER", 0, None, 0],
    ],
    "worker_executions": [
        ["execution_id", "TEXT", 0, None, 1],
        ["session_id", "TEXT", 0, None, 0],
        ["kind", "TEXT", 1, None, 0],
        ["owner_epoch", "INTEGER", 0, None, 0],
        ["generation", "INTEGER", 0, None, 0],
        ["status", "TEXT", 1, None, 0],
        ["adoption_digest", "TEXT", 0, None, 0],
        ["last_sequence", "INTEGER", 0, None, 0],
    ],
    "worker_receipts": [
        ["execution_id", "TEXT", 1, None, 1],
        ["sequence", "INTEGER", 1, None, 2],
        ["payload_digest", "TEXT", 0, None, 0],
        ["result_json", "TEXT", 0, None, 0],
    ],
}
NEWER_SESSION_COLUMNS = [
    ["runtime_revision", "INTEGER", 0, None, 0],
    ["runtime_generation", "INTEGER", 0, None, 0],
]
# What 0.16.0 (schema 14) has against 0.15.x (schema 13); types as the next captured schema has them.
NEW_IN_14 = {"messages": {"active"}, "sessions": {"cwd", "rewind_count", "archived"}}
# Lazily made tables that a release may have although no capture of its schema happened to make them:
# table, first schema, the captured schema whose shape stands in.
STAND_INS = [
    ("telegram_dm_topic_mode", 11, 22),
    ("telegram_dm_topic_bindings", 11, 22),
    ("delivery_obligations", 22, 22),
]


def main() -> None:
    """Writes `layouts.json`."""
    LAYOUTS.write_text(written(derived()), encoding="utf-8")


def derived() -> dict[str, Any]:
    """The content of `layouts.json`."""
    captured: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for store in sorted(CAPTURES.glob("*/home/state.db")):
        capture = store.parts[-3]
        seen = read(store)
        name = str(seen["schema"]) + (" migrated" if "-migrated-from-" in capture else "")
        captured.setdefault(name, []).append((capture, seen))
    layouts = {name: merged(stores) for name, stores in captured.items()}
    layouts["14"] = fourteen(layouts["13"], layouts["16"])
    layouts[str(NEWER)] = newer(layouts["31"])
    for table, first, model in STAND_INS:
        for layout in layouts.values():
            if layout["schema"] >= first and table not in layout["tables"]:
                shape = layouts[str(model)]["tables"][table]
                layout["tables"][table] = shape | {"lazy": True}
                layout["stand_ins"].append(table)
    return shared(dict(sorted(layouts.items(), key=lambda item: (item[1]["schema"], item[0]))))


def shared(layouts: dict[str, Any]) -> dict[str, Any]:
    """`layouts` with each distinct shape of a table written once, named after the first layout with it."""
    shapes: dict[str, Any] = {}
    for name, layout in layouts.items():
        tables = layout["tables"]
        layout["lazy"] = sorted(t for t, table in tables.items() if table["lazy"])
        for table, shape in sorted(tables.items()):
            shape = {part: shape[part] for part in ("autoincrement", "columns")}
            same = (s for s, known in shapes.items() if s.split()[0] == table and known == shape)
            label = next(same, f"{table} {name}")
            shapes.setdefault(label, shape)
            tables[table] = label
        layout["tables"] = dict(sorted(tables.items()))
    return {"shapes": dict(sorted(shapes.items())), "layouts": layouts}


def read(store: Path) -> dict[str, Any]:
    """The layout of one captured store, read in a private copy of it and its `-wal`."""
    with tempfile.TemporaryDirectory() as private:
        for suffix in ("", "-wal"):
            original = store.with_name(store.name + suffix)
            if original.exists():
                shutil.copyfile(original, Path(private, original.name))
        connection = sqlite3.connect(Path(private, store.name))
        try:
            return _read(connection)
        finally:
            connection.close()


def _read(connection: sqlite3.Connection) -> dict[str, Any]:
    (schema,) = connection.execute("SELECT version FROM schema_version").fetchone()
    objects = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
    fts = {
        name: [" ".join(a.split()) for a in re.split(r",(?![^(]*\))", _arguments(sql))]
        for kind, name, sql in objects
        if kind == "table" and sql.upper().startswith("CREATE VIRTUAL")
    }
    shadows = {f"{name}_{part}" for name in fts for part in ("data", "idx", "content", "docsize", "config")}
    plain = {
        name: sql
        for kind, name, sql in objects
        if kind == "table" and name not in fts and name not in shadows and not name.startswith("sqlite_")
    }
    return {
        "schema": schema,
        "tables": {
            name: {
                "autoincrement": "AUTOINCREMENT" in sql.upper(),
                "columns": [list(r[1:6]) for r in connection.execute(f'PRAGMA table_info("{name}")')],
            }
            for name, sql in plain.items()
        },
        "indexes": dict(i for name in plain for i in _indexes(connection, name)),
        "fts": fts,
        "views": {
            name: [r[1] for r in connection.execute(f'PRAGMA table_info("{name}")')]
            for kind, name, _ in objects
            if kind == "view"
        },
    }


def _arguments(sql: str) -> str:
    return sql[sql.index("(") + 1 : sql.rindex(")")]


def _indexes(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, list[Any]]]:
    for _, name, unique, origin, partial in connection.execute(f'PRAGMA index_list("{table}")').fetchall():
        columns = [r[2] for r in connection.execute(f'PRAGMA index_info("{name}")')]
        if origin == "c" and not partial and None not in columns:
            yield name, [table, unique, *columns]


def merged(stores: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """One layout of the stores of one schema: a table that only some have is lazy.

    Raises:
        ValueError: two stores give one table different columns, so that there is no one layout.
    """
    tables: dict[str, Any] = {}
    for capture, seen in stores:
        for name, table in seen["tables"].items():
            known = tables.setdefault(name, table | {"lazy": False})
            if known["columns"] != table["columns"]:
                raise ValueError(f"{capture}: table {name} has other columns than stores of its schema")
    for name, table in tables.items():
        table["lazy"] = any(name not in seen["tables"] for _, seen in stores)
    parts: dict[str, dict[str, Any]] = {"indexes": {}, "fts": {}, "views": {}}
    for _, seen in stores:
        for part, items in parts.items():
            items.update(seen[part])
    return {
        "schema": stores[0][1]["schema"],
        "constructed": False,
        "captures": [capture for capture, _ in stores],
        "stand_ins": [],
        "tables": tables,
        **parts,
    }


def fourteen(thirteen: dict[str, Any], sixteen: dict[str, Any]) -> dict[str, Any]:
    """Schema 14, which no capture shows: 13, and of 16 the columns and the table that came with 14."""
    layout = _constructed(14, thirteen)
    for name, new in NEW_IN_14.items():
        old = {c[0] for c in thirteen["tables"][name]["columns"]}
        keep = [c for c in sixteen["tables"][name]["columns"] if c[0] in old | new]
        layout["tables"][name] = sixteen["tables"][name] | {"columns": keep}
    layout["tables"]["compression_locks"] = sixteen["tables"]["compression_locks"]
    return layout


def newer(newest: dict[str, Any]) -> dict[str, Any]:
    """A schema newer than every package: the newest captured one, and the tables of the upstream source."""
    layout = _constructed(NEWER, newest)
    sessions = newest["tables"]["sessions"]
    layout["tables"]["sessions"] = sessions | {"columns": sessions["columns"] + NEWER_SESSION_COLUMNS}
    for name, columns in NEWER_TABLES.items():
        serial = name == "session_admissions"
        layout["tables"][name] = {"autoincrement": serial, "columns": columns, "lazy": False}
    return layout


def _constructed(schema: int, base: dict[str, Any]) -> dict[str, Any]:
    layout: dict[str, Any] = json.loads(json.dumps(base))
    return layout | {"schema": schema, "constructed": True, "captures": []}


def written(data: dict[str, Any]) -> str:
    """`data` as JSON with one column, index or list a line, so that a difference shows where it is."""
    atom = r'(?:"[^"]*"|null|-?\d+)'
    text = json.dumps(data, indent=1)
    return re.sub(rf"\[\s+({atom}(?:,\s+{atom})*)\s+\]", _one_line, text) + "\n"


def _one_line(match: re.Match[str]) -> str:
    return "[" + re.sub(r",\s+", ", ", match.group(1)) + "]"


if __name__ == "__main__":
    main()
