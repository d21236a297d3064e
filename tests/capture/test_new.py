"""Captures are made of live files in one committed state, keep a namespace, and hold no more than they must."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from tests.stores import build
from validator.schemas import errors

CAPTURES = Path(__file__).parents[2] / "captures"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of 0.19.0 with a gateway's files, and with a secret."""
    shutil.copytree(CAPTURES / "0.19.0-telegram" / "home", tmp_path / "home")
    (tmp_path / "home" / ".env").write_text("TOKEN=secret\n", encoding="utf-8")
    return tmp_path / "home"


def manifest(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "capture.json").read_text(encoding="utf-8"))
    assert list(errors("capture", document)) == []
    found: dict[str, Any] = document
    return found


def test_a_capture_of_a_home_is_whole_and_conforms(home: Path, tmp_path: Path) -> None:
    assert run("capture", "new", str(home), str(tmp_path / "made"), "--version", "0.19.0").code == 0
    assert run("capture", "verify", str(tmp_path / "made")).out == "made: whole\n"
    assert run("check", str(tmp_path / "made")).code == 0


def test_only_described_files_are_taken_and_the_rest_is_listed(home: Path, tmp_path: Path) -> None:
    run("capture", "new", str(home), str(tmp_path / "made"))
    made = manifest(tmp_path / "made")
    assert {".env", "config.yaml", "SOUL.md", "cron/executions.db"} <= set(made["omitted"])
    listed = {entry["path"].removeprefix("home/") for entry in made["files"]}
    assert "state.db" in listed
    assert not listed & set(made["omitted"])
    before = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert listed | set(made["omitted"]) == before


def test_a_file_is_taken_or_left_out_on_request(home: Path, tmp_path: Path) -> None:
    more = ("--include", "cron/*.db", "--exclude", "sessions/**")
    run("capture", "new", str(home), str(tmp_path / "made"), *more)
    assert "home/cron/executions.db" in [entry["path"] for entry in manifest(tmp_path / "made")["files"]]
    assert "sessions/sessions.json" in manifest(tmp_path / "made")["omitted"]


def test_a_store_without_a_namespace_gets_a_new_one_each_time(home: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run("capture", "new", str(home), str(tmp_path / name))
    assert manifest(tmp_path / "a")["installation"] != manifest(tmp_path / "b")["installation"]


def test_a_namespace_goes_on_from_a_value_or_from_a_capture(home: Path, tmp_path: Path) -> None:
    run("capture", "new", str(home), str(tmp_path / "a"), "--installation", "mine")
    run("capture", "new", str(home), str(tmp_path / "b"), "--continues", str(tmp_path / "a"))
    assert [manifest(tmp_path / name)["installation"] for name in "ab"] == ["mine", "mine"]


def test_a_store_with_a_namespace_of_its_own_keeps_it(tmp_path: Path) -> None:
    store = CAPTURES / "iot-0.22.2.post1-branch" / "home"
    run("capture", "new", str(store), str(tmp_path / "made"))
    assert "installation" not in manifest(tmp_path / "made")
    done = run("capture", "new", str(store), str(tmp_path / "other"), "--installation", "mine")
    assert done.code == 2
    assert "conflicts with the store's own namespace" in done.err
    assert not (tmp_path / "other").exists()


def test_a_bare_store_of_another_name_gets_the_name_of_its_format(tmp_path: Path) -> None:
    build(tmp_path / "old.sqlite", 31)
    run("capture", "new", str(tmp_path / "old.sqlite"), str(tmp_path / "made"))
    assert [entry["path"] for entry in manifest(tmp_path / "made")["files"]] == ["home/state.db"]


def test_the_manifest_says_what_it_is_told(home: Path, tmp_path: Path) -> None:
    told = {
        "--package": "hermes-agent",
        "--version": "0.19.0",
        "--revision": "abc",
        "--date": "2026-01-02",
        "--by": "driver",
        "--scenario": "text",
        "--about": "one prompt",
        "--through": "hermes CLI",
        "--scope": "All.",
        "--limitations": "None.",
    }
    run("capture", "new", str(home), str(tmp_path / "made"), *(word for pair in told.items() for word in pair))
    made = manifest(tmp_path / "made")
    assert [made[name] for name in ("package", "version", "revision", "date", "scope", "limitations")] == [
        "hermes-agent", "0.19.0", "abc", "2026-01-02", "All.", "None.",
    ]  # fmt: skip
    assert [made["made"][name] for name in ("by", "scenario", "about", "through")] == [
        "driver", "text", "one prompt", "hermes CLI",
    ]  # fmt: skip


def _write(path: Path, started: Any, stop: Any) -> None:
    """Write pairs of rows, one transaction a pair, some two hundred a second: more than any agent does."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 50")
        number = 0
        while not stop.is_set():
            connection.execute("BEGIN IMMEDIATE")
            for half in ("first", "second"):
                connection.execute("INSERT INTO state_meta VALUES (?, ?)", (f"{number}-{half}", "x" * 500))
            connection.execute("COMMIT")
            number += 1
            if number == 200:
                started.set()
            if number > 200:
                time.sleep(0.005)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_store_that_is_being_written_is_captured_between_two_transactions(tmp_path: Path, mode: str) -> None:
    live = tmp_path / "live"
    live.mkdir()
    build(live / "state.db", 31)
    with closing(sqlite3.connect(live / "state.db")) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
    context = multiprocessing.get_context("spawn")
    started, stop = context.Event(), context.Event()
    writer = context.Process(target=_write, args=(live / "state.db", started, stop))
    writer.start()
    try:
        assert started.wait(60)
        done = run("capture", "new", str(live), str(tmp_path / "made"))
    finally:
        stop.set()
        writer.join(30)
    # A store that never rests cannot be copied in the rollback mode; saying so is right as well.
    if mode == "DELETE" and done.code == 3:
        assert "being written all the time" in done.err
        return
    assert done.code == 0, done.err
    shutil.copytree(tmp_path / "made" / "home", tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "state.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute(
            "SELECT count(*), sum(key LIKE '%-first') FROM state_meta WHERE key LIKE '%-%'"
        ).fetchone()
    assert rows[0] == 2 * rows[1] >= 400


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{capture}", "{new}"], 2, "a capture, or a folder of captures; name a live store or home"),
        (["nowhere", "{new}"], 2, "no such file or folder"),
        (["{home}", "{home}/inside"], 2, "inside what is to be captured"),
        (["{home}", "{home}"], 2, "inside what is to be captured"),
        (["{home}", "{full}"], 3, "full is there already"),
        (["{home}", "{new}", "--date", "2026-13-01"], 2, "is no date; write YYYY-MM-DD"),
        (["{home}", "{new}", "--continues", "{home}"], 3, "capture.json cannot be read"),
        (["{home}", "{new}", "--exclude", "**"], 2, "holds no file that the descriptor's formats describe"),
        (["{home}", "{new}", "--version", ""], 3, "the manifest would be wrong at /version"),
        (["{home}", "{new}", "--exclude", "**", "--include", "x"], 2, "holds no file"),
    ],
)
def test_a_wrong_request_is_said_in_one_line_and_leaves_nothing(
    home: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    places = {"capture": CAPTURES / "0.19.0-text", "home": home, "new": tmp_path / "new", "full": tmp_path / "full"}
    before = sorted(tmp_path.rglob("*"))
    done = run("capture", "new", *(argument.format(**places) for argument in arguments))
    assert (done.code, message in done.err, done.err.count("\n")) == (code, True, 1), done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_capture_is_not_whole(tmp_path: Path) -> None:
    shutil.copytree(CAPTURES / "0.19.0-text", tmp_path / "text")
    (tmp_path / "text" / "home" / "extra").touch()
    done = run("capture", "verify", str(CAPTURES / "0.19.0-branch"), str(tmp_path / "text"), "--json")
    document = json.loads(done.out)
    assert list(errors("verification", document)) == []
    assert (done.code, document["whole"], [c["whole"] for c in document["captures"]]) == (3, False, [True, False])
    assert "home/extra is not in the manifest" in document["captures"][1]["problem"]


def test_a_home_is_no_capture_to_verify(home: Path) -> None:
    done = run("capture", "verify", str(home))
    assert (done.code, "not a capture (no capture.json)" in done.err) == (2, True)
