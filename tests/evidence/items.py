"""Evidence of a test's own: items, the files that hold them, and a descriptor to add them to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lint.descriptors import copied

FORMAT = "hermes-state-sqlite"

OBSERVED: dict[str, Any] = {
    "label": "observed",
    "version": "9.9.9; source commit:abc",
    "date": "2026-12-01",
    "scope": "state.db under .hermes; one run.",
    "limitations": "One run only.",
    "validation": {"streams": 1, "records": 3, "errors": 0, "notices": 0, "gaps": 0, "unidentifiedSources": 0},
    "validator": "validator-v0.1.0",
    "converter": f"{FORMAT}-v0.1.0",
    "revision": "commit:abc",
}
SOURCE = {"label": "source", "revision": "commit:def", "scope": "one module"}


def changed(**members: Any) -> dict[str, Any]:
    """The observation with other members; None leaves one out."""
    return {name: value for name, value in {**OBSERVED, **members}.items() if value is not None}


def counted(**counts: int) -> dict[str, Any]:
    """The observation with other counts."""
    return changed(validation={**OBSERVED["validation"], **counts})


def saved(folder: Path, item: Any, name: str = "observation.json") -> str:
    """Write an item to a file; returns its path."""
    path = folder / name
    path.write_text(json.dumps(item, indent=2), encoding="utf-8")
    return str(path)


def descriptor(folder: Path) -> Path:
    """A descriptor's folder, with the items that ship."""
    return copied(folder)


def document(folder: Path) -> dict[str, Any]:
    """What a folder's descriptor says now."""
    value: dict[str, Any] = json.loads((folder / "descriptor.json").read_text(encoding="utf-8"))
    return value
