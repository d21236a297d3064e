"""Where a query's expected value comes from, for the ways in which claims write it."""

from __future__ import annotations

import sqlite3

import pytest

from validator.claims.origins import casts_to_text, origins

TABLES = {
    "native_message": ("unit", "id", "role", "text"),
    "native_call": ("unit", "idx", "name"),
    "record": ("line", "unit", "role", "text", "etype"),
    "record_link": ("line", "rel", "to_key"),
}

M, R, L = ("native_message", "role"), ("record", "role"), ("record_link", "to_key")


def expected(sql: str) -> set[tuple[str, str]]:
    """The origins of the column `expected`; the query must be one that SQLite accepts."""
    workbench = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        workbench.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    workbench.execute(sql)
    workbench.close()
    return set(origins(sql, TABLES)["expected"])


BOTH = "FROM record AS r LEFT JOIN native_message AS m ON m.unit = r.unit"


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        (f"SELECT m.role AS expected, r.role AS found {BOTH}", {M}),
        (f"SELECT r.role AS expected, m.role AS found {BOTH}", {R}),
        (f"SELECT r.role expected {BOTH}", {R}),
        (f"SELECT coalesce(m.role, 'none') expected {BOTH}", {M}),
        (f"SELECT coalesce(m.role, r.role) AS expected {BOTH}", {M, R}),
        (f"SELECT m.role || ' or ' || r.role AS expected {BOTH}", {M, R}),
        ("SELECT NULL AS expected FROM record", set()),
        ("SELECT 'record.role' AS expected FROM record", set()),
        ("SELECT role AS expected FROM record", {R}),
        ('SELECT "role" AS "expected" FROM [record]', {R}),
        ("SELECT record.role AS expected FROM record", {R}),
        ("SELECT /* m.role */ 'x' AS expected -- r.role\nFROM record", set()),
        ("SELECT count(*) AS expected FROM record", set()),
        ("SELECT count(role) AS expected FROM record", {R}),
        ("SELECT max(r.role) FILTER (WHERE r.etype = 'x') AS expected FROM record AS r", {R}),
        ("SELECT row_number() OVER (ORDER BY r.role) AS expected FROM record AS r", set()),
        ("SELECT lag(r.role) OVER w AS expected FROM record AS r WINDOW w AS (ORDER BY r.line)", {R}),
        ("SELECT CAST(r.role AS TEXT) AS expected FROM record AS r", {R}),
        ("SELECT r.role COLLATE nocase AS expected FROM record AS r", {R}),
        # What a CASE compares chooses a value and is none.
        (f"SELECT CASE WHEN r.role IS NOT m.role THEN m.role ELSE 'x' END AS expected {BOTH}", {M}),
        (f"SELECT CASE r.role WHEN m.role THEN 1 ELSE 2 END AS expected {BOTH}", set()),
        (f"SELECT CASE WHEN m.role = 'x' THEN r.role END AS expected {BOTH}", {R}),
        (f"SELECT CASE WHEN 1 THEN CASE WHEN r.text THEN m.role ELSE r.role END END AS expected {BOTH}", {M, R}),
        (f"SELECT CASE CASE WHEN r.role THEN 1 END WHEN 1 THEN m.role END AS expected {BOTH}", {M}),
        (f"SELECT iif(r.role = 'x', m.role, NULL) AS expected {BOTH}", {M}),
        (f"SELECT 'x' || (CASE m.role WHEN r.role THEN r.text ELSE '' END) AS expected {BOTH}", {("record", "text")}),
        # Through subqueries, named queries and compounds.
        ("SELECT (SELECT l.to_key FROM record_link AS l WHERE l.line = r.line) AS expected FROM record AS r", {L}),
        ("SELECT EXISTS (SELECT 1 FROM record_link AS l WHERE l.line = r.line) AS expected FROM record AS r", set()),
        ("SELECT e.value AS expected FROM (SELECT role AS value FROM native_message) AS e, record AS r", {M}),
        ("SELECT value AS expected FROM (SELECT role AS value, line FROM record)", {R}),
        ("WITH e AS (SELECT unit, role AS v FROM record) SELECT e.v AS expected FROM e", {R}),
        ("WITH e (u, v) AS (SELECT unit, role FROM record) SELECT e.v AS expected FROM e", {R}),
        ("WITH e AS (SELECT 1 AS a), f AS (SELECT a, m.role FROM e, native_message AS m) "
         "SELECT role AS expected FROM f", {M}),
        ("WITH RECURSIVE n (i, r) AS (SELECT 1, role FROM record UNION ALL SELECT i + 1, r FROM n WHERE i < 3) "
         "SELECT r AS expected FROM n", {R}),
        ("WITH k (n) AS (VALUES ('a'), ('b')) SELECT k.n AS expected FROM k CROSS JOIN record", set()),
        ("SELECT m.role AS expected FROM native_message AS m UNION ALL SELECT r.role FROM record AS r", {M, R}),
        ("SELECT 1 AS unit, NULL AS expected UNION SELECT l.line, l.to_key FROM record_link AS l", {L}),
        ("SELECT * FROM (SELECT unit, role AS expected FROM record)", {R}),
        ("SELECT v.* FROM (SELECT unit, role AS expected FROM native_message) AS v", {M}),
        ("SELECT role AS expected FROM (record AS r JOIN record_link AS l ON l.line = r.line)", {R}),
        ("SELECT expected FROM (SELECT role AS expected FROM record) GROUP BY 1 HAVING count(*) > 1", {R}),
    ],
)  # fmt: skip
def test_an_expected_value_comes_from(sql: str, found: set[tuple[str, str]]) -> None:
    assert expected(sql) == found


def test_a_cast_to_text_is_seen_and_a_name_is_none() -> None:
    assert casts_to_text("SELECT CAST(cost AS text) FROM record")
    assert not casts_to_text("SELECT CAST(cost AS INTEGER) FROM record")
    assert casts_to_text("SELECT 1 FROM (SELECT max(CAST(coalesce(cost, 1.5) AS varchar(20))) FROM record)")
    assert not casts_to_text("SELECT CAST(r.line AS INTEGER) AS line, r.text AS text FROM record AS r")
    assert not casts_to_text("SELECT 'CAST(x AS TEXT)' FROM record")
