"""What `hermes sessions export` leaves out of a store is found through the adapter, and the reports say it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.commandline import run
from tests.converter_reports import ADAPTER, EXPORTED, FOLDER, REPORTS, ROOT, has_node, made

COMMAND = REPORTS["hermes-sessions-export"][0]
OF_SESSIONS = ("sessions", "messages")
CONTEXT = ("state_meta", "schema_version", "sqlite_sequence", "compression_locks")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def left_out(capture: str) -> int:
    """The rows that are neither sessions nor messages of the replay, counted with sqlite3 alone."""
    store = sqlite3.connect(f"file:{ROOT / 'captures' / capture / 'home' / 'state.db'}?mode=ro&immutable=1", uri=True)
    names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    others = [name for name in names if name not in (*OF_SESSIONS, *CONTEXT) and not name.startswith("messages_fts")]
    count = sum(int(store.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) for name in others)
    count += int(store.execute("SELECT count(*) FROM messages WHERE active = 0").fetchone()[0])
    store.close()
    return count


@pytest.mark.parametrize("capture", EXPORTED)
def test_exactly_what_the_exporter_leaves_out_is_lost(capture: str) -> None:
    result = run("check", f"captures/{capture}", "--converter", COMMAND, "--json")
    (entry,) = json.loads(result.out)["captures"]
    assert (result.code, entry["verdict"]) == (1, "does not conform")
    assert entry["conservation"]["lost"] == left_out(capture) > 0
    assert {finding["claim"] for finding in entry["findings"]} <= {"mapping.conservation", "context.archived"}


def test_rewound_messages_are_named_as_lost() -> None:
    result = run("check", "captures/0.19.0-undo", "--converter", COMMAND, "--json")
    findings = json.loads(result.out)["captures"][0]["findings"]
    keys = {tuple(finding["where"]["key"]) for finding in findings if finding["claim"] == "context.archived"}
    assert keys == {("3",), ("4",)}


def test_a_store_without_an_export_is_refused_in_a_sentence() -> None:
    result = run("check", "captures/0.14.0-text", "--converter", COMMAND, "--json")
    (entry,) = json.loads(result.out)["captures"]
    assert (result.code, entry["verdict"]) == (4, "converter failed")
    assert "there is no export of this store" in entry["stderr"][0]


def test_the_index_names_every_export() -> None:
    index = json.loads((ADAPTER / "exports" / "index.json").read_text(encoding="utf-8"))
    assert sorted(Path(name).stem for name in index.values()) == EXPORTED
    assert len(EXPORTED) == 6


def test_the_committed_report_on_the_adapter_is_what_a_fresh_check_gives() -> None:
    committed = (FOLDER / "hermes-sessions-export.md").read_text(encoding="utf-8")
    assert made("hermes-sessions-export") == committed, "run: python -m tests.converter_reports"


@pytest.mark.slow
def test_the_committed_report_on_the_converter_in_javascript_is_what_a_fresh_check_gives() -> None:
    if not has_node():
        pytest.skip("not exercised: no Node.js here, or npm install was not run in examples/node-converter")
    committed = (FOLDER / "hermes-state-node.md").read_text(encoding="utf-8")
    assert made("hermes-state-node") == committed, "run: python -m tests.converter_reports"
