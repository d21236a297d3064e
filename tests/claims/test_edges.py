"""The edge cases of the format, on constructed stores: what is right is let through, and what tempts is found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.stores import Row, Rows, build
from validator.capture import find
from validator.claims import Mutant
from validator.claims import load as load_claims
from validator.claims.mutate import Bench
from validator.descriptor import load
from validator.mutation import on_bench
from validator.replay import Options, Replay
from validator.replay.converters import BuiltIn

NEWEST_CAPTURED = 31
FORK = ["links.fork", "links.marker-equals-parent", "links.related-unknown"]
CALLS = ["entity.tool-call", "standard.tool-calls"]
REPLAY = ["context.archived", "context.replay"]


@dataclass(frozen=True)
class Edge:
    """A store, a lie about it in SQL, and the claims that the lie is found by."""

    rows: Rows
    lie: str
    fires: list[str]
    more: dict[str, Any] = field(default_factory=dict)
    """Further arguments of `build`."""


def judged(folder: Path, rows: Rows, lies: list[str], **more: Any) -> tuple[list[str], list[list[str]]]:
    """The claims that the built-in converter violates on a store, and those that find each lie."""
    build(folder / "state.db", NEWEST_CAPTURED, rows, **more)
    descriptor = load()
    claims = load_claims(descriptor)
    (capture,) = find([str(folder / "state.db")], descriptor)
    fired: list[list[str]] = []

    def use(bench: Bench, _: Replay) -> None:
        for lie in lies:
            trial = bench.trial(claims[0], Mutant(lie, (lie,)))
            assert trial.applied, lie
            fired.append(sorted(trial.fired))

    own = any(row.get("key") == "store_instance_id" for row in rows.get("state_meta", ()))
    result = on_bench(capture, descriptor, claims, Options(BuiltIn(), {} if own else {None: "n"}), use)
    assert len(fired) == len(lies), result.problems
    return [outcome.claim.id for outcome in result.outcomes if outcome.violated], fired


def family(config: Any, parent: str = "p", **more: Any) -> Rows:
    """A parent (unless it is `gone`) and a child with this `model_config`."""
    text = config if isinstance(config, str) else json.dumps(config)
    child: Row = {"id": "child", "source": "cli", "parent_session_id": parent, "model_config": text, **more}
    return {"sessions": [{"id": "p", "source": "cli"}, child]}


def calls(stored: Any, *results: Row, uids: Any = None) -> Rows:
    """A message with these calls, and what follows it."""
    text = stored if isinstance(stored, str) else json.dumps(stored)
    asked: Row = {"id": 1, "session_id": "s", "role": "assistant", "tool_calls": text}
    if uids is not None:
        asked = {**asked, "tool_call_uids": json.dumps(uids)}
    return {"sessions": [{"id": "s", "source": "cli"}], "messages": [asked, *results]}


def result(number: int, call_id: str | None, **more: Any) -> Row:
    return {"id": number, "session_id": "s", "role": "tool", "tool_call_id": call_id, **more}


def call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "function": {"name": "t", "arguments": "{}"}}


SAYS_FORK = "UPDATE record_link SET rel = 'fork'"
GROUP: Row = {"source": "telegram", "chat_id": "-1", "chat_type": "group", "user_id": "42"}

EDGES = {
    "model_config that is not JSON": Edge(family("{'_branched_from': 'p'}"), SAYS_FORK, FORK),
    "model_config that is no object": Edge(family(["_branched_from", "p"]), SAYS_FORK, FORK),
    "model_config that is encoded twice": Edge(family('"{\\"_branched_from\\": \\"p\\"}"'), SAYS_FORK, FORK),
    "model_config with NaN": Edge(family('{"_branched_from": "p", "t": NaN}'), SAYS_FORK, FORK),
    "a marker that is not text": Edge(family({"_branched_from": True}), SAYS_FORK, FORK),
    "a marker in another case": Edge(family({"_branched_from": "P"}), SAYS_FORK, FORK),
    "a marker that differs from the parent": Edge(family({"_branched_from": "older"}), SAYS_FORK, FORK),
    "a link to what a marker names": Edge(
        family({"_branched_from": "older"}),
        "UPDATE record_link SET rel = 'fork', to_key = 'older'",
        FORK,
    ),
    "a marker that names a deleted session, which is the parent": Edge(
        family({"_branched_from": "gone"}, parent="gone"),
        "UPDATE record_link SET rel = 'relatedUnknown'",
        ["links.fork", "links.related-unknown"],
    ),
    "a deleted parent without a marker": Edge(
        family({}, parent="gone"), "DELETE FROM record_link", ["links.related-unknown"]
    ),
    "two markers that equal the parent": Edge(
        family({"_delegate_from": "p", "_branched_from": "p"}),
        "UPDATE record_link SET rel = 'spawn'",
        ["links.fork", "links.spawn"],
    ),
    "a parent that is the empty text": Edge(
        family({"_branched_from": ""}, parent=""), "DELETE FROM record_link", ["links.fork"]
    ),
    "a marker without a parent pointer": Edge(
        {"sessions": [{"id": "s", "source": "subagent", "model_config": '{"_delegate_from": "__orphaned__"}'}]},
        "INSERT INTO record_link SELECT line, 0, 'spawn', 'session', '__orphaned__' FROM record",
        ["links.marker-equals-parent", "links.related-unknown", "links.spawn", "links.subagent-scope"],
    ),
    "tool_calls that is an object": Edge(
        calls(call("a")),
        "INSERT INTO record_call SELECT line, 0, '1/0', 'a', 't', NULL FROM record WHERE etype = 'message'",
        ["entity.tool-call"],
    ),
    "tool_calls with null entries": Edge(
        calls([None, call("a")]), "UPDATE record_call SET occurrence = '1/0'", ["entity.tool-call"]
    ),
    "a null entry that is counted as a call": Edge(
        calls([call("a"), None]), "UPDATE record SET calls = 2 WHERE calls = 1", ["standard.tool-calls"]
    ),
    "a call without an id": Edge(
        calls([{"name": "t"}]), "UPDATE record_call SET provider_id = occurrence", CALLS
    ),
    "an id that is repeated in a message": Edge(
        calls([call("a"), call("a")], uids={"a": "u"}), "UPDATE record_call SET occurrence = 'u'", ["entity.tool-call"]
    ),
    "an id that is repeated in a message, and its result": Edge(
        calls([call("a"), call("a")], result(2, "a")),
        "UPDATE record SET result_call = '1/0' WHERE result = 1",
        ["entity.tool-join-unique"],
    ),
    "an id that is repeated in a session": Edge(
        calls([call("a")], result(2, "a"), {"id": 3, "session_id": "s", "tool_calls": json.dumps([call("a")])},
              result(4, "a")),
        "UPDATE record SET result_call = '1/0' WHERE ekey = '2'",
        ["entity.tool-join-unique"],
    ),
    "an id that is repeated in the other replay state": Edge(
        calls([call("a")], {"id": 2, "session_id": "s", "tool_calls": json.dumps([call("a")]), "active": 0},
              result(3, "a")),
        "UPDATE record SET result_call = '2/0' WHERE result = 1",
        ["entity.tool-join-unique"],
    ),
    "an id that only a call of the other replay state has": Edge(
        calls([call("a")], result(2, "a", active=0)),
        "UPDATE record SET result_call = '1/0' WHERE result = 1",
        ["entity.tool-join-unique"],
    ),
    "an id that a call of another session has": Edge(
        calls([call("a")], {**result(2, "a"), "session_id": "other"}),
        "UPDATE record SET result_call = '1/0' WHERE result = 1",
        ["entity.tool-join-unique"],
    ),
    "tool_call_uids that is no map": Edge(
        calls([call("a")], uids=["u"]), "UPDATE record_call SET occurrence = 'u'", ["entity.tool-call"]
    ),
    "a uid that is not text": Edge(
        calls([call("a")], uids={"a": 7}), "UPDATE record_call SET occurrence = '7'", ["entity.tool-call"]
    ),
    "one uid for two calls": Edge(
        calls([call("a"), call("b")], uids={"a": "u", "b": "u"}),
        "UPDATE record_call SET occurrence = '1/1' WHERE idx = 1",
        ["entity.tool-call"],
    ),
    "a uid that names no call": Edge(
        calls([call("a")], result(2, "a", tool_call_uid="lost")),
        "UPDATE record SET result_call = '1/0' WHERE result = 1",
        ["entity.tool-result"],
    ),
    "a uid that is the empty text": Edge(
        calls([call("a")], result(2, "a", tool_call_uid="")),
        "UPDATE record SET result_call = '' WHERE result = 1",
        ["entity.tool-join-unique"],
    ),
    "api_content that is content": Edge(
        {"messages": [{"session_id": "s", "content": "x", "api_content": "x"}]},
        "UPDATE record SET display = NULL",
        ["context.api-content"],
    ),
    "api_content without content": Edge(
        {"messages": [{"session_id": "s", "content": None, "api_content": "x"}]},
        "UPDATE record SET display = content",
        ["context.api-content"],
    ),
    "api_content that is the empty text": Edge(
        {"messages": [{"session_id": "s", "content": "x", "api_content": ""}]},
        "UPDATE record SET content = display",
        ["context.api-content", "standard.content"],
    ),
    "active that is NULL": Edge(
        {"messages": [{"session_id": "s", "active": None}]},
        "UPDATE record SET replay = 0",
        REPLAY,
        {"strict": False},
    ),
    "active that is the text 0": Edge(
        {"messages": [{"session_id": "s", "active": "0"}]}, "UPDATE record SET replay = 0", REPLAY, {"raw": True}
    ),
    "active that is 2": Edge({"messages": [{"session_id": "s", "active": 2}]}, "UPDATE record SET replay = 0", REPLAY),
    "a session id that looks like a path": Edge(
        {"sessions": [{"id": "../../etc/passwd", "source": "cli"}]},
        "UPDATE record_stream SET session = 'passwd'",
        ["identity.session"],
    ),
    "a namespace that looks like a path": Edge(
        {"state_meta": [{"key": "store_instance_id", "value": "/srv/agent"}], "sessions": [{"id": "s"}]},
        "UPDATE record_stream SET namespace = 'agent'",
        ["identity.namespace", "identity.namespace-not-path"],
    ),
    "an empty store_instance_id": Edge(
        {"state_meta": [{"key": "other", "value": ""}], "sessions": [{"id": "s"}]},
        "UPDATE record_stream SET basis = 'store-instance-id'",
        ["identity.namespace", "identity.namespace-legacy"],
    ),
    "a group with chat fields, and its user": Edge(
        {"sessions": [{"id": "s", **GROUP}], "messages": [{"session_id": "s", "role": "user"}]},
        "UPDATE record SET author = '42' WHERE role = 'user'",
        ["context.author"],
    ),
    "a group with chat fields, and no channel": Edge(
        {"sessions": [{"id": "s", **GROUP}]},
        "UPDATE record SET channel = NULL, channel_source = NULL, channel_chat = NULL, channel_type = NULL",
        ["context.channel"],
    ),
    "a group without chat fields": Edge(
        {"sessions": [{"id": "s", "source": "telegram", "chat_type": "group", "user_id": "42"}]},
        "UPDATE record SET channel = 1, channel_source = 'telegram', channel_chat = '42', channel_type = 'group'",
        ["context.channel"],
    ),
    "a chat whose id is the empty text": Edge(
        {"sessions": [{"id": "s", "source": "telegram", "chat_id": ""}]},
        "UPDATE record SET channel = NULL, channel_source = NULL, channel_chat = NULL",
        ["context.channel"],
    ),
    "a role that is no tool's, with a tool's columns": Edge(
        {"messages": [{"session_id": "s", "role": "Tool", "tool_name": "t", "tool_call_id": "a"}]},
        "UPDATE record SET result = 1, result_name = 't', result_provider = 'a'",
        ["entity.tool-result", "standard.tool-name"],
    ),
    "a message whose session has no row": Edge(
        {"messages": [{"session_id": "gone"}]}, "UPDATE record_stream SET session = NULL", ["identity.session"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES)
def test_an_edge_case_is_judged_rightly_both_ways(tmp_path: Path, edge: Edge) -> None:
    assert judged(tmp_path, edge.rows, [edge.lie], **edge.more) == ([], [edge.fires])


STATUSES = ("actual", "estimated", "included", "unknown", "", "Actual", None)
SOURCES = ("provider_cost_api", "provider_generation_api", "provider_models_api", "official_docs_snapshot",
           "user_override", "none", None)  # fmt: skip
BASES = ("actual", "estimated", "included", "provider", "unknown")


def basis(status: str | None, source: str | None) -> str | None:
    """What a cost rests on, by the ledger."""
    if status == "actual" and source in ("provider_cost_api", "provider_generation_api"):
        return "provider"
    return status if status in ("actual", "estimated", "included") else None


def test_every_cost_status_with_every_cost_source_has_one_basis_and_one_amount(tmp_path: Path) -> None:
    both = list(product(STATUSES, SOURCES))
    sessions: list[Row] = [
        {"id": f"s{n}", "cost_status": status, "cost_source": source, "actual_cost_usd": 1.5, "estimated_cost_usd": 2.5}
        for n, (status, source) in enumerate(both)
    ]
    lies, expected = [], []
    for n, (status, source) in enumerate(both):
        right = basis(status, source)
        amount = {"included": 0, "estimated": 2.5}.get(right or "", 1.5)
        for wrong in BASES:
            if wrong != right:
                lies.append(f"UPDATE record SET cost_basis = '{wrong}' WHERE ekey = 's{n}'")
                expected.append(["usage.provider-cost"])
        for wrong_amount in (0, 1.5, 2.5):
            if right is None or wrong_amount != amount:
                lies.append(f"UPDATE record SET cost_amount = {wrong_amount} WHERE ekey = 's{n}'")
                expected.append(["usage.zero-cost"])
    violated, fired = judged(tmp_path, {"sessions": sessions}, lies)
    assert violated == []
    assert dict(zip(lies, fired, strict=True)) == dict(zip(lies, expected, strict=True))
