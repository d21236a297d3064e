"""A stream that is right but for one statement: exactly the claims that the statement concerns find it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from validator.capture import find
from validator.claims import Mutant
from validator.claims import load as load_claims
from validator.claims.mutate import Bench, Trial
from validator.descriptor import load
from validator.mutation import on_bench
from validator.replay import Options, Replay
from validator.replay.converters import BuiltIn

HERE = Path(__file__).parent
LIES: list[dict[str, Any]] = tomllib.loads((HERE / "lies.toml").read_text(encoding="utf-8"))["lie"]


@cache
def trials(capture_id: str) -> dict[str, Trial]:
    """Tell all lies about one capture, each by itself."""
    descriptor = load()
    claims = load_claims(descriptor)
    (capture,) = find([str(HERE.parents[1] / "captures" / capture_id)], descriptor)
    told: dict[str, Trial] = {}

    def use(bench: Bench, _: Replay) -> None:
        for lie in LIES:
            if lie["on"] == capture_id:
                told[lie["name"]] = bench.trial(claims[0], Mutant(lie["name"], (), lie["edit"], lie["where"]))

    result = on_bench(capture, descriptor, claims, Options(BuiltIn()), use)
    assert not result.problems
    return told


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie["name"])
def test_a_lie_is_found_by_the_claims_that_it_concerns_and_no_other(lie: dict[str, Any]) -> None:
    trial = trials(lie["on"])[lie["name"]]
    assert trial.applied
    assert sorted(trial.fired) == sorted(lie["fires"])


def test_every_claim_on_a_store_finds_a_lie() -> None:
    fired = {claim for lie in LIES for claim in lie["fires"]}
    known = {claim.id for claim in load_claims(load()) if "hermes-state-sqlite" in claim.formats}
    assert known - fired == set()
