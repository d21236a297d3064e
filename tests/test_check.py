"""The main job: captures are replayed, judged and summed up, and nothing of them is touched."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run

CAPTURES = Path(__file__).parent.parent / "captures"
NAMES = sorted(path.name for path in CAPTURES.iterdir())
CONVERTED = {
    "messages", "sessions", "session_model_usage", "system_prompts", "delivery_obligations", "async_delegations",
    "gateway_routing", "telegram_dm_topic_mode", "telegram_dm_topic_bindings", "conversation_generations",
}  # fmt: skip
CONTEXT = {
    "state_meta", "schema_version", "sqlite_sequence", "compression_locks", "session_turn_leases",
    "gateway_hygiene_state", "gateway_heartbeats",
}  # fmt: skip


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    result = run("check", str(CAPTURES), "--json")
    assert result.code == 0
    return dict(json.loads(result.out))


def rows_of(capture: Path, private: Path) -> dict[str, int]:
    """Count the rows of every table of a capture's store with sqlite3 alone, on a copy."""
    shutil.copytree(capture / "home", private)
    store = sqlite3.connect(private / "state.db")
    names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    counts = {
        name: store.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        for name in names
        if not name.startswith("messages_fts")
    }
    store.close()
    return counts


def test_there_are_52_captures() -> None:
    assert len(NAMES) == 52


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_every_capture_is_in_the_sums(name: str, report: dict[str, Any], tmp_path: Path) -> None:
    entry = next(entry for entry in report["captures"] if entry["capture"] == name)
    rows = rows_of(CAPTURES / name, tmp_path / "home")
    assert set(rows) <= CONVERTED | CONTEXT
    converted = sum(count for table, count in rows.items() if table in CONVERTED)
    context = sum(count for table, count in rows.items() if table in CONTEXT)
    assert entry["verdict"] == "conforms"
    assert entry["conservation"]["native"] >= converted + context
    store = next(source for source in entry["sources"] if source["path"] == "state.db")
    sums = store.get("conservation", entry["conservation"])
    assert sums == {
        "native": converted + context,
        "records": converted,
        "excluded": context,
        "lost": 0,
        "duplicated": 0,
        "unreadable": 0,
    }


def test_the_documented_example_has_the_documented_numbers(report: dict[str, Any]) -> None:
    entry = next(entry for entry in report["captures"] if entry["capture"] == "0.19.0-edit-review")
    assert entry["conservation"] == {
        "native": 20, "records": 16, "excluded": 4, "lost": 0, "duplicated": 0, "unreadable": 0,
    }  # fmt: skip
    assert entry["counts"] == {
        "streams": 1, "records": 16, "errors": 0, "notices": 0, "gaps": 0, "unidentifiedSources": 0,
    }  # fmt: skip


def test_a_store_that_exists_only_in_its_log_gives_all_its_rows(report: dict[str, Any]) -> None:
    assert (CAPTURES / "0.19.0-killed/home/state.db").stat().st_size == 4096
    entry = next(entry for entry in report["captures"] if entry["capture"] == "0.19.0-killed")
    assert entry["conservation"]["records"] == 6


def test_the_report_holds_to_its_schema(report: dict[str, Any]) -> None:
    from validator.schemas import errors

    assert errors("report", report) == []


def test_the_totals_are_the_sums_of_the_captures(report: dict[str, Any]) -> None:
    for name, total in report["totals"].items():
        if name != "captures":
            assert total == sum(entry["counts"][name] for entry in report["captures"])


def state(folder: Path) -> dict[str, tuple[int, str]]:
    """Every name below a folder with its mtime and content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_a_check_leaves_every_byte_name_and_mtime_as_it_was(tmp_path: Path) -> None:
    captures = tmp_path / "captures"
    shutil.copytree(CAPTURES, captures)
    before = state(tmp_path)
    assert run("check", str(captures)).code == 0
    assert state(tmp_path) == before


def test_a_bare_store_and_a_live_home_are_left_as_they_were(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(CAPTURES / "0.19.0-killed/home", home)
    before = state(tmp_path)
    assert run("check", str(home), "--namespace", "ns").code == 0
    assert run("check", str(home / "state.db"), "--namespace", "ns").code == 0
    assert state(tmp_path) == before


def surroundings(tmp_path: Path) -> list[tuple[dict[str, str], Path]]:
    captures = CAPTURES.parent
    return [
        ({"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}, captures),
        ({"PYTHONHASHSEED": "4242", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"}, tmp_path),
        ({"PYTHONHASHSEED": "random", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "0"}, tmp_path),
        ({"PYTHONHASHSEED": "1", "PYTHONIOENCODING": "cp1252", "LANG": "C"}, captures),
    ]


def test_the_same_captures_give_the_same_bytes_wherever_and_whenever(tmp_path: Path) -> None:
    package = Path(__file__).parent.parent
    outputs = []
    for variables, directory in surroundings(tmp_path):
        outputs.append(
            subprocess.run(
                [sys.executable, "-m", "validator", "check", str(CAPTURES), "--json"],
                cwd=directory,
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(package), **variables},
                capture_output=True,
                check=True,
            ).stdout
        )
    assert len(set(outputs)) == 1


def altered(tmp_path: Path, sql: str) -> Path:
    """Copy a capture, change its store, and bring the manifest in line with it."""
    capture = tmp_path / "0.19.0-edit-review"
    shutil.copytree(CAPTURES / capture.name, capture)
    store = sqlite3.connect(capture / "home/state.db")
    store.execute(sql)
    store.commit()
    store.close()
    manifest = json.loads((capture / "capture.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        content = (capture / entry["path"]).read_bytes()
        entry["bytes"], entry["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    (capture / "capture.json").write_text(json.dumps(manifest), encoding="utf-8")
    return capture


@pytest.mark.parametrize(
    ("sql", "records", "streams"),
    [
        ("DELETE FROM messages WHERE id = 3", 15, 1),
        ("UPDATE messages SET session_id = 'another' WHERE id = 3", 16, 2),
    ],
)
def test_one_altered_row_changes_the_observation(tmp_path: Path, sql: str, records: int, streams: int) -> None:
    unaltered = json.loads(run("observe", str(CAPTURES / "0.19.0-edit-review")).out)
    observation = json.loads(run("observe", str(altered(tmp_path, sql))).out)
    assert observation != unaltered
    assert (observation["validation"]["records"], observation["validation"]["streams"]) == (records, streams)


def test_native_units_are_counted_without_any_record() -> None:
    from validator.check import check
    from validator.replay import Options
    from validator.replay.converters import ConverterFailed

    class Mute:
        def lines(self, request: Any, folder: Path) -> Any:
            yield from ()
            raise ConverterFailed("it says nothing")

    report = check([str(CAPTURES / "0.19.0-edit-review")], None, Options(Mute()))
    assert report["exit"] == 4
    assert report["captures"][0]["conservation"] == {
        "native": 20, "records": 0, "excluded": 4, "lost": 16, "duplicated": 0, "unreadable": 0,
    }  # fmt: skip


def test_without_a_target_the_shipped_captures_are_checked(report: dict[str, Any]) -> None:
    assert json.loads(run("check", "--json").out) == report


def test_committed_observations_are_what_a_fresh_replay_gives(tmp_path: Path) -> None:
    committed = CAPTURES.parent / "reports/observations"
    assert run("observe", str(CAPTURES), "--by-version", str(tmp_path)).code == 0
    fresh = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert fresh == {path.name: path.read_bytes() for path in committed.iterdir()}
    assert len(fresh) == 12


def test_an_observation_has_the_fields_of_the_example_in_its_order() -> None:
    observation = json.loads(run("observe", str(CAPTURES / "0.19.0-edit-review")).out)
    assert list(observation) == [
        "label", "version", "date", "scope", "limitations", "validation", "validator", "converter", "revision",
    ]  # fmt: skip
    assert list(observation["validation"]) == [
        "streams", "records", "errors", "notices", "gaps", "unidentifiedSources",
    ]  # fmt: skip


def test_captures_of_two_versions_make_no_observation() -> None:
    result = run("observe", str(CAPTURES / "0.19.0-branch"), str(CAPTURES / "0.18.0-branch"))
    assert result.code == 2
    assert "differ in version" in result.err
