"""Any memory or log that can be drawn is converted and conserved, and both witnesses say the same of it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import homes
from tests.homes import draw
from validator.check import check
from validator.replay import Options
from validator.replay.converters import BuiltIn

OPTIONS = Options(BuiltIn(), {None: "n"})


def checked(files: Mapping[str, bytes | str]) -> dict[str, Any]:
    """The report's entry of a home of these files."""
    with tempfile.TemporaryDirectory() as folder:
        home = homes.write(Path(folder, "home"), files)
        (entry,) = check([str(home)], None, OPTIONS)["captures"]
        return dict(entry)


def assert_nothing_is_wrong(entry: dict[str, Any], units: int, unreadable: int) -> None:
    assert entry["findings"] == []
    none = dict.fromkeys(("excluded", "lost", "duplicated"), 0)
    assert entry["conservation"] == {
        "native": units, "records": units - unreadable, "unreadable": unreadable, **none,
    }  # fmt: skip
    assert entry["verdict"] == ("capture unusable" if unreadable else "conforms" if units else "not checked")


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from(draw.LOGS), draw.logs(), min_size=1))
def test_every_line_of_a_drawn_log_is_in_a_record_or_in_a_gap(drawn: dict[str, draw.Log]) -> None:
    entry = checked({path: log.data for path, log in drawn.items()})
    good, bad = sum(log.good for log in drawn.values()), sum(log.bad for log in drawn.values())
    assert_nothing_is_wrong(entry, good + bad, bad)
    assert entry["counts"]["gaps"] == sum(log.gaps for log in drawn.values())
    for path, log in drawn.items():
        (source,) = [source for source in entry["sources"] if source["path"] == path]
        assert (source["conservation"]["native"], source["conservation"]["unreadable"]) == (log.good + log.bad, log.bad)


@settings(deadline=None, max_examples=60)
@given(st.lists(draw.markdown, min_size=1, max_size=6), st.lists(draw.json_memories, max_size=4))
@example([], [b'{"project": 1e+20, "content": 1e+20}'])  # a whole number beyond 2^53, as a REAL
def test_every_drawn_memory_is_in_one_record(markdown: list[bytes], objects: list[bytes]) -> None:
    files = {f"memories/{number}.md": data for number, data in enumerate(markdown)}
    files |= {f"memories/{number}.json": data for number, data in enumerate(objects)}
    assert_nothing_is_wrong(checked(files), len(files), 0)


@settings(deadline=None, max_examples=30)
@given(st.binary(max_size=200))
def test_a_log_of_any_bytes_is_judged_without_an_error(data: bytes) -> None:
    entry = checked({draw.LOGS[0]: data})
    assert entry["findings"] == []
    assert (entry["conservation"]["lost"], entry["conservation"]["duplicated"]) == (0, 0)
