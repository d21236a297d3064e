"""Reads evidence items from files, refuses those that are evidence for nothing, and tells which are of one version.

Hands on items that satisfy their schema, as they stand in their files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from validator.evidence import EvidenceError
from validator.evidence.layout import Layout, LayoutError
from validator.evidence.scope import tools

Item = dict[str, Any]

LARGEST = 2**20
"""Bytes of a file with an item, at most."""


@dataclass(frozen=True)
class Given:
    """An item and the name of the file that it came from."""

    name: str
    item: Item


def read(path: Path) -> Given:
    """Read the item that a file holds; ``EvidenceError`` names the file, the place and the remedy."""
    name = "".join(char if char.isprintable() else "?" for char in path.name)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise EvidenceError(f"{name}: cannot be read: {error.strerror}; name a file that `observe` wrote") from None
    if not data.strip():
        raise EvidenceError(f"{name}: is empty: the run gave no observation; see what validator check says")
    if len(data) > LARGEST:
        raise EvidenceError(f"{name}: is larger than {LARGEST} bytes; that is no evidence item")
    try:
        layout = Layout(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise EvidenceError(f"{name}: is not UTF-8 at byte {error.start}; write it in UTF-8") from None
    except LayoutError as error:
        raise EvidenceError(f"{name}: is not JSON: {str(error)[:200]}; an interrupted run may have cut it") from None
    if layout.repeated:
        raise EvidenceError(f"{name}: {layout.repeated[0][:200]} stands twice; keep one")
    _refuse(name, layout.value)
    return Given(name, layout.value)


def _refuse(name: str, item: Any) -> None:
    """Refuse what is no item, or evidence for nothing."""
    from validator.schemas import errors

    if isinstance(item, dict) and "captures" in item and "report" in item:
        raise EvidenceError(f"{name}: is a report; give the observation that validator observe writes")
    if isinstance(item, dict) and item.get("label") == "observed" and item.get("converter", "") is None:
        raise EvidenceError(f"{name}: at /converter: is null: no converter said its name, so nothing was converted")
    for pointer, message in errors("evidence", item):
        raise EvidenceError(f"{name}: at {pointer or '/'}: {message}; only a whole evidence item can be added")
    for member in ("scope", "limitations", "version", "revision"):
        if not item.get(member, "-").strip():
            raise EvidenceError(f"{name}: at /{member}: says nothing; say what the {member} is")
    if item["label"] == "observed":
        _refuse_observed(name, item)


def _refuse_observed(name: str, item: Item) -> None:
    counts = item["validation"]
    if counts["errors"]:
        raise EvidenceError(
            f"{name}: at /validation/errors: {counts['errors']}: a converter that violates claims is evidence for "
            "nothing; mend it and observe again"
        )
    if counts["gaps"]:
        raise EvidenceError(
            f"{name}: at /validation/gaps: {counts['gaps']}: the run left units out; observe a complete one"
        )
    for member in ("streams", "records"):
        if not counts[member]:
            raise EvidenceError(f"{name}: at /validation/{member}: 0: nothing was observed; observe a complete run")
    try:
        date.fromisoformat(item["date"])
    except ValueError:
        raise EvidenceError(f"{name}: at /date: is no day of the calendar; correct the capture's manifest") from None
    _, separator, source = item["version"].partition("; source ")
    if separator and source != item["revision"]:
        raise EvidenceError(f"{name}: at /revision: is not the source that /version names; write one in both")


def same_version(one: Item, other: Item) -> bool:
    """Whether two items are observations of one version and revision through one converter, in any of its versions."""
    if not one["label"] == other["label"] == "observed":
        return False
    same = all(one[name] == other[name] for name in ("version", "revision"))
    return same and bool(set(tools(one["converter"])) & set(tools(other["converter"])))


def latest(items: Sequence[Item], like: Item) -> int | None:
    """Return the index of the last item of an item's version; None where there is none."""
    return next((index for index in range(len(items) - 1, -1, -1) if same_version(items[index], like)), None)
