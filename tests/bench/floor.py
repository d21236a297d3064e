"""The floor: every row of a store read and serialised, and nothing else. ``python -m tests.bench.floor STORE``."""

from __future__ import annotations

import sqlite3
import sys

import orjson

store = sqlite3.connect(sys.argv[1])
written = 0
for (table,) in store.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
).fetchall():
    if table.startswith("messages_fts"):
        continue
    cursor = store.execute(f'SELECT * FROM "{table}"')
    names = [column[0] for column in cursor.description]
    for row in cursor:
        written += len(orjson.dumps(dict(zip(names, row, strict=True))))
print(written)
