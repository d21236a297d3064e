"""Whatever stands in a store, its stream is valid and carries every row once, whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from tests.converter.streams import (
    CONTEXT,
    assert_counted,
    assert_rows_are_carried,
    assert_valid,
    lines,
    of_kind,
    raw,
)
from tests.stores import draw


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(draw.stores())
def test_every_row_of_a_drawn_store_is_in_one_record(drawn: draw.Drawn) -> None:
    with tempfile.TemporaryDirectory() as folder:
        contents = drawn.write(Path(folder, "state.db"))
        found = lines(contents.path)
        assert_valid(found)
        assert_counted(found)
        assert not of_kind(found, "gap")
        assert_rows_are_carried(contents.path, found, set(contents.counts) - CONTEXT)
        assert raw(contents.path) == raw(contents.path)
