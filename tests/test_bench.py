"""The bench: its numbers are of runs that did the whole work."""

import pytest

from tests.bench import __main__ as bench


def test_every_row_of_a_grown_store_is_in_a_record() -> None:
    assert bench.main(["50"]) == 0


def test_a_run_that_lost_a_record_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    units = bench.units
    monkeypatch.setattr(bench, "units", lambda store: units(store) + 1)
    assert bench.main(["50"]) == 1
