"""The lint of claims: each fault is found, and says where it is and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.claims.descriptors import MUTANTS, ROLE, descriptor_with
from validator.claims.lint import lint
from validator.descriptor import load

VIOLATIONS = re.search(r'violations = """(.*?)"""', ROLE, re.DOTALL)
assert VIOLATIONS is not None


LAST = len(load().document["evidence"]) - 1


def faults(folder: Path, **files: str) -> list[str]:
    return [str(fault) for fault in lint(load(descriptor_with(folder, **files)))]


def violating(sql: str) -> str:
    """The sound claim with another check."""
    assert VIOLATIONS is not None
    return ROLE.replace(VIOLATIONS[1], f"\n{sql}\n")


def mutant(text: str) -> str:
    """The sound claim with another third mutant."""
    return f"{ROLE}\n[[claim.mutants]]\n{text}\n"


def test_a_sound_claim_has_no_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, test=ROLE) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROLE.replace('remedy = "Write the role."', ""), "test.role: lacks 'remedy'; write it as text"),
        (ROLE.replace('"The role is the stored role."', '" "'), "test.role: lacks 'statement'; write it as text"),
        (ROLE.replace('"The role is the stored role."', "7"), "test.role: lacks 'statement'; write it as text"),
        (ROLE.replace('id = "test.role"', ""), "claim 1: lacks 'id'; write it as text"),
        (ROLE.replace("test.role", "Test.Role"), "Test.Role: the id must be a section, a dot and a name"),
        (ROLE.replace("test.role", "role"), "role: the id must be a section, a dot and a name"),
        (ROLE.replace("source =", "sourc ="), "test.role: has no use for 'sourc'; did you mean 'source'?"),
        ('level = "warning"'.join(ROLE.split("evidence = [0]", 1)), "test.role: the level 'warning' is none"),
        (ROLE.replace("[0]", "[]"), "test.role: lacks 'evidence'; list the indexes"),
        (ROLE.replace("[0]", f"[0, {LAST + 1}]"), f"evidence {LAST + 1} does not exist; the descriptor has 0 to"),
        (ROLE.replace("[0]", "[-1]"), "test.role: evidence -1 does not exist"),
        (ROLE.replace("[0]", "[true]"), "test.role: evidence True does not exist"),
        (ROLE.replace("[0]", '[0]\nformats = ["pi"]'), "test.role: the format 'pi' does not exist; the descriptor has"),
        ('formats = ["pi"]\n' + ROLE, "test.role: the format 'pi' does not exist"),
        (ROLE + ROLE, "test.role: the id stands in claims/test.toml already"),
        (ROLE.replace(MUTANTS, ""), "test.role: has 0 mutants; give it an obvious and a subtle one, 2 at least"),
        (ROLE.replace('"left out"', '"all alike"'), "test.role: mutant 'all alike' stands twice"),
        ("claims = []\n" + ROLE, "has no use for 'claims'; did you mean 'claim'?"),
        ("[claim]\nid = 1", "write [[claim]], once for each claim"),
        ("[[claim", "mend the TOML"),
    ],
)
def test_a_claim_that_is_not_whole_is_found(tmp_path: Path, text: str, message: str) -> None:
    found = faults(tmp_path, test=text)
    assert any(fault.startswith(f"claims/test.toml: {message}") or message in fault for fault in found), found


def test_the_same_id_in_two_files_is_found(tmp_path: Path) -> None:
    assert faults(tmp_path, a=ROLE, b=ROLE) == [
        "claims/b.toml: test.role: the id stands in claims/a.toml already; give each claim an id of its own"
    ]


GIVES = "SELECT unit, line, NULL AS at, NULL AS expected, role AS found FROM record"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "SELECT unit, line, role AS found FROM record",
            "violations: gives unit, line, found; it must give unit, line, at",
        ),
        (GIVES + " WHERE rolle = 1", "violations: no such column: rolle"),
        ("SELEKT", "violations: no such table: SELEKT"),
        ("SELEKT 1", "violations: near"),
        (
            GIVES + " WHERE 1 IN (SELECT rootpage FROM sqlite_master)",
            "violations: access to sqlite_master.rootpage is prohib",
        ),
        (GIVES + " WHERE json_valid(role)", "violations: not authorized to use function: json_valid"),
        (GIVES + " WHERE role -> '$.a' = 1", "violations: not authorized to use function: ->"),
        (GIVES + " WHERE time < strftime('%s')", "violations: not authorized to use function: strftime"),
        (GIVES + " WHERE time < CURRENT_TIMESTAMP", "violations: not authorized to use function: CURRENT_TIMESTAMP"),
        (GIVES + " WHERE quote(cost_amount) = '0.1'", "violations: not authorized to use function: quote"),
        (GIVES + " WHERE printf('%f', cost_amount) = '0.1'", "violations: not authorized to use function: printf"),
        (GIVES + " WHERE CAST(cost_amount AS TEXT) = '0.1'", "violations: casts to TEXT"),
        (GIVES + "; SELECT 1", "violations: near"),
        ("DELETE FROM record RETURNING unit, line, role, role, role", "violations: near"),
        (
            GIVES.replace("NULL AS expected", "role AS expected"),
            "expected comes from record.role, which is what a converter",
        ),
        (
            "SELECT unit, line, NULL AS at, (SELECT l.to_key FROM record_link AS l WHERE l.line = r.line) AS expected, "
            "role AS found FROM record AS r",
            "expected comes from record_link.to_key",
        ),
    ],
)
def test_a_check_that_is_not_sound_is_found(tmp_path: Path, sql: str, message: str) -> None:
    found = faults(tmp_path, test=violating(sql))
    assert any(message in fault for fault in found), found
    assert all(fault.startswith("claims/test.toml: test.role: ") for fault in found)


def test_subjects_are_read_as_violations_are(tmp_path: Path) -> None:
    subjects = ROLE.replace("SELECT unit FROM native_message", "SELECT date(time) FROM native_message")
    (fault,) = faults(tmp_path, test=subjects)
    assert "subjects: not authorized to use function: date; mend the query" in fault


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "m"', "mutant 'm': write either sql, statements on record_*, or lines, an edit"),
        ('name = "m"\nsql = "DELETE FROM record"\nlines = "drop-line"', "mutant 'm': write either sql"),
        ('sql = "DELETE FROM record"', "mutant 3 lacks 'name'; say in a few words"),
        ('name = "m"\nsql = []', "mutant 'm': sql is a statement or a list of statements"),
        ('name = "m"\nsql = 7', "mutant 'm': sql is a statement or a list of statements"),
        ('name = "m"\nsql = "DELETE FROM native_unit"', "mutant 'm': not authorized; mend its SQL"),
        ('name = "m"\nsql = "DELETE FROM records"', "mutant 'm': no such table: records"),
        ('name = "m"\nsql = "SELECT 1"', "mutant 'm': writes nothing; it must change a value of record_*"),
        ('name = "m"\nsql = "UPDATE record SET role = date()"', "mutant 'm': not authorized to use function: date"),
        ('name = "m"\nsqll = "x"\nlines = "drop-line"', "mutant 'm': has no use for 'sqll'; did you mean 'sql'?"),
        ('name = "m"\nsql = "DELETE FROM record"\nwhere = {}', "mutant 'm': has no use for 'where'"),
        ('name = "m"\nlines = "drop-lines"', "mutant 'm': there is no edit 'drop-lines'; there are: add-column"),
        ('name = "m"\nlines = "set"', "mutant 'm': the edit 'set' lacks pointer, value"),
        (
            'name = "m"\nlines = "drop-line"\nwhere = {tabel = "x"}',
            "mutant 'm': the edit 'drop-line' has no use for tabel",
        ),
        ('name = "m"\nlines = "drop-line"\nwhere = {at = "/x"}', "at and is belong together"),
        ('name = "m"\nlines = "drop-line"\nwhere = {take = "some"}', "take is all, first or last"),
    ],
)
def test_a_mutant_that_is_not_sound_is_found(tmp_path: Path, text: str, message: str) -> None:
    (fault,) = faults(tmp_path, test=mutant(text))
    assert fault.startswith("claims/test.toml: test.role: ")
    assert message in fault


def test_a_notice_needs_no_mutant(tmp_path: Path) -> None:
    about = ROLE.replace(MUTANTS, "").replace("evidence", 'level = "notice"\nevidence')
    assert faults(tmp_path, test=about) == []


def test_an_endless_query_does_not_hold_the_lint_up(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    assert faults(tmp_path, test=ROLE.replace("SELECT unit FROM native_message", endless)) == []
