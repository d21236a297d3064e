"""Captures that are judged in several places give the report that one place gives, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from validator.check import check
from validator.jobs import Job, Judged, judge_all
from validator.replay import Options
from validator.replay.converters import BuiltIn

ROOT = Path(__file__).parent.parent
CAPTURES = ROOT / "captures"
SOME = [str(CAPTURES / name) for name in ("0.19.0-edit-review", "0.13.0-undo", "0.14.0-text", "iot-0.22.2.post1-api")]


def test_two_processes_give_the_bytes_of_one(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    targets = [*SOME, str(tmp_path / "nothing"), str(CAPTURES / "0.19.0-telegram")]
    one = run("check", *targets, "--json", "-v")
    two = run("check", *targets, "--json", "-v", "--jobs", "2")
    assert two.out == one.out
    assert two.err == one.err, "the order in which captures are told of is theirs"
    assert two.code == one.code == 3


def test_findings_of_a_converter_are_the_same_from_two_processes() -> None:
    fake = f"{sys.executable} {ROOT / 'tests' / 'fakes' / 'renumbers.py'}"
    outputs = [
        run("check", *SOME, "--converter", fake, "--format", "jsonl", "--all-findings", "--jobs", jobs).out
        for jobs in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert '"line":"finding"' in outputs[0]


def test_any_executor_can_be_handed_in() -> None:
    options = Options(BuiltIn())
    with ThreadPoolExecutor(2) as executor:
        assert check(SOME, None, options, executor=executor) == check(SOME, None, options)


def test_relative_targets_reach_a_worker_that_stands_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    sent: list[Path] = []

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, task: Any, portion: Any) -> Any:  # type: ignore[override]
            sent.extend(capture.root for _, capture in portion)
            return super().submit(task, portion)

    with Elsewhere(1) as executor:
        report = check(["captures/0.14.0-text"], None, Options(BuiltIn()), executor=executor)
    assert report["exit"] == 0
    assert all(path.is_absolute() for path in sent)
    assert str(ROOT) not in json.dumps(report)


def test_a_worker_that_dies_is_told_in_one_line() -> None:
    from validator.jobs import JobsError, executor_of

    with pytest.raises(JobsError, match="a worker died"), executor_of("2") as executor:
        check(SOME[:1], None, Options(Killer()), executor=executor)


class Killer:
    """A converter that ends the process in which it runs."""

    def lines(self, request: Any, folder: Path) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "1.5", "9999999", ""])
def test_a_number_of_jobs_that_is_none_is_wrong_usage(jobs: str) -> None:
    result = run("check", SOME[0], "--jobs", jobs)
    assert (result.code, result.out) == (2, "")
    assert "--jobs" in result.err


def test_a_fault_of_the_configuration_comes_back_from_a_worker(tmp_path: Path) -> None:
    folder = tmp_path / "descriptor"
    shutil.copytree(ROOT / "descriptors" / "com.nousresearch.hermes", folder)
    (folder / "claims" / "bad.toml").write_text("[[claim]]\nid = 'x.y'\n", encoding="utf-8")
    result = run("check", SOME[0], "--descriptor", str(folder), "--jobs", "2")
    assert result.code == 2
    assert "bad.toml" in result.err


def test_captures_are_sent_in_portions_and_told_of_in_order() -> None:
    from validator.capture import find
    from validator.descriptor import load

    descriptor = load()
    captures = find([str(CAPTURES / "0.14.0-text")], descriptor) * 60
    portions: list[int] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, task: Any, portion: Any) -> Any:  # type: ignore[override]
            portions.append(len(portion))
            return super().submit(task, portion)

    told: list[int] = []

    def tell(judged: Judged, done: int, total: int) -> None:
        told.append(done)

    with Counting(2) as executor:
        judge_all(captures, Job(str(descriptor.folder), Options(BuiltIn())), executor, tell)
    assert sum(portions) == 60
    assert len(portions) < 60
    assert told == list(range(1, 61))


def test_dask_that_is_nowhere_is_wrong_usage() -> None:
    pytest.importorskip("distributed", reason="not exercised: distributed is not installed")
    result = run("check", SOME[0], "--jobs", "dask:not an address")
    assert (result.code, result.out) == (2, "")
    assert "--jobs dask:" in result.err


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a Dask scheduler of this machine with two workers, each a process of its own elsewhere."""
    pytest.importorskip("distributed", reason="not exercised: distributed is not installed")
    at = tmp_path / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> None:
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", *words], cwd=tmp_path, env=environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip

    try:
        start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show",
              "--scheduler-file", str(at))  # fmt: skip
        deadline = time.monotonic() + 60
        while not at.is_file() and time.monotonic() < deadline:
            time.sleep(0.1)
        address = json.loads(at.read_text(encoding="utf-8"))["address"]
        for _ in range(2):
            start("distributed.cli.dask_worker", address, "--host", "127.0.0.1", "--no-dashboard", "--no-nanny",
                  "--nthreads", "1", "--local-directory", str(tmp_path))  # fmt: skip
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(30)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_bytes_of_one_process(scheduler: str) -> None:
    from distributed import Client

    with Client(scheduler, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        with client.get_executor(pure=False) as executor:
            handed = check([str(CAPTURES)], None, Options(BuiltIn()), executor=executor)
    one = run("check", str(CAPTURES), "--json")
    cluster = run("check", str(CAPTURES), "--json", "--jobs", f"dask:{scheduler}")
    assert cluster.out == one.out
    assert cluster.code == one.code == 0
    assert json.loads(one.out) == handed
