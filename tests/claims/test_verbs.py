"""`mutate`, `claims` and `explain`: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.claims.descriptors import HEAD, ROLE, descriptor_with
from validator import schemas
from validator.cli import cli

ROOT = Path(__file__).parents[2]
TEXT = str(ROOT / "captures" / "0.19.0-text")
API = str(ROOT / "captures" / "0.19.0-api")
LINEAGE = str(ROOT / "tests" / "constructed" / "lineage")


def said(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def told(verb: str, *words: str) -> Any:
    """The JSON of a verb, held against its schema."""
    document = json.loads(said(verb, *words, "--json").stdout)
    assert schemas.errors(verb, document) == []
    return document


def mutant(name: str, sql: str) -> str:
    return f'\n[[claim.mutants]]\nname = "{name}"\nsql = """{sql}"""\n'


def test_mutate_ends_with_0_when_every_mutant_is_killed(tmp_path: Path) -> None:
    result = said("mutate", TEXT, "--descriptor", descriptor_with(tmp_path, test=ROLE))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 of 2 mutants killed, 0 survived, 0 not applied, on 1 captures" in result.stdout


def test_mutate_ends_with_1_when_a_mutant_survives_and_names_it(tmp_path: Path) -> None:
    claims = ROLE + mutant("unnoticed", "UPDATE record SET model = 'x'")
    result = said("mutate", TEXT, "--descriptor", descriptor_with(tmp_path, test=claims))
    assert result.exit_code == 1
    assert "survived: test.role: unnoticed" in result.stdout


def test_mutate_ends_with_1_when_a_mutant_changes_nothing_and_does_not_call_it_killed(tmp_path: Path) -> None:
    claims = ROLE + mutant("idle", "UPDATE record SET role = 'x' WHERE role = 'nobody'")
    where = descriptor_with(tmp_path, test=claims)
    assert said("mutate", TEXT, "--descriptor", where).exit_code == 1
    document = told("mutate", TEXT, "--descriptor", where)
    assert (document["killed"], document["survived"]) == (2, [])
    assert document["not_applied"] == [{"claim": "test.role", "mutant": "idle"}]


def test_mutate_tells_which_claims_noticed(tmp_path: Path) -> None:
    other = HEAD.replace("test.role", "test.roles-again")
    claims = ROLE + mutant("spoken by a session", "UPDATE record SET role = 'x' WHERE etype = 'session'") + other
    document = told("mutate", TEXT, "--descriptor", descriptor_with(tmp_path, test=claims))
    role, again = document["claims"]
    assert [entry["killed_by"] for entry in role["mutants"]] == [["test.role", "test.roles-again"]] * 3
    assert (again["claim"], again["mutants"]) == ("test.roles-again", [])


def test_mutate_lists_where_a_killed_mutant_went_unnoticed(tmp_path: Path) -> None:
    claims = (
        ROLE
        + """
[[claim.mutants]]
name = "noticed in one store"
sql = [
    "UPDATE record SET model = 'x' WHERE etype = 'session'",
    "UPDATE record SET role = 'x' WHERE stream IN (SELECT stream FROM record_stream WHERE session = 'fork')",
]
"""
    )
    document = told("mutate", TEXT, LINEAGE, "--descriptor", descriptor_with(tmp_path, test=claims))
    entry = document["claims"][0]["mutants"][2]
    assert (entry["state"], entry["applied"], entry["silent"]) == ("killed", 2, ["0.19.0-text"])
    text = said("mutate", TEXT, LINEAGE, "--descriptor", str(tmp_path / "descriptor")).stdout
    assert "test.role: noticed in one store: silent on 0.19.0-text\n" in text


def test_mutate_counts_agents_drivers_and_constructors_apart(tmp_path: Path) -> None:
    document = told("mutate", TEXT, API, LINEAGE, "--descriptor", descriptor_with(tmp_path, test=ROLE))
    assert document["claims"][0]["exercised"] == {
        "agent": ["0.19.0-text"],
        "driver": ["0.19.0-api"],
        "constructed": ["lineage"],
    }


def test_mutate_does_not_count_a_capture_on_which_the_claim_does_not_hold(tmp_path: Path) -> None:
    claims = ROLE.replace("WHERE r.role IS NOT m.role", "WHERE r.role IS NOT m.role OR r.role = 'user'")
    document = told("mutate", TEXT, "--descriptor", descriptor_with(tmp_path, test=claims))
    assert document["claims"][0]["violated"] == ["0.19.0-text"]
    assert {entry["state"] for entry in document["claims"][0]["mutants"]} == {"not applied"}


def test_a_capture_that_cannot_be_used_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"SQLite format 3\0 and no more")
    words = (str(tmp_path / "state.db"), "--descriptor", descriptor_with(tmp_path, test=ROLE), "--namespace", "n")
    document = told("mutate", *words)
    assert [entry["capture"] for entry in document["unusable"]] == ["state.db"]
    assert "state.db: not used: " in said("mutate", *words).stdout
    assert "state.db: not used: " in said("claims", *words).stderr


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE native_message SET role = 'x'", "not authorized"),
        ("UPDATE record SET rolle = 'x'", "no such column: rolle"),
        ("SELEKT", "near"),
        ("UPDATE record SET role = 'x'; DELETE FROM record", "one statement at a time"),
    ],
)
def test_a_mutant_that_fails_is_a_configuration_error(tmp_path: Path, sql: str, reason: str) -> None:
    result = said("mutate", TEXT, "--descriptor", descriptor_with(tmp_path, test=ROLE + mutant("bad", sql)))
    assert result.exit_code == 2
    assert result.stderr.startswith("validator: claims/test.toml: mutant 'bad' of test.role fails: ")
    assert reason in result.stderr
    assert result.stdout == ""


def test_claims_tells_of_each_whether_it_is_enforced(tmp_path: Path) -> None:
    thin = HEAD.replace("test.role", "test.one-mutant") + mutant("m", "UPDATE record SET role = 'x'")
    idle = ROLE.replace("test.role", "test.idle").replace('subjects = "', 'subjects = "SELECT 1 WHERE 0 -- ')
    where = descriptor_with(tmp_path, a=ROLE, b=thin, c=idle)
    entries = {entry["claim"]: entry for entry in told("claims", TEXT, LINEAGE, "--descriptor", where)["claims"]}
    assert {name: entry["enforced"] for name, entry in entries.items()} == {
        "test.idle": False,
        "test.one-mutant": False,
        "test.role": True,
    }
    assert entries["test.role"] == {
        "claim": "test.role",
        "level": "error",
        "statement": "The role is the stored role.",
        "formats": ["hermes-state-sqlite", "hermes-home-files"],
        "evidence": [0],
        "enforced": True,
        "mutants": ["all alike", "left out"],
        "killed": 2,
        "captures": ["0.19.0-text"],
        "driver": [],
        "constructed": 1,
    }
    text = said("claims", TEXT, "--descriptor", where).stdout
    assert "not exercised: test.idle\n" in text
    assert "1 of 3 claims enforced" in text


def test_claims_of_an_installation_without_captures_have_not_been_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("validator.mutation", "validator.capture.targets"):
        monkeypatch.setattr(f"{module}.shipped", lambda: tmp_path / "nowhere")
    monkeypatch.setattr("validator.mutation.constructed", lambda: tmp_path / "nowhere")
    where = descriptor_with(tmp_path, test=ROLE)
    (entry,) = told("claims", "--descriptor", where)["claims"]
    assert (entry["enforced"], entry["killed"], entry["captures"]) == (None, None, [])
    assert told("explain", "test.role", "--descriptor", where)["enforced"] is None
    assert said("mutate", "--descriptor", where).exit_code == 2


def test_explain_shows_the_whole_claim(tmp_path: Path) -> None:
    where = descriptor_with(tmp_path, test=ROLE)
    text = said("explain", "test.role", TEXT, "--descriptor", where).stdout
    for part in (
        "test.role  (error; claims/test.toml)",
        "The role is the stored role.",
        "From: A test",
        "Evidence 0: source, 89a6e05de462768016b2ae0d684338e3cce3f3ee",
        "Enforced: yes",
        "Exercised by agent captures: 0.19.0-text",
        "Exercised by driver captures: none",
        "SELECT unit FROM native_message",
        "WHERE r.role IS NOT m.role",
        "all alike: killed",
        "UPDATE record SET role = 'user' WHERE role IS NOT NULL",
        "the edit remove of the lines where pointer = '/role', table = 'messages', take = 'last'",
        "expected assistant, found user",
        "What to do: Write the role.",
    ):
        assert part in text


def test_explain_makes_its_example_by_breaking_a_capture(tmp_path: Path) -> None:
    """0.19.0-text holds two messages, a user's and the assistant's answer; `all alike` breaks the answer's role."""
    document = told("explain", "test.role", TEXT, "--descriptor", descriptor_with(tmp_path, test=ROLE))
    example = document["example"]
    assert (example["capture"], example["mutant"]) == ("0.19.0-text", "all alike")
    assert example["where"] | {"streamLine": 0} == {
        "source": "state.db",
        "table": "messages",
        "key": ["2"],
        "pointer": "/role",
        "streamLine": 0,
    }
    assert (example["expected"], example["found"], example["count"]) == ("assistant", "user", 1)


def test_explain_of_an_unknown_claim_names_the_closest_one(tmp_path: Path) -> None:
    where = descriptor_with(tmp_path, test=ROLE)
    result = said("explain", "test.rolle", TEXT, "--descriptor", where)
    assert result.exit_code == 2
    assert result.stderr == (
        "validator: there is no claim 'test.rolle'; did you mean 'test.role'? `validator claims` lists them all\n"
    )
    assert "did you mean" not in said("explain", "xyz", TEXT, "--descriptor", where).stderr


@pytest.mark.parametrize("verb", [("mutate",), ("claims",), ("explain", "test.role")])
def test_the_output_is_the_same_every_time(verb: tuple[str, ...], tmp_path: Path) -> None:
    words = (*verb, TEXT, LINEAGE, "--json", "--descriptor", descriptor_with(tmp_path, test=ROLE))
    first = said(*words)
    assert first.exit_code == 0
    assert said(*words).stdout == first.stdout
    assert str(tmp_path) not in first.stdout
