"""A run of ``evidence add`` that is killed, anywhere, leaves the old descriptor or the new one."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.evidence.items import OBSERVED, descriptor, saved

ROOT = Path(__file__).parents[2]


def test_killed_at_every_line_of_the_writer_and_within_every_write(tmp_path: Path) -> None:
    long = {**OBSERVED, "limitations": "Many. " * 2000}  # so that it takes several writes
    folder, item = descriptor(tmp_path), saved(tmp_path, long)
    done = subprocess.run(
        [sys.executable, "-m", "tests.evidence.killed", str(folder), item],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    rows = [line.split(maxsplit=4) for line in done.stdout.splitlines()]
    killed = [row for row in rows if row[2] == "killed"]
    assert len([row for row in killed if row[0] == "line"]) > 30
    assert len([row for row in killed if row[0] == "write"]) >= 3
    assert {row[3] for row in killed} == {"old", "new"}
    assert {row[4] for row in rows} == {"recovers"}


@pytest.mark.slow
def test_killed_from_outside_at_any_time(tmp_path: Path) -> None:
    chance = random.Random(1)
    seen = set()
    for number in range(40):
        place = tmp_path / str(number)
        folder, item = descriptor(place), saved(place, OBSERVED)
        old = (folder / "descriptor.json").read_bytes()
        run = subprocess.Popen(
            [sys.executable, "-m", "validator", "evidence", "add", str(folder), item],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(chance.uniform(0.05, 1.5))
        run.kill()
        run.wait()
        after = (folder / "descriptor.json").read_bytes()
        seen.add("old" if after == old else "new" if after.endswith(b"}\n") and b"9.9.9" in after else "neither")
    assert seen <= {"old", "new"}


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    items = [saved(tmp_path, {**OBSERVED, "version": f"9.9.{n}", "revision": f"r{n}"}, f"{n}.json") for n in range(4)]
    runs = [
        subprocess.Popen([sys.executable, "-m", "validator", "evidence", "add", str(folder), item], cwd=ROOT,
                         stdout=subprocess.DEVNULL)
        for item in items
    ]  # fmt: skip
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    text = (folder / "descriptor.json").read_text(encoding="utf-8")
    assert all(f'"9.9.{n}"' in text for n in range(4))
