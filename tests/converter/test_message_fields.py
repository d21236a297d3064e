"""The standard fields of a message are those of its row, and absent where the row says nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.converter.streams import Line, lines, of_kind, records
from tests.stores import BadText, Cell, build

HEAD = {"line", "stream", "family", "position", "entity", "native"}


def converted(tmp_path: Path, *messages: dict[str, Cell], schema: int = 31) -> list[Line]:
    """The lines of a store that holds the messages, ids from 1, all of session `s` unless they say otherwise."""
    rows = [{"session_id": "s", "timestamp": 0, **message} for message in messages]
    contents = build(
        tmp_path / "state.db", schema, {"sessions": [{"id": "s"}], "messages": rows}, raw=True, strict=False
    )
    return lines(contents.path)


def fields(tmp_path: Path, *messages: dict[str, Cell], schema: int = 31) -> list[dict[str, Any]]:
    """The standard fields of each message, `replay` and `time` left out where they are those of any message."""
    found = []
    for record in records(converted(tmp_path, *messages, schema=schema), "messages").values():
        own = {name: value for name, value in record.items() if name not in HEAD}
        if own.get("time") == "1970-01-01T00:00:00.000000Z":
            del own["time"]
        if own["replay"] is True:
            del own["replay"]
        found.append(own)
    return found


def notices(found: list[Line]) -> list[tuple[str, str, str | None]]:
    return [(n["code"], n["unit"]["key"][0], n.get("detail")) for n in of_kind(found, "notice")]


def text_tag(octets: bytes) -> dict[str, str]:
    return {"$text": b64encode(octets).decode()}


def test_a_bare_message_has_its_role_its_time_and_its_place_in_the_replay(tmp_path: Path) -> None:
    (record,) = records(converted(tmp_path, {"role": "user", "timestamp": 1.5}), "messages").values()
    del record["native"]
    assert record == {
        "line": "record",
        "stream": 1,
        "family": "transcript",
        "position": "1",
        "entity": {"type": "message", "key": "1"},
        "role": "user",
        "replay": True,
        "time": "1970-01-01T00:00:01.500000Z",
    }


def test_text_fields_are_the_cells_verbatim(tmp_path: Path) -> None:
    message: dict[str, Cell] = {
        "role": "Assistant ",
        "content": '\0json:[{"type": "text"}]',
        "reasoning": "",
        "finish_reason": "stop\0",
        "platform_message_id": "17",
        "reasoning_content": "not a standard field",
    }
    assert fields(tmp_path, message) == [
        {
            "role": "Assistant ",
            "content": '\0json:[{"type": "text"}]',
            "reasoning": "",
            "finishReason": "stop\0",
            "platformMessage": "17",
        }
    ]


def test_cells_of_other_types_are_carried_as_they_are(tmp_path: Path) -> None:
    message: dict[str, Cell] = {
        "role": b"tool",
        "content": BadText(b"ok \xe2\x9c"),
        "reasoning": 2**53 + 1,
        "finish_reason": float("-inf"),
        "platform_message_id": 17,
    }
    assert fields(tmp_path, message) == [
        {
            "role": {"$blob": b64encode(b"tool").decode()},
            "content": text_tag(b"ok \xe2\x9c"),
            "reasoning": {"$int": "9007199254740993"},
            "finishReason": {"$real": "-Infinity"},
            "platformMessage": 17,
        }
    ]


@pytest.mark.parametrize(
    ("content", "api_content", "expected"),
    [
        ("shown", None, {"content": "shown"}),
        ("shown", "sent", {"content": "sent", "display": "shown"}),
        ("same", "same", {"content": "same", "display": "same"}),
        (None, "sent", {"content": "sent"}),
        ("shown", "", {"content": "", "display": "shown"}),
        (None, None, {}),
    ],
)
def test_the_model_saw_api_content_where_it_is_stored(
    tmp_path: Path, content: Cell, api_content: Cell, expected: dict[str, str]
) -> None:
    message = {"role": "user", "content": content, "api_content": api_content}
    assert fields(tmp_path, message) == [{"role": "user", **expected}]


@pytest.mark.parametrize(
    ("active", "replay"),
    [(1, True), (None, True), (0, False), (0.0, False), (-0.0, False), (2, True), ("0", True), (b"\0", True)],
)
def test_only_zero_takes_a_message_out_of_the_replay(tmp_path: Path, active: Cell, replay: bool) -> None:
    (record,) = records(converted(tmp_path, {"active": active}), "messages").values()
    assert record["replay"] is replay


def test_without_the_column_every_message_is_in_the_replay(tmp_path: Path) -> None:
    (record,) = records(converted(tmp_path, {"role": "user"}, schema=13), "messages").values()
    assert record["replay"] is True
    assert "active" not in record["native"]["record"]["row"]


@pytest.mark.parametrize(
    ("observed", "expected"),
    [(1, {"addressed": False}), (1.0, {"addressed": False}), (0, {}), (None, {}), (2, {}), ("1", {})],
)
def test_only_an_observed_message_is_said_not_to_be_addressed(
    tmp_path: Path, observed: Cell, expected: dict[str, bool]
) -> None:
    assert fields(tmp_path, {"role": "user", "observed": observed}) == [{"role": "user", **expected}]


@pytest.mark.parametrize(
    ("mark", "expected"),
    [(1, {"compressedSummary": {"replaces": "unknown"}}), (0, {}), (None, {}), ("1", {}), (2, {})],
)
def test_a_summary_replaces_nobody_knows_what(tmp_path: Path, mark: Cell, expected: dict[str, Any]) -> None:
    assert fields(tmp_path, {"role": "user", "_compressed_summary": mark}) == [{"role": "user", **expected}]


@pytest.mark.parametrize("time", ["1796043927", -1, float("inf"), 253402300800, b"1", BadText(b"\xff")])
def test_a_cell_that_is_no_time_gives_none_and_a_notice(tmp_path: Path, time: Cell) -> None:
    found = converted(tmp_path, {"role": "user", "timestamp": time})
    (record,) = records(found, "messages").values()
    assert "time" not in record
    assert ("not-a-time", "1", "timestamp") in notices(found)


def test_a_missing_time_is_no_notice(tmp_path: Path) -> None:
    found = converted(tmp_path, {"role": "user", "timestamp": None})
    (record,) = records(found, "messages").values()
    assert "time" not in record
    assert notices(found) == []


def test_every_row_around_text_that_is_not_utf8_stands_as_it_is(tmp_path: Path) -> None:
    contents: list[Cell] = ["a", "é", BadText(b"\xff"), "\ufffd", None, BadText(b"\xed\xa0\x80"), float("inf"), "z"]
    found = fields(tmp_path, *({"content": content} for content in contents))
    written = ["a", "é", text_tag(b"\xff"), "\ufffd", None, text_tag(b"\xed\xa0\x80"), {"$real": "Infinity"}, "z"]
    assert [record.get("content") for record in found] == written


def test_text_that_is_not_utf8_is_noticed_cell_by_cell(tmp_path: Path) -> None:
    bad = BadText(b"\xff")
    found = converted(tmp_path, {"content": bad, "message_uid": bad}, {"content": "fine"})
    assert sorted(notices(found)) == [("not-utf8", "1", "content"), ("not-utf8", "1", "message_uid")]


def test_each_unknown_role_is_noticed_once(tmp_path: Path) -> None:
    roles: list[Cell] = ["user", "assistant", "tool", "system", "session_meta", "session_meta", "Tool", b"tool"]
    found = converted(tmp_path, *({"role": role} for role in roles))
    assert [n for n in notices(found) if n[0] == "unknown-role"] == [
        ("unknown-role", "5", None),
        ("unknown-role", "7", None),
        ("unknown-role", "8", None),
    ]


def test_calls_are_kept_in_order_as_they_are_stored(tmp_path: Path) -> None:
    calls = [
        {"id": "c1", "call_id": "x", "type": "function", "function": {"name": "read", "arguments": '{"p": 1}'}},
        {"id": "c2", "name": "flat", "arguments": {"k": [1, None]}},
        {"function": {"name": None, "arguments": "inner"}, "name": "outer", "arguments": "unused"},
        {"id": 7, "function": "no object", "name": 3, "arguments": False},
        {"id": None, "function": {}, "arguments": None},
        {"id": "c1", "function": {"name": "", "arguments": ""}},
    ]
    (message,) = fields(tmp_path, {"role": "assistant", "tool_calls": json.dumps(calls)})
    assert message["toolCalls"] == [
        {"occurrence": "1/0", "providerId": "c1", "name": "read", "arguments": '{"p": 1}'},
        {"occurrence": "1/1", "providerId": "c2", "name": "flat", "arguments": {"k": [1, None]}},
        {"occurrence": "1/2", "name": "outer", "arguments": "inner"},
        {"occurrence": "1/3", "providerId": 7, "name": 3, "arguments": False},
        {"occurrence": "1/4"},
        {"occurrence": "1/5", "providerId": "c1", "name": "", "arguments": ""},
    ]


def test_an_element_that_is_no_object_is_no_call_and_keeps_its_place(tmp_path: Path) -> None:
    found = converted(tmp_path, {"role": "assistant", "tool_calls": '[null, {"id": "a"}, "x", {"id": "b"}, [{}]]'})
    (record,) = records(found, "messages").values()
    assert record["toolCalls"] == [
        {"occurrence": "1/1", "providerId": "a"},
        {"occurrence": "1/3", "providerId": "b"},
    ]
    assert notices(found) == [("not-a-call", "1", f"tool_calls[{i}]") for i in (0, 2, 4)]


@pytest.mark.parametrize("stored", ["[]", "null", "{}", '"x"', "5", "[1, null]", None])
def test_no_call_is_no_field(tmp_path: Path, stored: Cell) -> None:
    assert fields(tmp_path, {"role": "assistant", "tool_calls": stored}) == [{"role": "assistant"}]


@pytest.mark.parametrize("stored", ["", "[", '[{"id": NaN}]', b"[{}]", 5, BadText(b'[{"id": "\xff"}]')])
def test_calls_that_are_no_json_are_not_there_and_noticed(tmp_path: Path, stored: Cell) -> None:
    found = converted(tmp_path, {"role": "assistant", "tool_calls": stored})
    (record,) = records(found, "messages").values()
    assert "toolCalls" not in record
    assert ("malformed-json", "1", "tool_calls") in notices(found)


def test_numbers_in_arguments_are_exact(tmp_path: Path) -> None:
    stored = '[{"arguments": [9007199254740993, 18446744073709551616, -1e-7, 0.1, 1.0]}]'
    store = build(tmp_path / "state.db", 31, {"messages": [{"role": "assistant", "tool_calls": stored}]}).path
    (record,) = records(lines(store), "messages").values()
    (call,) = record["toolCalls"]
    assert call["arguments"] == [9007199254740993, 18446744073709551616, -1e-7, 0.1, 1.0]
    assert [type(number) for number in call["arguments"][:2]] == [int, int]


@pytest.mark.parametrize("depth", [200, 250, 300, 496])
def test_deeply_nested_arguments_are_kept(tmp_path: Path, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    (message,) = fields(tmp_path, {"role": "assistant", "tool_calls": f'[{{"arguments": {nested}}}]'})
    assert json.dumps(message["toolCalls"][0]["arguments"]).replace(" ", "") == nested


def test_a_lone_surrogate_in_a_call_is_replaced_and_noticed(tmp_path: Path) -> None:
    found = converted(tmp_path, {"tool_calls": '[{"id": "\\ud83d", "arguments": {"\\ude00": "x"}}]'})
    (record,) = records(found, "messages").values()
    assert record["toolCalls"] == [{"occurrence": "1/0", "providerId": "\ufffd", "arguments": {"\ufffd": "x"}}]
    assert notices(found) == [("lone-surrogate", "1", "tool_calls")]


def occurrences(tmp_path: Path, calls: list[Any], uids: Cell) -> list[str]:
    (message,) = fields(tmp_path, {"tool_calls": json.dumps(calls), "tool_call_uids": uids})
    return [call["occurrence"] for call in message["toolCalls"]]


def test_the_map_of_uids_gives_the_occurrence(tmp_path: Path) -> None:
    assert occurrences(tmp_path, [{"id": "a"}, {"id": "b"}], '{"b": "u2", "a": "u1"}') == ["u1", "u2"]


def test_a_provider_id_that_a_message_repeats_has_no_uid(tmp_path: Path) -> None:
    calls = [{"id": "a"}, {"id": "b"}, {"id": "a"}]
    assert occurrences(tmp_path, calls, '{"b": "u2", "a": "u1"}') == ["1/0", "u2", "1/2"]


def test_only_a_string_under_a_string_is_a_uid(tmp_path: Path) -> None:
    calls = [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": 7}, {}, {"id": ["a"]}, {"id": "d"}]
    uids = '{"a": 5, "b": null, "c": ["u"], "7": "u7", "d": ""}'
    assert occurrences(tmp_path, calls, uids) == ["1/0", "1/1", "1/2", "1/3", "1/4", "1/5", ""]


@pytest.mark.parametrize("uids", ["[]", '"u"', "{", b'{"a": "u"}', '{"a": NaN}'])
def test_a_map_that_is_none_gives_no_uids(tmp_path: Path, uids: Cell) -> None:
    assert occurrences(tmp_path, [{"id": "a"}], uids) == ["1/0"]
