"""A check of every special store ends as its contents demand: what can be read is a record, what cannot is a gap."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.stores import NEWER, Contents, formats
from tests.stores.special import makers
from validator.cli import cli

CONTEXT = {
    "state_meta",
    "schema_version",
    "sqlite_sequence",
    "compression_locks",
    "session_turn_leases",
    "gateway_hygiene_state",
    "gateway_heartbeats",
    "runtime_epoch",
}
EVERY = makers()
# SQLite opens none of these, or (the folder) it is no file.
UNREADABLE = {
    "all_nul",
    "broken_schema",
    "directory",
    "empty_file",
    "newer_file_format",
    "plain_text",
    "png",
    "random_bytes",
    "truncated",
    "truncated_in_page_one",
}
READABLE = sorted(EVERY.keys() - UNREADABLE)
# No SQL statement can name the table, so that nobody knows what it holds: one gap of an unknown number of units.
UNNAMEABLE = {"undecodable_table_name"}
# What the catalogue says of each store; of those that are not named, nothing.
NOTICES = {
    "broken_full_text": {"derived-damaged": 1},
    "every_table": {"orphan-session": 1},
    "empty_unknown_table": {"unknown-table": 1},
    "garbage_log": {"stale-wal": 1},
    "generated_columns": {"unknown-column": 1, "unknown-table": 1},
    "messages_is_a_view": {"unknown-table": 1},
    "only_uncommitted_frames": {"uncommitted-frames": 1},
    "rewritten_uncommitted_frames": {"uncommitted-frames": 1},
    "pointers_that_are_no_text": {"result-without-call": 1, "unknown-role": 1},
    "rowid_names_taken": {"unknown-table": 1},
    "shadow_by_name_only": {"unknown-table": 2},
    "stale_log": {"stale-wal": 1},
    "strange_names": {"unknown-table": 2},
    "torn_log": {"uncommitted-frames": 1},
    "twin_keys": {"not-utf8": 2},
    "uncommitted_frames": {"uncommitted-frames": 1},
    "undecodable_table_name": {"unknown-table": 1},
    "unknown_column": {"unknown-column": 2},
    "unknown_table": {"unknown-table": 1},
    "utf_16_big": {"not-utf8": 1},
    "utf_16_little": {"not-utf8": 1},
    "views": {"derived-damaged": 1},
    "without_primary_key": {"unknown-table": 1},
    "without_rowid": {"unknown-table": 1},
}


@dataclass(frozen=True)
class Checked:
    """What stands in a store, and what a check said of it."""

    contents: Contents
    exit: int
    output: str

    @property
    def capture(self) -> Any:
        """The report's entry of the store."""
        (capture,) = json.loads(self.output)["captures"]
        return capture


@cache
def checked(name: str) -> Checked:
    """The check of a special store, run once for all tests."""
    with tempfile.TemporaryDirectory() as folder:
        contents = EVERY[name](Path(folder, "state.db"))
        result = CliRunner().invoke(cli, ["check", str(contents.path), "--json", "--namespace", "n"])
        return Checked(contents, result.exit_code, result.output)


def units(contents: Contents, *, context: bool) -> int:
    """The rows of the tables that are context, or of those that are not."""
    return sum(n for table, n in contents.counts.items() if (table in CONTEXT) == context)


def runs(rowids: Iterable[int]) -> int:
    """How many runs of neighbours there are, where rowids have no holes of their own."""
    known = set(rowids)
    return sum(1 for n in known if n - 1 not in known)


@pytest.mark.parametrize("name", READABLE)
def test_every_row_that_can_be_read_is_a_record_or_excluded(name: str) -> None:
    run = checked(name)
    sums = run.capture["conservation"]
    expected = {"records": units(run.contents, context=False), "excluded": units(run.contents, context=True)}
    assert {part: sums[part] for part in expected} == expected
    assert (sums["lost"], sums["duplicated"]) == (0, 0)


@pytest.mark.parametrize("name", READABLE)
def test_every_row_that_cannot_be_read_is_in_a_gap(name: str) -> None:
    run = checked(name)
    lost = run.contents.lost.get("messages", ())
    assert run.capture["conservation"]["unreadable"] == len(lost)
    assert run.capture["counts"]["gaps"] == runs(lost) + (name in UNNAMEABLE)


@pytest.mark.parametrize("name", READABLE)
def test_the_verdict_follows_from_the_contents(name: str) -> None:
    run = checked(name)
    if run.contents.lost or name in UNNAMEABLE:
        expected = ("capture unusable", 3)
    elif not units(run.contents, context=False):
        expected = ("not checked", 3)
    else:
        expected = ("conforms", 0)
    assert (run.capture["verdict"], run.exit) == expected
    assert run.capture["counts"]["errors"] == 0


@pytest.mark.parametrize("name", READABLE)
def test_the_notices_are_those_of_the_catalogue(name: str) -> None:
    found = Counter(notice["code"] for notice in checked(name).capture["notices"])
    assert found == NOTICES.get(name, {})


@pytest.mark.parametrize("schema", [*range(11, 33), NEWER])
def test_a_store_of_any_schema_conforms_with_a_row_in_every_table(tmp_path: Path, schema: int) -> None:
    contents = formats.every_table(tmp_path / "state.db", schema)
    result = CliRunner().invoke(cli, ["check", str(contents.path), "--json", "--namespace", "n"])
    (entry,) = json.loads(result.stdout)["captures"]
    sums = {part: entry["conservation"][part] for part in ("records", "excluded", "lost", "unreadable")}
    expected = {"records": units(contents, context=False), "excluded": units(contents, context=True)}
    assert sums == {**expected, "lost": 0, "unreadable": 0}
    assert (entry["verdict"], result.exit_code) == ("conforms", 0)
    codes = {notice["code"] for notice in entry["notices"]}
    assert not codes & {"unknown-table", "unknown-column"}


@pytest.mark.parametrize("name", sorted(UNREADABLE - {"directory"}))
def test_a_file_that_cannot_be_read_makes_the_capture_unusable(name: str) -> None:
    run = checked(name)
    assert (run.capture["verdict"], run.exit) == ("capture unusable", 3)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_no_store_ends_in_a_traceback(name: str) -> None:
    run = checked(name)
    assert "Traceback" not in run.output
    assert run.exit in (0, 2, 3)
