"""Homes with profiles: each store is judged under its own namespace, and one physical store once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.commandline import run
from tests.stores import build


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a store of its own and two profiles: 3, 2 and 1 sessions of one message each."""
    for place, sessions in (("", 3), ("profiles/x", 2), ("profiles/y", 1)):
        folder = tmp_path / "home" / place
        folder.mkdir(parents=True)
        build(
            folder / "state.db",
            schema=31,
            rows={
                "sessions": [{"id": f"s{n}"} for n in range(sessions)],
                "messages": [{"session_id": f"s{n}", "content": "x"} for n in range(sessions)],
                "state_meta": [{"key": "store_instance_id", "value": f"store-{place}"}],
            },
        )
    return tmp_path / "home"


def test_every_store_of_a_home_is_counted_in_streams_of_its_own(home: Path) -> None:
    entry = json.loads(run("check", str(home), "--json").out)["captures"][0]
    assert entry["verdict"] == "conforms"
    assert (entry["counts"]["streams"], entry["counts"]["records"]) == (6, 12)


def test_one_physical_store_under_two_names_counts_once(home: Path) -> None:
    (home / "profiles/z").mkdir()
    os.link(home / "profiles/y/state.db", home / "profiles/z/state.db")
    entry = json.loads(run("check", str(home), "--json").out)["captures"][0]
    assert (entry["counts"]["streams"], entry["counts"]["records"]) == (6, 12)


def test_links_are_never_followed(home: Path) -> None:
    (home / "profiles/z").symlink_to(home / "profiles/y")
    (home / "profiles/w").mkdir()
    (home / "profiles/w/state.db").symlink_to("../y/state.db")
    entry = json.loads(run("check", str(home), "--json").out)["captures"][0]
    assert (entry["counts"]["streams"], entry["counts"]["records"]) == (6, 12)


def test_stores_without_a_namespace_of_their_own_must_not_share_one(tmp_path: Path) -> None:
    for place in ("", "profiles/x"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        build(tmp_path / place / "state.db", schema=22, rows={"sessions": [{"id": "s"}]})
    result = run("check", str(tmp_path), "--namespace", "n")
    assert result.code == 2
    assert "--namespace profiles/x/state.db=VALUE" in result.err
    each = ["--namespace", "state.db=n", "--namespace", "profiles/x/state.db=m"]
    entry = json.loads(run("check", str(tmp_path), *each, "--json").out)["captures"][0]
    assert entry["counts"]["streams"] == 2
