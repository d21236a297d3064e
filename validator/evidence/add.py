"""Adds evidence items to a descriptor: at the end, so that every index stays what it is, and in one write.

What a new item supports cites it: the formats that it is about and the mappings whose scope it covers (``scope`` says
how both are decided). The rest of the file keeps every byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator.descriptor import Descriptor, load
from validator.evidence import EvidenceError
from validator.evidence.file import exclusive, replace_file
from validator.evidence.items import Given, Item, latest, read
from validator.evidence.layout import Layout, LayoutError
from validator.evidence.scope import formats_of, supports_mapping

APPENDED, REPLACED, THERE = "appended", "replaced", "there already"


@dataclass(frozen=True)
class Step:
    """What became of one item."""

    name: str
    """The file that it came from."""
    index: int
    did: str
    formats: tuple[str, ...]
    """The formats that cite it only now."""
    mappings: tuple[int, ...]
    """The mappings that cite it only now."""

    def entry(self) -> dict[str, Any]:
        """Return the step as the JSON output has it."""
        entry = {"file": self.name, "index": self.index, "did": self.did}
        return {**entry, "formats": list(self.formats), "mappings": list(self.mappings)}


def add(
    descriptor: str, files: Sequence[str], *, replace: bool = False, formats: Sequence[str] = ()
) -> tuple[list[Step], bool]:
    """Add the items of files to a descriptor; returns what became of each, and whether the descriptor changed.

    ``replace``: an item takes the place of an older one of its version. ``formats``: what the items are about, where
    neither converter nor scope says it. Raises ``EvidenceError`` and ``DescriptorError``; then nothing was written.
    """
    known = load(descriptor)
    declared = [entry["id"] for entry in known.document["formats"]]
    for name in formats:
        if name not in declared:
            raise EvidenceError(f"--format {name[:80]!r}: not declared; the formats are: {', '.join(declared)}")
    given = [read(Path(file)) for file in files]
    path = known.folder / "descriptor.json"
    with exclusive(known.folder):
        before = _layout(path)
        after, steps = _added(before, given, known, replace, formats)
        if after.text == before.text:
            return steps, False
        _hold(before.value, after.value, steps)
        replace_file(path, after.text.encode("utf-8"))
    return steps, True


def _layout(path: Path) -> Layout:
    try:
        layout = Layout(path.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError, LayoutError) as error:
        raise EvidenceError(f"{path.parent.name}/{path.name}: cannot be read: {error}; mend it first") from None
    if layout.repeated:
        raise EvidenceError(f"{path.parent.name}/{path.name}: {layout.repeated[0]} stands twice; keep one")
    return layout


def _added(
    layout: Layout, given: Sequence[Given], known: Descriptor, replace: bool, formats: Sequence[str]
) -> tuple[Layout, list[Step]]:
    steps = []
    for one in given:
        about = [*dict.fromkeys([*formats_of(one.item, known.shapes), *formats])]
        if not about and one.item["label"] == "observed":
            raise EvidenceError(
                f"{one.name}: neither its converter nor its scope says which format it is about; name it with --format"
            )
        layout, index, did = _placed(layout, one, replace)
        layout, new_formats = _cited(
            layout, "formats", index, [entry["id"] in about for entry in _list(layout, "formats")]
        )
        layout, new_mappings = _cited(
            layout, "mappings", index, [supports_mapping(one.item, entry) for entry in _list(layout, "mappings")]
        )
        names = tuple(_list(layout, "formats")[number]["id"] for number in new_formats)
        steps.append(Step(one.name, index, did, names, tuple(new_mappings)))
    return layout, steps


def _list(layout: Layout, name: str) -> list[Any]:
    entries: list[Any] = layout.value[name]
    return entries


def _placed(layout: Layout, one: Given, replace: bool) -> tuple[Layout, int, str]:
    items: list[Item] = _list(layout, "evidence")
    if one.item in items:
        return layout, items.index(one.item), THERE
    older = latest(items, one.item) if replace else None
    if older is None:
        return layout.appended("/evidence", one.item), len(items), APPENDED
    if items[older]["date"] > one.item["date"]:
        raise EvidenceError(
            f"{one.name}: at /date: is older than evidence {older} of the same version; add the newer observation"
        )
    return layout.replaced(f"/evidence/{older}", one.item), older, REPLACED


def _cited(layout: Layout, name: str, index: int, wanted: Sequence[bool]) -> tuple[Layout, list[int]]:
    """Make those parts cite an item that are to and do not yet; returns which."""
    now = []
    for number, entry in enumerate(_list(layout, name)):
        if wanted[number] and index not in entry["evidence"]:
            layout = layout.appended(f"/{name}/{number}/evidence", index)
            now.append(number)
    return layout, now


def _hold(before: dict[str, Any], after: dict[str, Any], steps: Sequence[Step]) -> None:
    """Refuse to write what would change anything but the new items and what cites them."""
    from validator.schemas import errors

    replaced = {step.index for step in steps if step.did == REPLACED}
    for index, item in enumerate(before["evidence"]):
        if after["evidence"][index] != item and index not in replaced:
            raise EvidenceError(f"evidence {index} would not be what it was; nothing was written")
    parts = [*after["formats"], *after["mappings"], *after["destinations"].values()]
    last = max((index for part in parts for index in part["evidence"]), default=0)
    if last >= len(after["evidence"]):
        raise EvidenceError(f"evidence {last} is cited and does not exist; nothing was written: see validator lint")
    for pointer, message in errors("descriptor", after):
        raise EvidenceError(f"descriptor.json would be wrong at {pointer}: {message}; nothing was written")
