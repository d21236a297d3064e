"""Damaged, interrupted and foreign stores: everything that can be read is in a record, what is lost in a gap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.converter.streams import CONTEXT, Line, assert_counted, assert_valid, lines, of_kind, raw
from tests.stores import Contents, damage, journals, strangers
from tests.stores.special import makers
from validator.converter import ConversionError

SOUND = makers(journals, strangers)
DAMAGED = makers(damage)
REFUSED = {"broken_schema", "truncated_in_page_one"}


def checked(contents: Contents) -> list[Line]:
    """The lines of a store, each valid, and counted as `end` says."""
    found = lines(contents.path)
    assert_valid(found)
    assert_counted(found)
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
