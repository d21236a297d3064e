"""Reads the scope of evidence: what does an item speak of, and does it support a mapping or a format?

A scope is prose with one rule: what stands before a semicolon is the *area* (``state.db messages under .hermes``),
what follows is how it was observed. An area is as wide as it has few words: an item supports a mapping when every
word of one of its areas stands in the scope of the mapping. A source item that was read for the mappings says so
(``format-and-explicit-mappings``) and supports all of them. docs/evidence.md explains this to authors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from validator.descriptor.shape import Shape

_SENTENCE = re.compile(r"(?<=\.)\s+")
_TOOL = re.compile(r"(?P<name>.+?)-v?[0-9][0-9A-Za-z.+!_]*")


def words(text: str) -> frozenset[str]:
    """Return the words of a scope, in lower case, without the punctuation that ends them."""
    return frozenset(word for raw in text.lower().split() if (word := raw.rstrip(".,;:")))


def areas(scope: str) -> list[frozenset[str]]:
    """Return the areas that a scope names; a scope without a semicolon is one area."""
    if ";" not in scope:
        named = [scope]
    else:
        named = [sentence.split(";", 1)[0] for sentence in _SENTENCE.split(scope) if ";" in sentence]
    return [area for area in map(words, named) if area]


def supports_mapping(item: dict[str, Any], mapping: dict[str, Any]) -> bool:
    """Whether an evidence item is about as much as a mapping claims, or more."""
    if item["label"] == "source" and {"mapping", "mappings"} & set(re.split(r"[^a-z]+", item["scope"].lower())):
        return True
    claimed = words(mapping["scope"])
    return any(area <= claimed for area in areas(item["scope"]))


def tools(text: str) -> list[str]:
    """Return the names, without versions, of the tools in ``NAME-VERSION, NAME-VERSION``, in order."""
    found = []
    for tool in text.split(", "):
        match = _TOOL.fullmatch(tool)
        found.append(match["name"] if match else tool)
    return found


def formats_of(item: dict[str, Any], shapes: Iterable[Shape]) -> list[str]:
    """Return the formats that an item is about: those that its converter is named after, else those whose files
    stand in its areas by name. Nothing says which formats a scope without a file's name is about."""
    known = list(shapes)
    named = set(tools(item.get("converter", "")))
    found = [shape.format for shape in known if shape.format in named]
    if found:
        return found
    spoken = frozenset().union(*areas(item["scope"]))
    return [shape.format for shape in known if any(pattern.lower() in spoken for pattern in patterns(shape))]


def patterns(shape: Shape) -> list[str]:
    """The patterns of a format's files."""
    return [pattern for pattern, _ in shape.files] + [pattern for kind in shape.kinds for pattern in kind.patterns]
