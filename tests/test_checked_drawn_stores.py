"""A check of any drawn store conforms: the built-in converter and the census, two readers, agree on every row."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, note, settings

from tests.stores import Contents, draw
from tests.test_checked_stores import units
from validator.cli import cli


def checked(drawn: draw.Drawn) -> tuple[Contents, int, Any]:
    """What was written, the exit code, and the report's entry."""
    with tempfile.TemporaryDirectory() as folder:
        contents = drawn.write(Path(folder, "state.db"))
        given_one = [] if drawn.namespace else ["--namespace", "n"]
        result = CliRunner().invoke(cli, ["check", str(contents.path), "--json", *given_one])
    note(result.output)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    (entry,) = json.loads(result.stdout)["captures"]
    return contents, result.exit_code, entry


def conforms(drawn: draw.Drawn) -> None:
    """Holds a check of a drawn store against what was written."""
    contents, code, entry = checked(drawn)
    converted, context = units(contents, context=False), units(contents, context=True)
    assert (entry["verdict"], code) == (("conforms", 0) if converted else ("not checked", 3)), entry.get("message")
    assert (entry["conservation"]["records"], entry["conservation"]["excluded"]) == (converted, context)
    assert entry["findings"] == []


# Shrinking takes a check for each step, which is minutes: the store as drawn has to do.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(deadline=None, max_examples=60, derandomize=True, phases=PHASES, suppress_health_check=[HealthCheck.too_slow])
@given(draw.stores())
def test_a_drawn_store_conforms_with_as_many_units_as_were_drawn(drawn: draw.Drawn) -> None:
    conforms(drawn)


@pytest.mark.slow
@settings(deadline=None, max_examples=1500, suppress_health_check=[HealthCheck.too_slow])
@given(draw.stores(max_sessions=5, max_messages=12))
def test_many_larger_drawn_stores_conform(drawn: draw.Drawn) -> None:
    conforms(drawn)
