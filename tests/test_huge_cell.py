"""A cell of 64 MB, as text and as a BLOB: converted whole, compared by value, and bounded in what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import run
from tests.stores import build

HUGE = 64 * 2**20


@pytest.mark.parametrize("cell", ["x" * HUGE, b"\xff" * HUGE], ids=["text", "blob"])
def test_a_huge_cell_is_converted_whole(tmp_path: Path, cell: str | bytes) -> None:
    build(
        tmp_path / "state.db",
        schema=22,
        rows={"sessions": [{"id": "s"}], "messages": [{"session_id": "s", "content": cell}]},
    )
    result = run("check", str(tmp_path / "state.db"), "--namespace", "n", "--json")
    entry = json.loads(result.out)["captures"][0]
    assert (entry["verdict"], entry["conservation"]["records"], entry["findings"]) == ("conforms", 2, [])
    assert len(result.out) < 100_000
