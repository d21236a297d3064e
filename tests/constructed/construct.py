"""Writes the constructed captures: `python -m tests.constructed.construct` rewrites them all beside this file.

Hands on the folders, each with a manifest that says who made it. A capture is rewritten when its theme changes; a
test rebuilds each and compares.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.stores import Rows, build

HERE = Path(__file__).parent
DATE = "2026-11-30"
"""The day of the manifests; not read from a clock, so that rewriting changes nothing that is the same."""

LIMITATIONS = (
    "Constructed: no release wrote these rows, and none is known to write them in this combination. "
    "They show that a claim can be judged, not that it is ever needed."
)


@dataclass(frozen=True)
class Theme:
    """One constructed capture: its name, what it is about, and the rows of its store."""

    name: str
    about: str
    schema: int
    rows: Rows
    installation: str | None = None
    """The persisted namespace, for a store that has none of its own."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further arguments of `tests.stores.build`."""


def write(theme: Theme, folder: Path) -> None:
    """Write a theme's capture to a folder, which must not exist."""
    home = folder / "home"
    home.mkdir(parents=True)
    store = home / "state.db"
    options = {"page_size": 512, "raw": True, "strict": False, **theme.options}
    build(store, theme.schema, theme.rows, **options)
    manifest: dict[str, Any] = {
        "capture": "0.1",
        "id": theme.name,
        "producer": "com.nousresearch.hermes",
        "package": None,
        "version": None,
        "revision": None,
        "date": DATE,
        "root": "home",
        "made": {
            "by": "constructed",
            "scenario": theme.name,
            "about": theme.about,
            "through": "tests/constructed/construct.py",
            "python": None,
            "sqlite": sqlite3.sqlite_version,
        },
        "scope": f"state.db; {theme.about}.",
        "limitations": LIMITATIONS,
        "withheld": [],
        "omitted": [],
        "files": [
            {
                "path": "home/state.db",
                "bytes": store.stat().st_size,
                "sha256": hashlib.sha256(store.read_bytes()).hexdigest(),
            }
        ],
    }
    if theme.installation is not None:
        manifest["installation"] = theme.installation
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    (folder / "capture.json").write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Rewrite every capture beside this file, and remove those that no theme makes any more."""
    from tests.constructed.themes import THEMES

    for old in HERE.glob("*/capture.json"):
        shutil.rmtree(old.parent)
    for theme in THEMES:
        write(theme, HERE / theme.name)
        sys.stdout.write(f"{theme.name}: {theme.about}\n")


if __name__ == "__main__":
    main()
