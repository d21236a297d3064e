"""Large stores are judged in several processes, on disk; the report is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import run
from tests.stores import damage
from tests.test_check import CAPTURES
from validator.replay import witnesses


@pytest.mark.parametrize("name", ["0.13.0-undo", "0.19.0-killed", "0.19.0-telegram", "iot-0.22.2.post1-api"])
def test_several_processes_give_the_report_of_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn = run("check", str(CAPTURES / name), "--json")
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    apart = run("check", str(CAPTURES / name), "--json")
    assert in_turn.code == 0
    assert apart == in_turn


def test_a_damaged_store_gives_the_same_report_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damage.zeroed_leaf(tmp_path / "state.db")
    in_turn = run("check", str(tmp_path / "state.db"), "--namespace", "n", "--json")
    monkeypatch.setattr(witnesses, "IN_MEMORY", -1)
    assert run("check", str(tmp_path / "state.db"), "--namespace", "n", "--json") == in_turn
    assert json.loads(in_turn.out)["exit"] == 3
