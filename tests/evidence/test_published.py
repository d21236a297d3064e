"""The evidence that is published with the project: real, whole, and what a fresh replay gives.

Where one of these fails after a change of claims, notices, captures or converters: ``make evidence`` writes it again.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from validator import schemas
from validator.capture.targets import shipped
from validator.descriptor import load

ROOT = Path(__file__).parents[2]
MANIFESTS = {
    path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(shipped().glob("*/capture.json"))
}
EVIDENCE: list[dict[str, Any]] = load().document["evidence"]
GIVEN = ("source", "probe", "observed")
"""The labels of the three items that the descriptor was given with."""

AGAIN = "run `make evidence`"


def told(manifest: dict[str, Any]) -> str:
    return f"{manifest['version']}; source {manifest['revision']}"


VERSIONS = {told(manifest): manifest["package"] for manifest in MANIFESTS.values()}


def observed(version: str) -> dict[str, Any]:
    [item] = [item for item in EVIDENCE if item["label"] == "observed" and item["version"] == version]
    return item


def test_the_items_that_the_descriptor_was_given_with_keep_their_indices() -> None:
    assert tuple(item["label"] for item in EVIDENCE[:3]) == GIVEN
    assert {item.get("revision", item.get("version")) for item in EVIDENCE[:2]} == {
        "89a6e05de462768016b2ae0d684338e3cce3f3ee",
        "commit:89a6e05de462768016b2ae0d684338e3cce3f3ee",
    }
    assert EVIDENCE[2]["validation"]["records"] == 42


def test_a_fresh_replay_gives_every_observation_within_half_a_minute() -> None:
    started = time.monotonic()
    result = run("evidence", "check", "--json")
    assert time.monotonic() - started < 30
    document = json.loads(result.out)
    differing = [item for item in document["items"] if item["status"] not in ("reproduced", "not reproducible here")]
    assert differing == [], AGAIN
    assert (result.code, document["captures"], document["uncommitted"]) == (0, len(MANIFESTS), [])
    reproduced = {item["version"] for item in document["items"] if item["status"] == "reproduced"}
    assert reproduced == set(VERSIONS)
    assert [item["index"] for item in document["items"] if item["status"] == "not reproducible here"] == [2]


def test_every_version_is_observed_nine_releases_and_three_forks() -> None:
    packages = list(VERSIONS.values())
    assert (len(packages), packages.count("hermes-agent")) == (12, 9)
    assert all(observed(version) for version in VERSIONS)


@pytest.mark.parametrize("version", [version for version, package in VERSIONS.items() if package != "hermes-agent"])
def test_a_fork_is_named_as_a_fork(version: str) -> None:
    assert f"Written by {VERSIONS[version]}, a third-party fork of hermes-agent." in observed(version)["limitations"]


def test_observations_through_a_driver_say_so() -> None:
    drivers = [manifest for manifest in MANIFESTS.values() if manifest["made"]["by"] == "driver"]
    assert drivers
    for manifest in drivers:
        assert "Driven through the release's own storage class" in observed(told(manifest))["limitations"]


def test_the_observations_in_the_reports_are_the_descriptor_s_items() -> None:
    files = sorted((ROOT / "reports" / "observations").glob("*.json"))
    blocks = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    assert sorted(block["version"] for block in blocks) == sorted(VERSIONS)
    for block in blocks:
        assert block == observed(block["version"]), AGAIN


def test_the_page_is_the_one_that_would_be_written_now() -> None:
    assert run("evidence", "page", "--check").code == 0, AGAIN


def test_the_provenance_is_of_these_captures_and_these_items() -> None:
    side = json.loads((load().folder / "provenance.json").read_text(encoding="utf-8"))
    assert schemas.errors("provenance", side) == []
    captures = [capture for entry in side["observations"] for capture in entry["captures"]]
    recorded = {capture["capture"]: capture["sha256"] for capture in captures}
    assert recorded == {
        name: hashlib.sha256((shipped() / name / "capture.json").read_bytes()).hexdigest() for name in MANIFESTS
    }, AGAIN
    for entry in side["observations"]:
        item = EVIDENCE[entry["evidence"]]
        assert item["version"] == f"{entry['version']}; source {entry['revision']}"
        for name, count in item["validation"].items():
            assert sum(capture["counts"][name] for capture in entry["captures"]) == count, AGAIN
