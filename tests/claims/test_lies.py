"""Lies that one-sided claims let through: whoever tells one is found out, whatever else is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from validator.capture import find
from validator.claims import Mutant
from validator.claims import load as load_claims
from validator.claims.mutate import Bench, Trial
from validator.descriptor import load
from validator.mutation import on_bench
from validator.replay import Options, Replay
from validator.replay.converters import BuiltIn

ROOT = Path(__file__).parents[2]
REVIEW, PRICED, ERRORS = "0.19.0-edit-review", "0.19.0-priced", "0.19.0-errors"

LIES = {
    "a tool's name where none is stored": (
        ERRORS, "set",
        {"pointer": "/toolResult/name", "value": "x", "lacks": "/toolResult/name", "at": "/role", "is": "tool"},
        "standard.tool-name"),
    "not addressed, everywhere": (
        REVIEW, "set", {"pointer": "/addressed", "value": False, "table": "messages"}, "context.observed"),
    "addressed, on one message": (
        REVIEW, "set", {"pointer": "/addressed", "value": True, "table": "messages", "take": "last"},
        "context.observed"),
    "a display that is the content": (
        REVIEW, "copy", {"pointer": "/content", "to": "/display", "has": "/content"}, "context.api-content"),
    "an author": (
        REVIEW, "set", {"pointer": "/author", "value": "Bob", "at": "/role", "is": "user"}, "context.author"),
    "an empty result on a user's message": (
        REVIEW, "set", {"pointer": "/toolResult", "value": {}, "at": "/role", "is": "user"}, "entity.tool-result"),
    "an actual cost for an estimate": (
        PRICED, "set", {"pointer": "/cost/basis", "value": "actual", "has": "/cost"}, "usage.provider-cost"),
    "a total on a user's message": (
        REVIEW, "set", {"pointer": "/summary", "value": True, "at": "/role", "is": "user"}, "usage.summary"),
    "a summary on a user's message": (
        REVIEW, "set", {"pointer": "/compressedSummary", "value": {"replaces": "unknown"}, "at": "/role", "is": "user"},
        "context.summary"),
    "calls that are none": (
        REVIEW, "set", {"pointer": "/toolCalls", "value": [], "at": "/role", "is": "user"}, "standard.tool-calls"),
    "a channel of nobody": (
        REVIEW, "set", {"pointer": "/channel", "value": {"source": "cli", "chat": "1"}, "table": "messages"},
        "context.channel"),
    "a session that speaks": (
        REVIEW, "set", {"pointer": "/role", "value": "user", "table": "sessions"}, "standard.role"),
    "a model on a message": (
        REVIEW, "set", {"pointer": "/model", "value": "m", "table": "messages", "take": "first"}, "standard.session"),
    "counts on a message": (
        REVIEW, "set", {"pointer": "/counts", "value": {"input_tokens": 1}, "table": "messages"}, "standard.counts"),
    "facts on a message": (
        REVIEW, "set", {"pointer": "/hermes", "value": {"threadId": "1"}, "table": "messages"}, "standard.values"),
    "a cost on a message": (
        PRICED, "set", {"pointer": "/cost", "value": {"amount": 0, "basis": "estimated"}, "table": "messages"},
        "usage.zero-cost"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_out(lie: str) -> None:
    capture_id, edit, where, claim_id = LIES[lie]
    descriptor = load()
    claims = load_claims(descriptor)
    (capture,) = find([str(ROOT / "captures" / capture_id)], descriptor)
    liar = next(claim for claim in claims if claim.id == claim_id)
    trials: list[Trial] = []

    def use(bench: Bench, _: Replay) -> None:
        trials.append(bench.trial(liar, Mutant(lie, (), edit, where)))

    on_bench(capture, descriptor, claims, Options(BuiltIn()), use)
    assert trials[0].applied
    assert claim_id in trials[0].fired
