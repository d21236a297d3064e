"""The matrix of what ships, replayed once for all tests, and one of a converter that loses records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from validator.matrix import matrix
from validator.replay import Options
from validator.replay.converters import choose

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def shipped() -> dict[str, Any]:
    """The matrix over all captures that ship, with the built-in converter."""
    return matrix([], None, Options(choose(None, 60, 2**31)))


@pytest.fixture(scope="session")
def lossy() -> dict[str, Any]:
    """The matrix of a converter that drops every tenth record, over two captures."""
    converter = f"{sys.executable} {ROOT / 'tests' / 'fakes' / 'drops_every_tenth.py'}"
    targets = [str(ROOT / "captures" / name) for name in ("0.19.0-undo", "0.13.0-branch")]
    return matrix(targets, None, Options(choose(converter, 60, 2**31)))
