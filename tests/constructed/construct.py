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

from tests.homes import Files
from tests.homes import write as write_home
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
    """One constructed capture: its name, what it is about, the rows of its store and the other files of its home."""

    name: str
    about: str
    schema: int | None
    """The layout of the store; None for a home without one."""
    rows: Rows
    installation: str | None = None
    """The persisted namespace, for a store that has none of its own."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further arguments of `tests.stores.build`."""
    files: Files = field(default_factory=dict)
    """Files beside the store, by their path in the home."""


def write(theme: Theme, folder: Path) -> None:
    """Write a theme's capture to a folder, which must not exist."""
    home = write_home(folder / "home", theme.files)
    paths = sorted(theme.files)
    if theme.schema is not None:
        options = {"page_size": 512, "raw": True, "strict": False, **theme.options}
        build(home / "state.db", theme.schema, theme.rows, **options)
        paths = sorted([*paths, "state.db"])
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
            "sqlite": None if theme.schema is None else sqlite3.sqlite_version,
        },
        "scope": f"{'state.db' if theme.schema is not None else 'memories and sessions'}; {theme.about}.",
        "limitations": LIMITATIONS,
        "withheld": [],
        "omitted": [],
        "files": [
            {
                "path": f"home/{path}",
                "bytes": (home / path).stat().st_size,
                "sha256": hashlib.sha256((home / path).read_bytes()).hexdigest(),
            }
            for path in paths
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
