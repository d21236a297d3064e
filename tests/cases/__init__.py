"""Loads the cases from the field and makes their inputs: a folder that holds a home, and the target in it.

`K*.json` holds a case each, as reported; `expected.toml` says what becomes of it and why, derived from the
contracts and never from a run. Inputs in SQL are run on `base_min.sql`; those in words are made by `inputs`.
"""

from __future__ import annotations

import json
import sqlite3
import tomllib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.cases import inputs

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One report: its id, what it is about, and its input as text in one of six forms."""

    id: str
    title: str
    form: str
    data: str
    right_behaviour: str


@dataclass(frozen=True)
class Expectation:
    """What becomes of a case, or of one variant of its input.

    `kind` says who decides it: `store` and `home` (a check of that target), `gate` (a converter that
    misbehaves), `run` (how the program runs, whatever the target) or `undecidable` (nobody, and `why`).
    What `says` leaves out is not judged.
    """

    case: str
    variant: str
    kind: str
    why: str
    says: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The case's id, with the variant's name where the case has several inputs."""
        return f"{self.case}/{self.variant}" if self.variant else self.case


@cache
def cases() -> Mapping[str, Case]:
    """All cases by id."""
    return {case.id: case for case in map(_case, sorted(FOLDER.glob("K*.json")))}


@cache
def expectations() -> tuple[Expectation, ...]:
    """All expectations, in the order of the file."""
    data = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
    return tuple(_expectation(key, dict(entry)) for key, entry in data.items())


def make(expectation: Expectation, folder: Path) -> Path:
    """Makes the input of an expectation under `folder`, which must be empty, and gives the target of a check.

    Raises:
        LookupError: the case has no input that can be made.
    """
    home = folder / "home"
    home.mkdir()
    case = cases()[expectation.case]
    if case.form == "sql":
        return run_sql(home / "state.db", case.data, *inputs.SQL.get(expectation.id, ()))
    if expectation.id not in inputs.MADE:
        raise LookupError(f"{expectation.id}: nobody makes this input")
    return inputs.MADE[expectation.id](home)


def run_sql(store: Path, *scripts: str) -> Path:
    """A store made by `base_min.sql` and the scripts."""
    base = (FOLDER / "base_min.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for script in (base, *scripts):
            # Statement by statement, as the case came about: in one transaction SQLite would write an index anew.
            connection.executescript(script)
    return store


def _case(path: Path) -> Case:
    data = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        id=data["id"],
        title=data["title"],
        form=data["input"]["form"],
        data=data["input"]["data"],
        right_behaviour=data["right_behaviour"],
    )


def _expectation(key: str, entry: dict[str, Any]) -> Expectation:
    case, _, variant = key.partition("/")
    return Expectation(case, variant, entry.pop("kind"), entry.pop("why"), entry)
