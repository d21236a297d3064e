"""A converter that knows one format is judged on that one."""

from __future__ import annotations

import json

from tests.commandline import run
from tests.test_check import CAPTURES

MEMORY = str(CAPTURES / "0.19.0-memory")


def test_only_the_named_format_is_replayed() -> None:
    entry = json.loads(run("check", MEMORY, "--only", "hermes-state-sqlite", "--json").out)["captures"][0]
    assert entry["verdict"] == "conforms"
    assert entry["conservation"]["records"] == 10
    assert entry["observation"]["converter"] == "hermes-state-sqlite-v0.1.0"


def test_a_format_that_there_is_not_is_wrong_usage() -> None:
    result = run("check", MEMORY, "--only", "hermes-sqlite")
    assert result.code == 2
    assert "its formats are: hermes-state-sqlite, hermes-home-files" in result.err


def test_the_table_names_notices_and_unidentified_files() -> None:
    out = run("check", str(CAPTURES / "0.19.0-telegram")).out
    assert "unknown-role: state.db messages 3 role: session_meta" in out
    assert "unidentified: channel_directory.json, cron/executions.db" in out
