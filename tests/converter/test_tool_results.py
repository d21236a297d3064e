"""A result belongs to a call by its uid, or by a provider id that only one call in its scope has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.converter.streams import lines, records
from tests.stores import BadText, Cell, build
from validator.converter.hermes_state_sqlite import calls


@pytest.fixture(autouse=True, params=[(100_000, 10_000), (0, 10_000), (0, 1), (0, 0)])
def _kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory; on disk, with the calls that were met in memory, too; with a few of them; with hardly any."""
    held, near = request.param
    monkeypatch.setattr(calls, "HELD", held)
    monkeypatch.setattr(calls, "NEAR", near)


def call(*provider_ids: object, **message: Cell) -> dict[str, Cell]:
    stored = [{"id": provider_id} for provider_id in provider_ids]
    return {"role": "assistant", "tool_calls": json.dumps(stored), **message}


def result(provider_id: Cell, **message: Cell) -> dict[str, Cell]:
    return {"role": "tool", "tool_call_id": provider_id, **message}


def results(tmp_path: Path, *messages: dict[str, Cell], schema: int = 31) -> list[dict[str, Any]]:
    """The `toolResult` of each message that has one."""
    rows = [{"session_id": "s", **message} for message in messages]
    sessions = [{"id": "s"}, {"id": "t"}]
    path = tmp_path / "state.db"
    build(path, schema, {"sessions": sessions, "messages": rows}, raw=True, strict=False)
    return [record["toolResult"] for record in records(lines(path), "messages").values() if "toolResult" in record]


def test_only_the_role_tool_makes_a_result(tmp_path: Path) -> None:
    stored: dict[str, Cell] = {"tool_call_id": "a", "tool_name": "t", "tool_call_uid": "u"}
    roles: list[Cell] = ["user", "Tool", b"tool", None, "tool"]
    assert results(tmp_path, *({**stored, "role": role} for role in roles)) == [
        {"call": "u", "providerId": "a", "name": "t"}
    ]


def test_a_result_that_says_nothing_is_empty(tmp_path: Path) -> None:
    assert results(tmp_path, {"role": "tool"}) == [{}]


def test_a_uid_decides_even_where_no_call_has_it(tmp_path: Path) -> None:
    found = results(tmp_path, call("a"), result("a", tool_call_uid="elsewhere"))
    assert found == [{"call": "elsewhere", "providerId": "a"}]


@pytest.mark.parametrize("uid", ["", None, b"u", 5])
def test_a_uid_that_is_none_leaves_the_join_to_the_provider_id(tmp_path: Path, uid: Cell) -> None:
    assert results(tmp_path, call("a"), result("a", tool_call_uid=uid)) == [{"call": "1/0", "providerId": "a"}]


def test_the_one_call_with_the_provider_id_is_the_results(tmp_path: Path) -> None:
    found = results(tmp_path, call("a", "b"), result("b"), result("a"), result("c"))
    assert [entry.get("call") for entry in found] == ["1/1", "1/0", None]


def test_the_join_gives_the_calls_own_uid(tmp_path: Path) -> None:
    found = results(tmp_path, call("a", tool_call_uids='{"a": "u1"}'), result("a"))
    assert found == [{"call": "u1", "providerId": "a"}]


def test_a_call_may_stand_behind_its_result(tmp_path: Path) -> None:
    assert results(tmp_path, result("a"), call("a")) == [{"call": "2/0", "providerId": "a"}]


def test_results_far_from_their_calls_find_them(tmp_path: Path) -> None:
    ids = [f"c{n}" for n in range(40)]
    found = results(tmp_path, *map(call, ids), call("twice"), *map(result, ids), call("twice"), result("twice"))
    assert [entry.get("call") for entry in found] == [*(f"{n}/0" for n in range(1, 41)), None]


def test_a_provider_id_that_two_messages_share_joins_nothing(tmp_path: Path) -> None:
    assert results(tmp_path, call("a"), result("a"), call("a")) == [{"providerId": "a"}]


def test_any_number_of_shared_provider_ids_join_nothing(tmp_path: Path) -> None:
    ids = ["a", "b", "c", "d"]
    found = results(tmp_path, *map(call, ids), *map(call, ids), call("e"), *map(result, reversed(ids)), result("e"))
    assert [entry.get("call") for entry in found] == [None, None, None, None, "9/0"]


def test_a_provider_id_that_one_message_repeats_joins_nothing(tmp_path: Path) -> None:
    assert results(tmp_path, call("a", "a"), result("a")) == [{"providerId": "a"}]


def test_calls_of_other_sessions_do_not_count(tmp_path: Path) -> None:
    found = results(tmp_path, call("a", session_id="t"), result("a"), call("b"), call("b", session_id="t"), result("b"))
    assert [entry.get("call") for entry in found] == [None, "3/0"]


def test_the_archived_copy_of_a_call_belongs_to_the_archived_copy_of_its_result(tmp_path: Path) -> None:
    found = results(tmp_path, call("a", active=0), result("a", active=0), call("a", active=None), result("a"))
    assert [entry.get("call") for entry in found] == ["1/0", "3/0"]


def test_only_text_joins_a_string(tmp_path: Path) -> None:
    found = results(tmp_path, call("7", 8, None, True), result(7), result("8"), result(b"7"), result(BadText(b"\xff")))
    assert [entry.get("call") for entry in found] == [None, None, None, None]


def test_sessions_are_told_apart_by_type(tmp_path: Path) -> None:
    ids: list[Cell] = ["1", 1, b"1", BadText(b"1\xff"), b"1\xff", None]
    messages = [message for i in ids for message in (call("a", session_id=i), result("a", session_id=i))]
    assert [entry.get("call") for entry in results(tmp_path, *messages)] == [f"{n}/0" for n in (1, 3, 5, 7, 9, 11)]


@pytest.mark.parametrize("schema", [11, 13, 16, 22])
def test_older_stores_have_no_uids_and_are_joined_by_provider_id(tmp_path: Path, schema: int) -> None:
    found = results(tmp_path, call("a"), result("a", tool_name="t"), schema=schema)
    assert found == [{"call": "1/0", "providerId": "a", "name": "t"}]


@pytest.mark.parametrize("stored", ['[{"id": "a"}', b'[{"id": "a"}]', BadText(b'[{"id": "a", "x": "\xff"}]')])
def test_malformed_calls_join_nothing(tmp_path: Path, stored: Cell) -> None:
    found = results(tmp_path, {"role": "assistant", "tool_calls": stored}, result("a"))
    assert found == [{"providerId": "a"}]
