"""Large stores are judged in several processes, on disk; the report is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.claims.descriptors import ROLE, descriptor_with
from tests.commandline import run
from tests.stores import damage
from tests.test_check import CAPTURES
from validator.census import StoreError
from validator.claims.native import Request
from validator.descriptor import load
from validator.replay import witnesses
from validator.replay.apart import NativeApart
from validator.workbench import NATIVE, create


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
    request = Request(shape, store, tmp_path / "native.db", 1, 1, None, (), ())
    native = NativeApart(request)
    with pytest.raises(StoreError, match=f"^the census failed: [^/]*{reason}[^/]*$"):
        native.attach(bench)
    native.close()
    bench.close()
