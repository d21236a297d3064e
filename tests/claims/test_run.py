"""Claims run read-only, for a limited time, and their faults are the descriptor's."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.claims.benches import ROLE as CHECK
from tests.claims.benches import claim
from tests.claims.descriptors import ROLE, descriptor_with
from validator.claims import NoticeRule
from validator.claims.run import Outcome, note, run
from validator.cli import cli
from validator.descriptor import DescriptorError, load
from validator.workbench import NATIVE, RECORD, create

CAPTURE = str(Path(__file__).parents[2] / "captures" / "0.19.0-text")
GIVES = "SELECT unit, line, NULL AS at, NULL AS expected, NULL AS found FROM "


def outcome(violations: str = CHECK, subjects: str = "SELECT 1") -> Outcome:
    bench = create(None, load().shapes)
    try:
        (found,) = run(bench, [claim("test.claim", violations, subjects)], {"hermes-state-sqlite"})
    finally:
        bench.close()
    return found


@pytest.mark.parametrize(
    "violations",
    [
        GIVES + "record WHERE 1 = (SELECT count(*) FROM sqlite_master)",
        GIVES + "pragma_table_info('record')",
        GIVES + "record WHERE 1 = (SELECT count(*) FROM native_notice)",
        GIVES + "record WHERE json_valid('{}')",
        GIVES + "record WHERE jsonb_extract('{}', '$') IS NULL",
        GIVES + "record WHERE time > datetime('now')",
        GIVES + "record WHERE time > CURRENT_TIME",
        GIVES + "record WHERE random() > 0",
        GIVES + "record WHERE load_extension('x')",
        GIVES + "record WHERE sqlite_version() > ''",
        GIVES + "records",
        "SELECT 1",
        "no SQL",
        "",
    ],
)
def test_a_claim_that_may_not_do_or_cannot_do_what_it_does_names_itself_and_its_file(violations: str) -> None:
    with pytest.raises(DescriptorError, match=r"^test\.toml: the SQL of test\.claim fails: .+; mend the query$"):
        outcome(violations)


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM record", "UPDATE record SET role = 1", "ATTACH ':memory:' AS x", "PRAGMA writable_schema = 1"],
)
def test_a_claim_writes_nothing(statement: str) -> None:
    for violations in (statement, f"{CHECK}; {statement}", f"{GIVES} record) ; {statement} --"):
        with pytest.raises(DescriptorError):
            outcome(violations)
    with pytest.raises(DescriptorError):
        outcome(subjects=statement)


@pytest.mark.parametrize("table", ["record", "record_call", "native_notice"])
def test_a_notice_rule_reads_what_is_native_and_was_counted_before_it(table: str) -> None:
    nothing = "NULL AS run, NULL AS source, NULL AS tab, NULL AS key, NULL AS unit, NULL AS col, NULL AS detail"
    rule = NoticeRule("unknown-role", f"SELECT {nothing} FROM {table}", "notices.toml")
    bench = create(None, load().shapes)
    with pytest.raises(
        DescriptorError, match=r"^notices\.toml: the SQL of unknown-role fails: (.*prohibited|not authorized)"
    ):
        note(bench, [rule])
    bench.close()


def test_the_claims_of_a_workbench_on_disk_read_all_its_files(tmp_path: Path) -> None:
    bench = create(tmp_path / "workbench.db", (), parts=(RECORD,))
    create(tmp_path / "native.db", load().shapes, parts=(NATIVE,)).close()
    bench.execute("ATTACH ? AS native", (str(tmp_path / "native.db"),))
    bench.execute("INSERT INTO native_capture (capture) VALUES ('c')")
    bench.execute("INSERT INTO record (line, run, at, ord) VALUES (1, 1, 1, 1)")
    subjects = "SELECT line FROM record UNION ALL SELECT capture FROM native_capture"
    claims = [claim("test.asked", CHECK, subjects), claim("test.known", CHECK, subjects)]
    found = run(bench, claims, {"hermes-state-sqlite"}, lambda: {"test.known": 7})
    bench.close()
    assert [(one.claim.id, one.subjects) for one in found] == [("test.asked", 2), ("test.known", 7)]


def test_a_query_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.claims.run.SECONDS", 0.05)
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    with pytest.raises(DescriptorError, match=r"the SQL of test\.claim fails: took longer than 0\.05 s"):
        outcome(subjects=endless)


def test_the_workbench_can_be_written_again_afterwards() -> None:
    bench = create(None, load().shapes)
    run(bench, [claim()], {"hermes-state-sqlite"})
    bench.execute("DELETE FROM record")
    with pytest.raises(sqlite3.OperationalError):
        bench.execute("DELETE FROM records")
    bench.close()


def test_a_query_may_end_in_a_semicolon_or_a_comment() -> None:
    assert outcome(CHECK + ";", "SELECT 1;").status == "holds"
    assert outcome(CHECK + " -- both sides", "SELECT 1 -- one").status == "holds"


def test_no_subject_is_not_exercised_and_never_holds() -> None:
    assert outcome(subjects="SELECT 1 WHERE 0").status == "not exercised"


def test_an_error_in_a_claim_is_a_wrong_configuration_for_check(tmp_path: Path) -> None:
    broken = re.sub("r.role IS NOT m.role", "r.rolle IS NOT m.role", ROLE)
    result = CliRunner().invoke(cli, ["check", CAPTURE, "--descriptor", descriptor_with(tmp_path, test=broken)])
    assert result.exit_code == 2
    assert result.stderr == (
        "validator: claims/test.toml: the SQL of test.role fails: no such column: r.rolle; mend the query\n"
    )
    assert result.stdout == ""


def test_a_claim_may_follow_links_as_far_as_they_go() -> None:
    """Trees of sessions and messages need a recursive query, also one of which no column is read."""
    three = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
    assert outcome(subjects=three + "SELECT a.i FROM n AS a, n AS b").subjects == 9
