"""Holds the parts of a descriptor against each other: what cites evidence, against the evidence that is cited.

Each check is a generator of faults over the descriptor's document. A part that is not even of the right form is left
to the schema: a check looks at what it can read and keeps silent about the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from validator.descriptor.shape import Shape
from validator.evidence.layout import escaped
from validator.evidence.scope import formats_of, supports_mapping
from validator.lint.documents import DESCRIPTOR
from validator.lint.fault import Fault
from validator.schemas import SchemaNotHeldError, errors, registry

Document = dict[str, Any]


def evidence_items(document: Document) -> list[tuple[int, dict[str, Any]]]:
    """The items of evidence that satisfy their schema, with their index."""
    items = document.get("evidence")
    return [(index, item) for index, item in enumerate(items if isinstance(items, list) else ()) if _sound(item)]


def _sound(item: Any) -> bool:
    return isinstance(item, dict) and not errors("evidence", item)


def references(document: Document) -> Iterator[tuple[str, list[int]]]:
    """Every list of evidence indices in the descriptor, with its pointer."""
    for name in ("formats", "mappings"):
        part = document.get(name)
        for index, entry in enumerate(part if isinstance(part, list) else ()):
            yield from _list(f"/{name}/{index}/evidence", entry)
    destinations = document.get("destinations")
    for name, entry in destinations.items() if isinstance(destinations, dict) else ():
        yield from _list(f"/destinations/{escaped(name)}/evidence", entry)


def _list(pointer: str, entry: Any) -> Iterator[tuple[str, list[int]]]:
    cited = entry.get("evidence") if isinstance(entry, dict) else None
    if isinstance(cited, list):
        yield pointer, [index for index in cited if type(index) is int]


def nowhere(document: Document) -> Iterator[Fault]:
    """Evidence indices that point nowhere."""
    items = document.get("evidence")
    count = len(items) if isinstance(items, list) else 0
    known = f"there are 0 to {count - 1}" if count else "there is none"
    for pointer, cited in references(document):
        for place, index in enumerate(cited):
            if index >= count:
                yield Fault(
                    DESCRIPTOR, f"{pointer}/{place}", "evidence-nowhere", f"there is no evidence {index}",
                    f"cite an item of the descriptor's evidence: {known}",
                )  # fmt: skip


def items(document: Document) -> Iterator[Fault]:
    """Evidence items that say too little, or that are no evidence for anything."""
    seen: dict[str, int] = {}
    for index, item in evidence_items(document):
        at = f"/evidence/{index}"
        yield from _texts(at, item)
        if item["label"] == "observed":
            yield from _observed(at, item)
        known = repr(sorted(item.items(), key=lambda pair: pair[0]))
        if known in seen:
            yield Fault(
                DESCRIPTOR, at, "evidence-twice", f"is the same as evidence {seen[known]}",
                "cite the first, and make sure that nothing cites this one before it goes",
            )  # fmt: skip
        seen.setdefault(known, index)


def _texts(at: str, item: dict[str, Any]) -> Iterator[Fault]:
    for name in ("scope", "limitations", "version", "revision"):
        if name in item and not str(item[name]).strip():
            yield Fault(DESCRIPTOR, f"{at}/{name}", "empty", f"the {name} says nothing", f"say what the {name} is")


def _observed(at: str, item: dict[str, Any]) -> Iterator[Fault]:
    try:
        date.fromisoformat(item["date"])
    except ValueError:
        yield Fault(
            DESCRIPTOR, f"{at}/date", "not-a-date", "is no day of the calendar",
            "write the day of the latest capture, as 2026-11-30",
        )  # fmt: skip
    for name, why in (("errors", "violates claims"), ("gaps", "left units out")):
        if item["validation"][name]:
            yield Fault(
                DESCRIPTOR, f"{at}/validation/{name}", "failed-evidence", f"an observation with {name} {why}",
                "mend the converter or the claim, observe again, and supersede the item",
            )  # fmt: skip
    if not item["validation"]["records"]:
        yield Fault(
            DESCRIPTOR, f"{at}/validation/records", "failed-evidence", "an observation of no record shows nothing",
            "observe captures that hold something",
        )  # fmt: skip
    _, separator, source = item["version"].partition("; source ")
    if separator and source != item["revision"]:
        yield Fault(
            DESCRIPTOR, f"{at}/revision", "revision-differs", "is not the source that the version names",
            "write one revision in both",
        )  # fmt: skip


def beyond(document: Document, shapes: Sequence[Shape]) -> Iterator[Fault]:
    """Mappings and formats that claim more than the evidence they cite."""
    known = dict(evidence_items(document))
    mappings = document.get("mappings")
    for index, mapping in enumerate(mappings if isinstance(mappings, list) else ()):
        if not isinstance(mapping, dict) or not isinstance(mapping.get("scope"), str):
            continue
        cited = _cited(mapping, known)
        if cited and not any(supports_mapping(item, mapping) for item in cited):
            yield Fault(
                DESCRIPTOR, f"/mappings/{index}/scope", "beyond-evidence",
                "claims more than any evidence that it cites is about",
                "narrow the scope to the area of the evidence, or cite evidence whose area is as wide",
            )  # fmt: skip
    formats = document.get("formats")
    for index, entry in enumerate(formats if isinstance(formats, list) else ()):
        if not isinstance(entry, dict):
            continue
        cited = _cited(entry, known)
        about = [formats_of(item, shapes) for item in cited]
        if cited and all(named and entry.get("id") not in named for named in about):
            yield Fault(
                DESCRIPTOR, f"/formats/{index}/evidence", "beyond-evidence",
                "all the evidence that it cites is about other formats", "cite evidence of this format",
            )  # fmt: skip


def _cited(entry: dict[str, Any], known: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    cited = entry.get("evidence")
    return [known[i] for i in cited if type(i) is int and i in known] if isinstance(cited, list) else []


def destinations(document: Document) -> Iterator[Fault]:
    """Destinations whose schema refers to what no one holds: it could never be decided."""
    part = document.get("destinations")
    for name, entry in part.items() if isinstance(part, dict) else ():
        written = entry.get("schema") if isinstance(entry, dict) else None
        if isinstance(written, dict) and not _decidable(written):
            yield Fault(
                DESCRIPTOR, f"/destinations/{escaped(name)}/schema", "schema", "has a reference that leads nowhere",
                "write out what it refers to; nothing is ever fetched",
            )  # fmt: skip


def _decidable(written: dict[str, Any]) -> bool:
    """Whether every reference of a schema resolves; one that is no schema at all is left to the metaschema."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resolver = REGISTRY.combine(registry()).resolver_with_root(DRAFT202012.create_resource(written))
    try:
        for reference in _references(written):
            resolver.lookup(reference)
    except (Unresolvable, SchemaNotHeldError):
        return False
    return True


def _references(part: Any) -> Iterator[str]:
    """The references of a schema, but for those of parts that have an address of their own."""
    if isinstance(part, dict):
        for name in ("$ref", "$dynamicRef"):
            if isinstance(part.get(name), str):
                yield part[name]
    below = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for each in below:
        if not (isinstance(each, dict) and "$id" in each):
            yield from _references(each)


def names(documents: Sequence[Document], folders: Sequence[str]) -> Iterator[tuple[int, Fault]]:
    """Names and aliases that stand for two producers, or twice for one; with the number of the descriptor."""
    owners: dict[str, str] = {}
    for number, document in enumerate(documents):
        own: set[str] = set()
        for pointer, name in _names(document):
            if name in own:
                yield number, Fault(
                    DESCRIPTOR, pointer, "alias-twice", "stands twice for this producer", "keep it once"
                )
            elif name in owners:
                yield number, Fault(
                    DESCRIPTOR, pointer, "alias-twice", f"stands for the producer of {owners[name]} already",
                    "choose another, so that a short name means one producer",
                )  # fmt: skip
            own.add(name)
        for name in own:
            owners.setdefault(name, folders[number])


def _names(document: Document) -> Iterator[tuple[str, str]]:
    if isinstance(document.get("name"), str):
        yield "/name", document["name"]
    aliases = document.get("aliases")
    for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if isinstance(alias, str):
            yield f"/aliases/{index}", alias
