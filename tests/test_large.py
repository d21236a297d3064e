"""Large stores are judged in several processes, on disk; the report is the same."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.grow import grow
from tests.claims.descriptors import ROLE, descriptor_with
from tests.commandline import run
from tests.stores import damage
from tests.test_check import CAPTURES
from tests.test_fakes import FAKES, processes_that_mention
from validator import workbench
from validator.capture import CaptureError
from validator.census import StoreError
from validator.claims import NoticeRule
from validator.claims.native import Request as NativeRequest
from validator.converter import Request
from validator.descriptor import load
from validator.replay import witnesses
from validator.replay.apart import BuiltInApart, NativeApart
from validator.replay.converters import BuiltIn, ConverterFailed
from validator.stream.lines import cut
from validator.stream.protocol import ProtocolError
from validator.workbench import NATIVE, create


@pytest.mark.parametrize("name", ["0.13.0-undo", "0.19.0-killed", "0.19.0-telegram", "iot-0.22.2.post1-api"])
def test_several_processes_give_the_report_of_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn = run("check", str(CAPTURES / name), "--json")
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    apart = run("check", str(CAPTURES / name), "--json")
    assert in_turn.code == 0
    assert apart == in_turn


@pytest.mark.parametrize(
    "fake", ["drops_every_tenth", "drops_everything", "repeats_one", "writes_backwards", "renumbers", "crashes_midway"]
)
def test_records_find_their_units_whatever_a_converter_does_to_their_order(
    fake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["check", str(CAPTURES / "0.19.0-edit-review"), "--json"]
    words += ["--converter", f"{sys.executable} {FAKES / fake}.py"]
    in_turn = run(*words)
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    assert run(*words) == in_turn
    assert in_turn.code != 0


def test_units_that_share_a_key_are_told_apart_by_their_content_either_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db")) as store, store:
        store.execute("CREATE TABLE sessions (id TEXT, source TEXT)")
        store.executemany("INSERT INTO sessions VALUES ('s', ?)", [("cli",), ("acp",), ("api",)])
    converter = tmp_path / "turned.py"
    converter.write_text(TURNED, encoding="utf-8")
    words = ["check", str(tmp_path / "state.db"), "--namespace", "n", "--json"]
    honest = run(*words)
    words += ["--converter", f"{sys.executable} {converter}"]
    in_turn = run(*words)
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    assert run(*words) == in_turn
    of_content = [found for found in json.loads(in_turn.out)["captures"][0]["findings"] if "native" in found["claim"]]
    assert honest.code == 0
    assert of_content == []


def test_a_damaged_store_gives_the_same_report_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damage.zeroed_leaf(tmp_path / "state.db")
    in_turn = run("check", str(tmp_path / "state.db"), "--namespace", "n", "--json")
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    assert run("check", str(tmp_path / "state.db"), "--namespace", "n", "--json") == in_turn
    assert json.loads(in_turn.out)["exit"] == 3


TURNED = f"""
import subprocess, sys
words = [sys.executable, "-m", "validator.converter", *sys.argv[1:]]
lines = subprocess.run(words, cwd={str(CAPTURES.parent)!r}, stdout=subprocess.PIPE, check=True).stdout.splitlines(True)
at = [place for place, line in enumerate(lines) if line.startswith(b'{{"line":"record"')]
for place, line in zip(at, [lines[place] for place in reversed(at)]):
    lines[place] = line
sys.stdout.buffer.writelines(lines)
"""
"""The built-in converter, with its records in the opposite order."""

SLIP = """
[[notice]]
code = "unknown-role"
select = "SELECT slip AS run, 2 AS source, 3 AS tab, 4 AS key, 5 AS unit, 6 AS col, 7 AS detail FROM native_unit"
"""


def test_a_notice_rule_that_fails_is_wrong_configuration_either_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    descriptor = Path(descriptor_with(tmp_path, role=ROLE))
    (descriptor / "notices.toml").write_text(SLIP, encoding="utf-8")
    words = ["check", str(CAPTURES / "0.13.0-undo"), "--descriptor", str(descriptor)]
    in_turn = run(*words)
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    assert run(*words) == in_turn
    assert in_turn.code == 2
    assert "notices.toml: the SQL of unknown-role fails: no such column: slip; mend the query" in in_turn.err


@pytest.mark.parametrize(("content", "reason"), [(b"\x00" * 4096, "NUL bytes"), (None, "No such file")])
def test_a_store_that_the_census_cannot_read_any_more_is_unreadable(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    store, bench = tmp_path / "state.db", create(None, ())
    if content is not None:
        store.write_bytes(content)
    shape = load().shape("hermes-state-sqlite")
    create(tmp_path / "native.db", [shape], parts=(NATIVE,)).close()
    request = NativeRequest(shape, store, tmp_path / "native.db", tmp_path / "noted.db", 1, 1, None, (), ())
    native = NativeApart(request)
    with pytest.raises(StoreError, match=f"^the census failed: [^/]*{reason}[^/]*$"):
        native.attach(bench)
    native.close()
    bench.close()


def test_a_native_side_that_dies_while_it_is_asked_makes_the_capture_unusable(tmp_path: Path) -> None:
    shutil.copy(CAPTURES / "0.19.0-edit-review" / "home" / "state.db", tmp_path / "state.db")
    shape, bench = load().shape("hermes-state-sqlite"), create(None, ())
    create(tmp_path / "native.db", [shape], parts=(NATIVE,)).close()
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    rule = NoticeRule("unknown-role", endless, "notices.toml")
    places = (tmp_path / "state.db", tmp_path / "native.db", tmp_path / "noted.db")
    native = NativeApart(NativeRequest(shape, *places, 1, 1, None, (rule,), ()))
    native.attach(bench)
    native.process.kill()
    with pytest.raises(CaptureError, match=r"^the census failed: it ended without a word$"):
        native.answers(bench)
    native.close()
    bench.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_large_check_that_is_ended_leaves_no_process_behind(tmp_path: Path, number: signal.Signals) -> None:
    grow(tmp_path / "state.db", 40_000, 200)
    private = tmp_path / "private"
    private.mkdir()
    words = [sys.executable, "-m", "validator", "check", str(tmp_path / "state.db"), "--namespace", "n"]
    check = subprocess.Popen(words, cwd=CAPTURES.parent, env={**os.environ, "TMPDIR": str(private)})
    wanted = time.monotonic() + 60
    while not processes_that_mention(str(private / "validator-")) or not list(private.glob("*/run-1/stream.jsonl")):
        assert check.poll() is None and time.monotonic() < wanted
        time.sleep(0.02)
    check.send_signal(number)
    assert check.wait(30) == (143 if number == signal.SIGTERM else -number)
    while processes_that_mention(str(private)):
        assert time.monotonic() < wanted
        time.sleep(0.02)
    if number == signal.SIGTERM:
        assert list(private.iterdir()) == []


def test_a_built_in_converter_that_fails_says_the_same_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no store")
    request = Request("hermes-state-sqlite", tmp_path / "state.db", "sha256:0", "n")
    reasons = []
    for converter in (BuiltIn(), BuiltInApart()):
        lines = converter.lines(request, tmp_path)
        with pytest.raises(ConverterFailed) as failed:
            list(lines)
        lines.close()
        reasons.append(str(failed.value))
    assert reasons == ["state.db is not a SQLite database"] * 2


def test_a_built_in_converter_whose_lines_are_no_more_wanted_ends(tmp_path: Path) -> None:
    store = CAPTURES / "0.19.0-edit-review" / "home" / "state.db"
    (tmp_path / "state.db").write_bytes(store.read_bytes())
    lines = BuiltInApart().lines(Request("hermes-state-sqlite", tmp_path / "state.db", "sha256:0", "n"), tmp_path)
    assert next(iter(lines)).startswith(b'{"line":"begin"')
    lines.close()
    assert lines.ended


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_lines_are_cut_wherever_the_pieces_end(size: int) -> None:
    text = b"a\nbcd\r\n\n\x85efgh\nrest"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    found = cut(pieces, 6)
    lines = []
    while True:
        try:
            lines.append(next(found))
        except StopIteration as end:
            assert end.value == (4, b"rest")
            break
    assert lines == [b"a\n", b"bcd\r\n", b"\n", b"\x85efgh\n"]


@pytest.mark.parametrize("pieces", [[b"a\n123456\n"], [b"a\n123", b"456"]])
def test_a_line_that_is_too_long_is_named(pieces: list[bytes]) -> None:
    with pytest.raises(ProtocolError, match=r"^line 2: longer than 5 bytes$"):
        list(cut(pieces, 5))


def test_a_full_disk_is_said_and_is_no_fault_of_the_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = workbench.opened

    def scant(path: Path | None, *, rollback: bool = False) -> sqlite3.Connection:
        bench = opened(path, rollback=rollback)
        bench.execute("PRAGMA max_page_count = 25")
        return bench

    monkeypatch.setattr(workbench, "opened", scant)
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    done = run("check", str(CAPTURES / "0.19.0-edit-review"))
    assert done.code == 3
    assert "the workbench cannot be written: database or disk is full; free some disk space, or set TMPDIR" in done.out
