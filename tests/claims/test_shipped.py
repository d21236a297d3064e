"""The claims that ship: whole, sound, each able to fail, and each exercised as far as captures go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from validator import schemas
from validator.claims import load as load_claims
from validator.claims.lint import lint
from validator.descriptor import load
from validator.mutation import document, mutate
from validator.replay import Options
from validator.replay.converters import BuiltIn

ROOT = Path(__file__).parents[2]

LEDGER = """
identity.name identity.store identity.session identity.namespace identity.namespace-legacy identity.namespace-not-path
identity.namespace-required position.transcript position.current-state position.order context.replay context.archived
context.summary context.api-content context.observed context.author context.platform-message context.channel
unassigned.delivery unassigned.mirror unassigned.trigger-session unassigned.trigger-turn links.fork links.spawn
links.reset links.marker-equals-parent links.related-unknown links.subagent-scope links.child-identity links.no-root
links.no-copied-prefix entity.message entity.tool-call entity.tool-result entity.tool-join-unique entity.message-uid
usage.summary usage.dimensions usage.zero-cost usage.provider-cost usage.instructions usage.receipt
destinations.model-usage destinations.origin destinations.thread-id destinations.closed mapping.native
mapping.conservation mapping.unjustified-gap
standard.role standard.content standard.time standard.tool-calls standard.tool-name standard.reasoning standard.finish
standard.session standard.counts standard.values
""".split()
"""The ledger's claims on hermes-state-sqlite, and its standard fields that concern it."""

NO_AGENT = {"context.author", "unassigned.trigger-session", "unassigned.trigger-turn", "links.subagent-scope",
            "destinations.thread-id", "usage.receipt"}  # fmt: skip
"""Claims of which no agent's capture holds a subject: known from the stores, and said in reports."""


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """What `mutate` says of every claim over every capture."""
    targets = [str(ROOT / "captures"), str(ROOT / "tests" / "constructed")]
    return document(mutate(targets, None, Options(BuiltIn())))


def of_stores(result: dict[str, Any]) -> dict[str, Any]:
    return {entry["claim"]: entry for entry in result["claims"] if entry["claim"] in LEDGER}


def test_every_claim_of_the_ledger_is_there() -> None:
    assert len(set(LEDGER)) == 59
    assert set(LEDGER) <= {claim.id for claim in load_claims(load())}


def test_the_claims_have_no_fault() -> None:
    assert [str(fault) for fault in lint(load())] == []


def test_the_result_is_valid(result: dict[str, Any]) -> None:
    assert schemas.errors("mutate", result) == []


def test_every_mutant_is_killed(result: dict[str, Any]) -> None:
    assert (result["survived"], result["not_applied"], result["unusable"]) == ([], [], [])
    assert result["killed"] == result["mutants"] > 110


def test_every_claim_has_two_mutants_at_least(result: dict[str, Any]) -> None:
    few = [name for name, entry in of_stores(result).items() if len(entry["mutants"]) < 2]
    assert few == []


def test_every_claim_holds_on_every_capture(result: dict[str, Any]) -> None:
    assert [entry["claim"] for entry in result["claims"] if entry["violated"]] == []


def test_every_claim_is_exercised_by_an_agent_s_capture_wherever_one_holds_a_subject(result: dict[str, Any]) -> None:
    claims = of_stores(result)
    assert {name for name, entry in claims.items() if not entry["exercised"]["agent"]} == NO_AGENT
    assert [name for name in NO_AGENT if not claims[name]["exercised"]["constructed"]] == []


def test_every_mutant_is_noticed_by_its_own_claim(result: dict[str, Any]) -> None:
    for name, entry in of_stores(result).items():
        for mutant in entry["mutants"]:
            assert name in mutant["killed_by"], mutant["mutant"]


def test_few_mutants_go_unnoticed_anywhere(result: dict[str, Any]) -> None:
    """A mutant that its claim notices on some captures only is worth a look: these have been looked at.

    Each changes, in captures that hold a home's files, records of the other format too, or records in which what
    its claim is about cannot be told from what was there.
    """
    silent = {
        (entry["claim"], mutant["mutant"])
        for entry in result["claims"]
        for mutant in entry["mutants"]
        if mutant["silent"]
    }
    assert silent <= {
        ("home.priority", "a type of its own for assistants' turns"),
        ("home.session-tools", "each result with the call before it"),
        ("identity.namespace", "the id without its hyphens, in the store's own stream only"),
        ("identity.session", "the store's own records in a session"),
        ("links.no-root", "the parent of a child as its root"),
        ("standard.content", "the content of the message before"),
        ("standard.role", "unknown roles as the system's"),
        ("standard.session", "the start cut to seconds"),
    }
