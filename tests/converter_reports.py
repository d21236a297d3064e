"""The committed reports on the converters under examples/: which command judges what.

``python -m tests.converter_reports`` writes them anew.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.commandline import run

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "reports" / "converters"
ADAPTER = ROOT / "examples" / "hermes-export-adapter"
NODE = ROOT / "examples" / "node-converter"
EXPORTED = sorted(path.stem for path in (ADAPTER / "exports").glob("*.jsonl"))

STORE_ONLY = ["--only", "hermes-state-sqlite"]
"""Both converters know the format of the store and no other."""

REPORTS = {
    "hermes-sessions-export": (
        "python3 examples/hermes-export-adapter/adapt.py --exports examples/hermes-export-adapter/exports",
        [f"captures/{name}" for name in EXPORTED],
    ),
    "hermes-state-node": ("node examples/node-converter/convert.js", ["captures", "tests/constructed"]),
}
"""For each report the converter's command and its targets, from the root of the repository."""


def has_node() -> bool:
    """Whether the converter in JavaScript can be run."""
    return shutil.which("node") is not None and (NODE / "node_modules" / "better-sqlite3").is_dir()


def made(name: str) -> str:
    """Make a report; the current folder must be the root of the repository."""
    command, targets = REPORTS[name]
    return run("check", *targets, *STORE_ONLY, "--converter", command, "--format", "markdown").out


if __name__ == "__main__":
    os.chdir(ROOT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in REPORTS:
        if each != "hermes-state-node" or has_node():
            (FOLDER / f"{each}.md").write_text(made(each), encoding="utf-8")
