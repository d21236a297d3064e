"""Bad input: each has its verdict and exit code, and one line that names the file and the remedy."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commandline import run
from tests.test_check import CAPTURES, state

GOOD = CAPTURES / "0.19.0-edit-review"


def copied(folder: Path) -> Path:
    shutil.copytree(GOOD, folder / "capture")
    return folder / "capture"


def empty_folder(folder: Path) -> Path:
    (folder / "nothing").mkdir()
    return folder / "nothing"


def store_of(content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "state.db").write_bytes(content)
        return folder / "state.db"

    return make


def changed_byte(folder: Path) -> Path:
    capture = copied(folder)
    content = bytearray((capture / "home/state.db").read_bytes())
    content[-1] ^= 1
    (capture / "home/state.db").write_bytes(content)
    return capture


def missing_file(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "home/config.yaml").unlink()
    return capture


def extra_file(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "home/extra.txt").write_text("x", encoding="utf-8")
    return capture


def extra_file_beside_the_root(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "notes.txt").write_text("x", encoding="utf-8")
    return capture


def link_in_place_of_a_file(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "home/state.db").rename(folder / "elsewhere.db")
    (capture / "home/state.db").symlink_to(folder / "elsewhere.db")
    return capture


def link_in_place_of_the_root(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "home").rename(folder / "elsewhere")
    (capture / "home").symlink_to(folder / "elsewhere")
    return capture


def with_manifest(change: Callable[[dict[str, object]], None]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        capture = copied(folder)
        manifest = json.loads((capture / "capture.json").read_text(encoding="utf-8"))
        change(manifest)
        (capture / "capture.json").write_text(json.dumps(manifest), encoding="utf-8")
        return capture

    return make


def leads_out(manifest: dict[str, object]) -> None:
    manifest["files"][0]["path"] = "home/../../outside"  # type: ignore[index]


def lists_twice(manifest: dict[str, object]) -> None:
    manifest["files"] = [*manifest["files"], manifest["files"][0]]  # type: ignore[misc, index]


def without_date(manifest: dict[str, object]) -> None:
    del manifest["date"]


def broken_manifest(folder: Path) -> Path:
    capture = copied(folder)
    (capture / "capture.json").write_text("{", encoding="utf-8")
    return capture


def other_tables(folder: Path) -> Path:
    store = sqlite3.connect(folder / "state.db")
    store.execute("CREATE TABLE bookmarks (url TEXT)")
    store.execute("INSERT INTO bookmarks VALUES ('x')")
    store.commit()
    store.close()
    return folder / "state.db"


def no_tables(folder: Path) -> Path:
    store = sqlite3.connect(folder / "state.db")
    store.execute("CREATE TABLE t (x)")
    store.execute("DROP TABLE t")
    store.commit()
    store.close()
    return folder / "state.db"


def text_file(folder: Path) -> Path:
    (folder / "notes.md").write_text("# notes", encoding="utf-8")
    return folder / "notes.md"


REAL = (GOOD / "home/state.db").read_bytes()

CASES: list[tuple[Callable[[Path], Path], int, str, str]] = [
    (lambda folder: folder / "nowhere", 2, "", "no such file or folder; name a capture"),
    (empty_folder, 3, "capture unusable", "neither a capture"),
    (store_of(b""), 3, "capture unusable", "state.db: 0 bytes"),
    (store_of(bytes(8192)), 3, "capture unusable", "state.db: begins with NUL bytes only"),
    (store_of(REAL[:50_000]), 3, "capture unusable", "state.db: SQLite cannot read it"),
    (store_of(REAL[:60]), 3, "capture unusable", "state.db: truncated: 60 bytes"),
    (store_of(b"\x89PNG\r\n\x1a\n" + bytes(200)), 3, "capture unusable", "state.db: not an SQLite database"),
    (other_tables, 3, "not checked", "state.db: has none of the tables of hermes-state-sqlite"),
    (no_tables, 3, "not checked", "state.db: has none of the tables of hermes-state-sqlite"),
    (text_file, 3, "capture unusable", "not a store that the descriptor knows"),
    (changed_byte, 3, "capture unusable", "home/state.db does not have the SHA-256 of the manifest"),
    (missing_file, 3, "capture unusable", "home/config.yaml is listed in the manifest and missing"),
    (extra_file, 3, "capture unusable", "home/extra.txt is not in the manifest"),
    (extra_file_beside_the_root, 3, "capture unusable", "notes.txt is not in the manifest"),
    (link_in_place_of_a_file, 3, "capture unusable", "home/state.db is or leads through a symbolic link"),
    (link_in_place_of_the_root, 3, "capture unusable", "leads through a symbolic link"),
    (with_manifest(leads_out), 3, "capture unusable", "capture.json"),
    (with_manifest(lists_twice), 3, "capture unusable", "lists a file twice"),
    (with_manifest(without_date), 3, "capture unusable", "capture.json"),
    (broken_manifest, 3, "capture unusable", "capture.json is not JSON"),
]


@pytest.mark.parametrize(("make", "code", "verdict", "message"), CASES)
def test_bad_input_gets_its_verdict_and_a_line_with_the_remedy(
    make: Callable[[Path], Path], code: int, verdict: str, message: str, tmp_path: Path
) -> None:
    target = make(tmp_path)
    before = state(tmp_path)
    result = (
        run("check", str(target), "--namespace", "ns")
        if not (target / "capture.json").exists()
        else run("check", str(target))
    )
    assert result.code == code
    told = result.out + result.err
    line = next(line for line in told.splitlines() if message in line)
    assert ";" in line or ":" in line
    assert "Traceback" not in told
    assert state(tmp_path) == before
    if verdict:
        as_json = run("check", str(target), "--json", *(["--namespace", "ns"] if "capture.json" not in message else []))
        if as_json.code == code:
            assert json.loads(as_json.out)["verdict"] == verdict
            assert str(tmp_path) not in as_json.out


def test_a_store_without_a_namespace_needs_one(tmp_path: Path) -> None:
    shutil.copy(GOOD / "home/state.db", tmp_path / "state.db")
    result = run("check", str(tmp_path / "state.db"))
    assert result.code == 2
    assert "state.db holds no namespace of its own" in result.err
    assert "--namespace" in result.err
    assert run("check", str(tmp_path / "state.db"), "--namespace", "ns").code == 0


def test_a_store_with_a_namespace_of_its_own_needs_none(tmp_path: Path) -> None:
    shutil.copy(CAPTURES / "iot-0.22.2.post1-branch/home/state.db", tmp_path / "state.db")
    assert run("check", str(tmp_path / "state.db")).code == 0


def test_a_namespace_that_conflicts_is_refused() -> None:
    result = run("check", str(GOOD), "--namespace", "another")
    assert result.code == 2
    assert "conflicts with the capture's namespace" in result.err


def test_two_targets_give_the_gravest_exit_code(tmp_path: Path) -> None:
    bad = empty_folder(tmp_path)
    report = json.loads(run("check", str(GOOD), str(bad), "--json").out)
    assert [entry["verdict"] for entry in report["captures"]] == ["conforms", "capture unusable"]
    assert (report["verdict"], report["exit"]) == ("capture unusable", 3)


def test_a_misspelled_verb_gets_a_suggestion() -> None:
    result = run("chekc")
    assert result.code == 2
    assert "did you mean 'check'" in result.err
