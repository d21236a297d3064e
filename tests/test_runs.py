"""How a check runs, whatever its target: beside a writer, under a lock, under any code page, and when it is ended."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from tests.stores import build, damage
from tests.stores.construct import Rows

ROOT = Path(__file__).parents[1]
ROWS: Rows = {
    "sessions": [{"id": "s"}],
    "messages": [{"session_id": "s", "content": "naïve 漢字 \U0001f600 ✓"}],
}


def command(*arguments: str | Path) -> list[str]:
    """A check of a bare store as a process of its own."""
    return [sys.executable, "-m", "validator", "check", *map(str, arguments), "--namespace", "n", "--json"]


def check(store: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a check to its end."""
    env = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(command(store), cwd=ROOT, env=env, capture_output=True, timeout=60, check=False)


def test_a_store_that_another_process_has_locked_is_judged_all_the_same(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", rows=ROWS).path
    lock = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", lock, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"locked\n"
        with (
            closing(sqlite3.connect(store, timeout=0)) as connection,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            connection.execute("SELECT count(*) FROM messages")
        report = json.loads(check(store).stdout)
        assert other.stdin is not None
        other.stdin.close()
    assert (report["verdict"], report["totals"]["records"]) == ("conforms", 2)


@dataclass(frozen=True)
class Beside:
    """What came of checks beside a writer: their exit codes, the writer's rows, and the locks it met."""

    codes: tuple[int, ...]
    written: int
    refused: tuple[str, ...]


@cache
def beside_a_writer(journal: Literal["delete", "wal"]) -> Beside:
    """Three checks, one after the other, of a store into which a writer without patience writes all the time."""
    codes: list[int] = []
    refused: list[str] = []
    written = 0
    insert = "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s0', 'user', 'x', 1750001000.0)"
    with tempfile.TemporaryDirectory() as folder:
        store = build(Path(folder, "state.db"), rows=damage.many_rows(), journal=journal).path
        thread = threading.Thread(target=lambda: codes.extend(check(store).returncode for _ in range(3)))
        thread.start()
        with closing(sqlite3.connect(store, timeout=0.1, isolation_level=None)) as writer:
            while thread.is_alive():
                try:
                    writer.execute(insert)
                    written += 1
                except sqlite3.OperationalError as error:
                    refused.append(str(error))
                time.sleep(0.001)
        thread.join()
    return Beside(tuple(codes), written, tuple(refused))


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_writer_meets_no_lock_while_its_store_is_checked(journal: Literal["delete", "wal"]) -> None:
    beside = beside_a_writer(journal)
    assert beside.written > 10
    assert beside.refused == ()


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_store_that_is_being_written_is_judged_as_of_one_moment(journal: Literal["delete", "wal"]) -> None:
    # A copy that never succeeds (3) is no verdict on the converter, an error (1) is.
    assert set(beside_a_writer(journal).codes) <= {0, 3}


def test_a_report_has_the_same_bytes_under_any_code_page(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", rows=ROWS).path
    usual = check(store, PYTHONUTF8="1")
    assert usual.returncode == 0
    odd = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LANG": "C", "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    assert check(store, **odd).stdout == usual.stdout


def test_a_check_that_is_ended_by_a_signal_is_no_success(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", rows=ROWS).path
    converter = tmp_path / "sleeps.py"
    converter.write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    arguments = command(store, "--converter", f"{sys.executable} {converter}")
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        time.sleep(2)
        run.send_signal(signal.SIGTERM)
        out, err = run.communicate(timeout=20)
    assert run.returncode != 0
    assert b"conforms" not in out
    assert b"Traceback" not in err
