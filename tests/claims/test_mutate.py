"""One mutant on one workbench: what counts, who notices, and that everything is back afterwards."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.claims.benches import claim, lines, on_store, sql
from validator.capture import find
from validator.claims import Claim, Mutant, NotRestoredError
from validator.claims import load as load_claims
from validator.claims.mutate import PROTOCOL, Bench, Trial
from validator.claims.run import run
from validator.descriptor import DescriptorError, load
from validator.mutation import on_bench
from validator.replay import Options
from validator.replay.converters import BuiltIn
from validator.workbench import create

ROOT = Path(__file__).parents[2]

MODEL = claim(
    "test.model",
    "SELECT r.unit, r.line, '/model' AS at, s.model AS expected, r.model AS found "
    "FROM record AS r LEFT JOIN native_session AS s ON s.unit = r.unit WHERE r.model IS NOT s.model",
)
COUNT = claim(
    "test.count",
    "SELECT NULL AS unit, NULL AS line, NULL AS at, 3 AS expected, count(*) AS found FROM record HAVING count(*) <> 3",
)


def trial(folder: Path, mutant: Mutant, *claims: Claim) -> Trial:
    """The trial of a mutant of the first claim (by default one on roles), with the others looking on."""
    trials: list[Trial] = []
    given = claims or (claim(), MODEL, COUNT)
    on_store(folder, given, lambda bench: trials.append(bench.trial(given[0], mutant)))
    return trials[0]


def test_a_claim_notices_a_changed_value_and_claims_about_other_values_do_not(tmp_path: Path) -> None:
    assert trial(tmp_path, sql("UPDATE record SET role = 'x'")) == Trial(True, ("test.role",))


def test_a_removed_record_is_noticed_by_whoever_counts_records(tmp_path: Path) -> None:
    assert trial(tmp_path, sql("DELETE FROM record WHERE role = 'user'")) == Trial(True, ("test.count",))


def test_an_update_that_sets_what_is_there_already_is_not_applied(tmp_path: Path) -> None:
    assert trial(tmp_path, sql("UPDATE record SET role = role")) == Trial(False)


def test_changes_that_undo_each_other_are_not_applied(tmp_path: Path) -> None:
    there, back = "UPDATE record SET role = role || 'x'", "UPDATE record SET role = substr(role, 1, length(role) - 1)"
    assert trial(tmp_path, sql(there + " WHERE role IS NOT NULL", back)) == Trial(False)


def test_a_change_that_nobody_minds_is_applied_and_unnoticed(tmp_path: Path) -> None:
    assert trial(tmp_path, sql("UPDATE record SET scope = 'subagent'")) == Trial(True, ())


def test_a_mutant_of_lines_is_read_in_again(tmp_path: Path) -> None:
    assert trial(tmp_path, lines("set", pointer="/role", value="x", has="/role")) == Trial(True, ("test.role",))
    (tmp_path / "state.db").unlink()
    assert trial(tmp_path, lines("drop-line", take="last")) == Trial(True, ("test.count",))


def test_an_edit_that_finds_no_line_is_not_applied(tmp_path: Path) -> None:
    assert trial(tmp_path, lines("drop-line", table="nowhere")) == Trial(False)


def test_an_edit_that_puts_what_is_there_already_is_not_applied(tmp_path: Path) -> None:
    assert trial(tmp_path, lines("set", pointer="/role", value="user", at="/role", **{"is": "user"})) == Trial(False)


def test_lines_that_are_no_record_stream_are_not_judged(tmp_path: Path) -> None:
    assert trial(tmp_path, lines("drop-line", line="end")) == Trial(True, (PROTOCOL,))


def test_a_mutant_counts_only_where_its_claim_holds_and_has_a_subject(tmp_path: Path) -> None:
    idle = claim("test.idle", subjects="SELECT unit FROM native_message WHERE role = 'nobody'")
    broken = claim("test.broken", "SELECT 1 AS unit, 1 AS line, NULL AS at, 1 AS expected, 2 AS found")
    counted: list[bool] = []
    on_store(
        tmp_path,
        (claim(), idle, broken),
        lambda bench: counted.extend(bench.counts(one) for one in (claim(), idle, broken)),
    )
    assert counted == [True, False, False]


def test_a_claim_that_never_held_is_not_said_to_notice(tmp_path: Path) -> None:
    broken = claim("test.broken", "SELECT unit, line, NULL AS at, 1 AS expected, role AS found FROM record")
    assert trial(tmp_path, sql("UPDATE record SET role = 'x'"), claim(), broken) == Trial(True, ("test.role",))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE native_message SET role = 'x'",
        "DELETE FROM native_unit",
        "DROP TABLE record_link",
        "PRAGMA foreign_keys = OFF",
        "ATTACH 'other.db' AS other",
        "COMMIT",
        "RELEASE mutant",
        "CREATE TABLE record_more (a)",
        "UPDATE record SET role = (SELECT name FROM sqlite_master)",
        "UPDATE record SET role = json('1')",
    ],
)
def test_a_mutant_may_write_records_and_nothing_else(tmp_path: Path, statement: str) -> None:
    with pytest.raises(DescriptorError, match=r"test\.toml: mutant 'a mutant' of test\.role fails: .*mend its SQL"):
        trial(tmp_path, sql(statement))


def test_a_mutant_that_ends_the_transaction_is_an_error_and_is_taken_back(tmp_path: Path) -> None:
    def use(bench: Bench) -> None:
        with pytest.raises(DescriptorError, match="UNIQUE constraint failed"):
            bench.trial(claim(), sql("UPDATE record SET role = 'x'", "UPDATE OR ROLLBACK record SET line = 1"))
        assert bench.trial(claim(), sql("UPDATE record SET role = 'x'")).fired == ("test.role",)

    on_store(tmp_path, (claim(),), use)


def test_a_mutant_that_takes_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.claims.mutate.SECONDS", 0.05)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) UPDATE record SET role = max(i) FROM n"
    with pytest.raises(DescriptorError, match=r"took longer than 0\.05 s"):
        trial(tmp_path, sql(endless.replace("max(i)", "i")))


def test_an_edit_that_there_is_not_is_an_error_that_names_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(DescriptorError, match=r"there is no edit 'frobnicate'; there are: .*repeat-line"):
        trial(tmp_path, lines("frobnicate"))


def test_many_mutants_one_after_the_other_leave_the_workbench_as_it_was(tmp_path: Path) -> None:
    def use(bench: Bench) -> None:
        before = "\n".join(bench.bench.iterdump())
        for mutant in (
            sql("DELETE FROM record"),
            lines("repeat-line"),
            lines("drop-line"),
            sql("DELETE FROM record_run"),
        ):
            assert bench.trial(claim(), mutant).applied
        assert "\n".join(bench.bench.iterdump()) == before

    on_store(tmp_path, (claim(),), use)


def test_without_a_rollback_journal_the_damage_is_found_out(tmp_path: Path) -> None:
    """Rolling back on a workbench without a journal silently keeps what was done: the reason for the check."""
    for rollback, found_out in ((True, False), (False, True)):
        bench = create(tmp_path / f"{rollback}.db", load().shapes, rollback=rollback)
        bench.execute("INSERT INTO record_run VALUES (1, 'a', '1', 'p', 'f', 0)")
        ready = Bench(bench, run(bench, (COUNT,), {"hermes-state-sqlite"}), lambda _claim, _mutant: None)
        mutant = sql("UPDATE record_run SET producer = 'other'")
        if found_out:
            with pytest.raises((NotRestoredError, sqlite3.Error)):
                ready.trial(COUNT, mutant)
        else:
            assert ready.trial(COUNT, mutant) == Trial(True, ())
        bench.close()


def test_a_workbench_on_disk_is_restored_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.replay.witnesses.IN_MEMORY", 0)

    def use(bench: Bench) -> None:
        assert [path for _, _, path in bench.bench.execute("PRAGMA database_list")] != [""]
        for mutant in (sql("UPDATE record SET role = 'x'"), lines("set", pointer="/role", value="x", has="/role")):
            assert bench.trial(claim(), mutant) == Trial(True, ("test.role",))

    on_store(tmp_path, (claim(),), use)


@pytest.mark.parametrize(
    "capture",
    ["captures/0.19.0-memory", "captures/0.19.0-killed", "captures/0.19.0-telegram", "tests/constructed/cells"],
)
def test_lines_that_are_read_in_again_unchanged_give_the_same_records(capture: str) -> None:
    """Otherwise every edit would count as a change."""
    descriptor = load()
    claims = load_claims(descriptor)
    (found,) = find([str(ROOT / capture)], descriptor)
    trials: list[Trial] = []
    nothing = lines("drop-line", table="nowhere")
    whole = claim("test.whole", "SELECT 1 AS unit, 1 AS line, 1 AS at, 1 AS expected, 1 AS found WHERE 0")
    on_bench(found, descriptor, claims, Options(BuiltIn()), lambda bench, _: trials.append(bench.trial(whole, nothing)))
    assert trials == [Trial(False)]
