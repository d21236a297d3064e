"""Damaged, interrupted and foreign stores: everything that can be read is in a record, what is lost in a gap."""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings

from tests.converter.streams import CAPTURES, Line, lines, of_kind, raw, same_row
from tests.stores import Contents, damage, draw, journals, strangers
from tests.stores.special import makers
from validator.converter import ConversionError

CONTEXT = {"state_meta", "schema_version", "sqlite_sequence", "compression_locks", "session_turn_leases"}
CONTEXT |= {"gateway_hygiene_state", "gateway_heartbeats", "runtime_epoch"}

SOUND = makers(journals, strangers)
DAMAGED = makers(damage)
REFUSED = {"broken_schema", "truncated_in_page_one"}


@cache
def schema() -> jsonschema_rs.Validator:
    path = CAPTURES.parent / "validator" / "schemas" / "record-stream.json"
    return jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))


def checked(contents: Contents) -> list[Line]:
    """The lines of a store, each valid, and counted as `end` says."""
    found = lines(contents.path)
    for line in found:
        assert schema().is_valid(line), (line, [error.message for error in schema().iter_errors(line)])
    counted = {f"{kind}s": len(of_kind(found, kind)) for kind in ("stream", "record", "gap", "notice")}
    assert found[-1] == {"line": "end", **counted}
    return found


def counts(found: list[Line]) -> Counter[str]:
    return Counter(line["native"]["record"]["table"] for line in of_kind(found, "record"))


def expected(contents: Contents) -> Counter[str]:
    return Counter({table: n for table, n in contents.counts.items() if table not in CONTEXT and n})


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_store_of_an_odd_shape_converts_whole(tmp_path: Path, name: str) -> None:
    contents = SOUND[name](tmp_path / "state.db")
    found = checked(contents)
    assert counts(found) == expected(contents)
    assert [gap for gap in of_kind(found, "gap") if name != "undecodable_table_name"] == []


@pytest.mark.parametrize("name", DAMAGED)
def test_of_a_damaged_store_all_that_can_be_read_is_converted(tmp_path: Path, name: str) -> None:
    contents = DAMAGED[name](tmp_path / "state.db")
    if not contents.is_store or name in REFUSED:
        with pytest.raises(ConversionError) as caught:
            raw(contents.path)
        assert "state.db" in str(caught.value) and str(tmp_path) not in str(caught.value)
        return
    found = checked(contents)
    assert counts(found) == expected(contents)
    ids = {int(line["entity"]["key"]) for line in of_kind(found, "record") if line["entity"]["type"] == "message"}
    assert not ids & set(contents.lost.get("messages", ()))


@pytest.mark.parametrize("name", [name for name in DAMAGED if name.startswith(("zeroed", "scribbled", "two"))])
def test_gaps_hold_exactly_the_rows_that_are_lost(tmp_path: Path, name: str) -> None:
    contents = DAMAGED[name](tmp_path / "state.db")
    lost: list[int] = []
    for gap in of_kind(lines(contents.path), "gap"):
        assert gap["reason"] == "unreadable"
        assert gap["from"]["table"] == gap["to"]["table"] == "messages"
        first, last = int(gap["from"]["key"][0]), int(gap["to"]["key"][0])
        assert gap["units"] == last - first + 1
        lost += range(first, last + 1)
    assert lost == list(contents.lost.get("messages", ()))
