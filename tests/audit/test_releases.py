"""The audits of real releases say what was measured on their stores; slow, because it fetches their wheels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from validator.audit import audit
from validator.audit.targets import fetch
from validator.descriptor import load

pytestmark = pytest.mark.slow

# What the table of measured facts says is new against the release before.
NEW = {
    ("0.15.0", "0.14.0"): (13, {"messages.platform_message_id", "messages.observed"}),
    ("0.18.0", "0.17.0"): (
        17,
        {
            "messages.compacted",
            "sessions.session_key",
            "sessions.chat_id",
            "sessions.chat_type",
            "sessions.thread_id",
            "sessions.git_branch",
            "sessions.git_repo_root",
            "sessions.compression_failure_cooldown_until",
            "sessions.compression_failure_error",
        },
    ),
    ("0.18.2", "0.18.0"): (
        19,
        {"gateway_routing", "sessions.display_name", "sessions.origin_json", "sessions.expiry_finalized"},
    ),
}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    versions = sorted({version for pair in NEW for version in pair})
    return {v: fetch(f"hermes-agent=={v}", tmp_path_factory.mktemp(v.replace(".", "-"))) for v in versions}


@pytest.mark.parametrize("pair", NEW, ids=" since ".join)
def test_a_release_brings_what_was_measured(wheels: dict[str, Path], pair: tuple[str, str]) -> None:
    layout, new = NEW[pair]
    found = audit(str(wheels[pair[0]]), load(), str(wheels[pair[1]]))
    assert found.target.layouts[0][1].version == layout
    assert {d.name for d in found.drift if d.kind in ("table", "column")} == new
    assert all(d.change == "new" for d in found.drift)


@pytest.mark.parametrize("version", sorted({version for pair in NEW for version in pair}))
def test_a_known_release_brings_nothing_new_against_the_shape(wheels: dict[str, Path], version: str) -> None:
    start = spent()
    assert audit(str(wheels[version]), load()).drift == ()
    assert spent() - start < 20


def spent() -> float:
    """Seconds of processor time of this process and its children: a busy machine does not count."""
    return sum(os.times()[:4])
