"""A real release, run in isolation: slow, and only where isolation and the package index are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import run
from validator.probe.isolation import IsolationError, check
from validator.schemas import errors

pytestmark = pytest.mark.slow

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.fixture(scope="module")
def isolated() -> None:
    try:
        check()
    except IsolationError as error:
        pytest.skip(str(error))


def test_a_release_writes_captures_that_conform(isolated: None, tmp_path: Path) -> None:
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    done = run(
        "probe", "hermes-agent==0.19.0", "--captures", str(tmp_path / "made"), "--report", str(tmp_path / "report.json")
    )  # fmt: skip
    assert done.code == 0, done.err
    # The committed item is that of this release, whatever day it is probed.
    assert json.loads(done.out) == json.loads(
        (REPORTS / "probes" / "hermes-agent-0.19.0.json").read_text(encoding="utf-8")
    )
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert list(errors("report", report)) == []
    assert [(c["capture"], c["verdict"]) for c in report["captures"]] == [
        (f"0.19.0-{name}", "conforms") for name in ("text", "edit-review", "branch", "undo", "compression")
    ]
    held = {c["claim"] for capture in report["captures"] for c in capture["claims"] if c["status"] == "holds"}
    assert {
        "links.fork",
        "context.archived",
        "entity.tool-join-unique",
        "usage.dimensions",
        "standard.reasoning",
    } <= held
    assert run("capture", "verify", str(tmp_path / "made")).code == 0
    assert Path("/proc/self/mounts").read_text(encoding="utf-8") == mounts
