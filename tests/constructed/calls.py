"""Stored tool calls and results, those that join and those that only seem to: the rows of one constructed capture."""

from __future__ import annotations

import json
from typing import Any

from tests.stores import Cell, Row, Rows


def _call(provider: Any, name: Any = "read", arguments: Any = "{}") -> dict[str, Any]:
    """A call as Hermes stores it, extra keys included."""
    function = {"name": name, "arguments": arguments}
    return {
        "id": provider,
        "call_id": f"c-{provider}",
        "response_item_id": None,
        "type": "function",
        "function": function,
    }


def _asks(session: str, calls: Any, uids: Any = None, **more: Cell) -> Row:
    """An assistant's message with calls; text stands as it is, anything else as its JSON."""
    row: dict[str, Cell] = {"session_id": session, "role": "assistant", "content": ""}
    row["tool_calls"] = calls if isinstance(calls, (str, bytes, int)) else json.dumps(calls)
    if uids is not None:
        row["tool_call_uids"] = uids if isinstance(uids, str) else json.dumps(uids)
    return {**row, **more}


def _result(session: str, provider: Cell, uid: Cell = None, name: Cell = "read", **more: Cell) -> Row:
    row: dict[str, Cell] = {"session_id": session, "role": "tool", "content": "read"}
    return {**row, "tool_call_id": provider, "tool_call_uid": uid, "tool_name": name, **more}


_WITH_UIDS = [
    _asks("uids", [_call("p1"), _call("p2")], {"p1": "u1", "p2": "u2"}),
    _result("uids", "p2", "u2"),  # not in the order of the calls
    _result("uids", "p1", "u1"),
    _asks("uids", [_call("p3"), _call("p4")], {"p3": "u3", "p4": "u3"}),  # one uid for two calls
    _result("uids", "p4", "u3"),
    _asks("uids", [_call("p5"), _call("p5"), _call("p6")], {"p5": "u5", "p6": "u6"}),  # repeated in one message
    _result("uids", "p5", "u5"),
    _result("uids", "p6", "nowhere"),  # a uid that names no call
    _result("uids", "p1", ""),  # an empty uid is none, and p1 is unique
    _asks("uids", [_call("p7")], ["p7", "u7"]),  # no map
    _asks("uids", [_call("p8")], {"p8": 8}),  # no text
    _asks("uids", [_call("p9")], {"other": "u9"}),
    _asks("uids", [_call("p10")], '{"p10": "u10"'),  # not JSON
]

_WITHOUT_UIDS = [
    _asks("plain", [_call("a"), _call("b", "write", '{"path": "x"}')]),
    _result("plain", "b", name="write"),
    _result("plain", "a"),
    _result("plain", "never-called"),
    _result("plain", None, name=None),
    _asks("plain", [_call("c")]),
    _asks("plain", [_call("c")]),
    _result("plain", "c"),  # two calls of the replay share its id
    _asks("other", [_call("a")]),  # an id is unique in its session
    _result("other", "a", name=None),
    _result("other", "b"),  # called in another session only
]

_REPLAY_STATES = [
    _asks("compacted", [_call("k")], active=0, compacted=1),
    _result("compacted", "k", active=0, compacted=1),
    _asks("compacted", [_call("k")]),  # the live copy
    _result("compacted", "k"),
    _asks("compacted", [_call("m")], active=0),
    _result("compacted", "m"),  # its call is out of the replay
    _asks("compacted", [_call("n")], active=None),
    _result("compacted", "n", active=1),  # NULL is in
]

_ODD_ARRAYS = [
    _asks("odd", "[]"),
    _asks("odd", [None, _call("o1"), "text", [1], 5]),  # elements that are no call keep their places
    _result("odd", "o1"),
    _asks("odd", _call("o2")),  # an object
    _result("odd", "o2"),
    _asks("odd", "[" + json.dumps(_call("o3"))),  # not JSON
    _asks("odd", json.dumps(json.dumps([_call("o4")]))),  # encoded twice
    _asks("odd", [{}, {"id": None}, {"id": "", "function": {}}, {"id": 7, "function": "no object", "name": "n"}]),
    _result("odd", ""),
    _result("odd", "7"),  # the id is a number
    _asks("odd", [{"id": "o5", "name": "flat", "arguments": {"a": [1.0, 2**60]}}]),
    _asks("odd", [{"id": "o6", "name": "outer", "arguments": "x", "function": {"name": None, "arguments": None}}]),
    _asks("odd", [{"id": "o7", "name": "outer", "arguments": "x", "function": {"name": "inner", "arguments": "{}"}}]),
    _asks("odd", [_call("o8", arguments="not json {"), _call("o9", arguments=""), _call("o10", arguments=False)]),
    _asks("odd", '[{"id": "o11", "id": "o12", "function": {"name": "\\ud83d", "arguments": "{}"}}]'),
    _asks("odd", "", content="no calls at all"),
    {"session_id": "odd", "role": "user", "content": "x", "tool_call_id": "o1", "tool_name": "read"},  # no result
    {"session_id": "odd", "role": "user", "content": "x", "tool_calls": json.dumps([_call("o13")])},
    {"session_id": "odd", "role": "Tool", "content": "x", "tool_call_id": "o1", "tool_call_uid": "u1"},
]

CALLS: Rows = {
    "sessions": [{"id": name, "source": "cli"} for name in ("uids", "plain", "other", "compacted", "odd")],
    "messages": [*_WITH_UIDS, *_WITHOUT_UIDS, *_REPLAY_STATES, *_ODD_ARRAYS],
}
