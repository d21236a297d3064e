"""The matrix that is committed under reports/ is the one that a fresh run writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from validator.cli.matrix import FORMATS, _rendered

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("name", FORMATS)
def test_the_committed_matrix_is_that_of_a_fresh_run(shipped: dict[str, Any], name: str) -> None:
    committed = (REPORTS / FORMATS[name]).read_text(encoding="utf-8")
    same = committed == _rendered(name, shipped)
    assert same, f"reports/{FORMATS[name]} is out of date: run `make matrix`, and review what changed"
