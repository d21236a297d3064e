"""Workbenches of small constructed stores, for tests of claims and mutants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.stores import Rows, build
from validator.capture import find
from validator.claims import Claim, Mutant
from validator.claims.mutate import Bench
from validator.descriptor import load
from validator.mutation import on_bench
from validator.replay import Options, Replay
from validator.replay.converters import BuiltIn

TURN: Rows = {
    "sessions": [{"id": "s", "source": "cli"}],
    "messages": [
        {"session_id": "s", "role": "user", "content": "first"},
        {"session_id": "s", "role": "assistant", "content": "second"},
    ],
}

ROLE = """
SELECT r.unit, r.line, '/role' AS at, m.role AS expected, r.role AS found
FROM record AS r LEFT JOIN native_message AS m ON m.unit = r.unit WHERE r.role IS NOT m.role
"""


def claim(name: str = "test.role", violations: str = ROLE, subjects: str = "SELECT unit FROM native_message") -> Claim:
    """A claim without mutants, by default that a role is the stored one."""
    return Claim(name, "A sentence.", "error", (0,), ("hermes-state-sqlite",), subjects, violations, (), "test.toml")


def sql(*statements: str) -> Mutant:
    return Mutant("a mutant", statements)


def lines(edit: str, **where: object) -> Mutant:
    return Mutant("an edit", (), edit, where)


def on_store(folder: Path, claims: Sequence[Claim], use: Callable[[Bench], None], rows: Rows = TURN) -> Replay:
    """Build a store, replay it, and use its workbench."""
    build(folder / "state.db", rows=rows)
    descriptor = load()
    (capture,) = find([str(folder / "state.db")], descriptor)
    used: list[Bench] = []

    def keep(bench: Bench, _: Replay) -> None:
        used.append(bench)
        use(bench)

    result = on_bench(capture, descriptor, claims, Options(BuiltIn(), {None: "n"}), keep)
    assert used, result.problems
    return result
