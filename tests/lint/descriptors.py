"""Descriptors with one thing wrong: a copy of the one that ships, without its claims, and one change."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validator.capture.targets import shipped
from validator.descriptor import load

ONE_CAPTURE = str(shipped() / "0.19.0-text")

Change = Callable[[Any], object]


def copied(folder: Path, **changes: Change) -> Path:
    """Copy the descriptor; each change is made to the document of the file that ``FILES`` names for it."""
    place = folder / "descriptor"
    if not place.exists():
        left = shutil.ignore_patterns("claims", "notices.toml", "page.json", "*.md")
        shutil.copytree(load().folder, place, ignore=left)
        _keep_declared(place)
    for name, change in changes.items():
        path = file_of(place, name)
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return place


def _keep_declared(folder: Path) -> None:
    """Take out rules for formats that the descriptor does not declare."""
    descriptor = json.loads((folder / "descriptor.json").read_text(encoding="utf-8"))
    declared = {entry["id"] for entry in descriptor["formats"]}
    path = folder / "sources.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["rules"] = [rule for rule in document["rules"] if rule.get("format") in (None, *declared)]
    path.write_text(json.dumps(document), encoding="utf-8")


def file_of(folder: Path, name: str) -> Path:
    """The file of a descriptor's folder; ``shape`` and ``kinds`` are the shapes of the store and of the home."""
    if name in ("shape", "kinds"):
        return next((folder / "formats").glob("*sqlite.json" if name == "shape" else "*files.json"))
    return folder / f"{name}.json"


def put(*way: str | int, value: Any) -> Change:
    """A change that puts a value at a place."""
    *before, last = way

    def change(document: Any) -> None:
        for step in before:
            document = document[step]
        document[last] = value

    return change


def drop(*way: str | int) -> Change:
    """A change that takes what is at a place out."""
    *before, last = way

    def change(document: Any) -> None:
        for step in before:
            document = document[step]
        del document[last]

    return change
