"""Changes a JSON document without touching the rest of its text.

``Layout`` holds a document's text and where each value stands in it. It hands on new text in which one value was
appended or replaced, in the way its neighbours are written: indented or on one line, wide or compact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

DEEPEST = 200
"""Levels of nesting that are read."""


class LayoutError(ValueError):
    """The text is not one JSON document; the message says where."""


@dataclass(frozen=True)
class Node:
    """Where a value stands: ``text[start:end]``, with what is in it."""

    start: int
    end: int
    members: dict[str, Node] = field(default_factory=dict)
    items: tuple[Node, ...] = ()


class Layout:
    """A JSON document's text with the place of every value. Raises ``LayoutError``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.repeated: list[str] = []
        """Pointers of members whose name stands twice in one object; the last counts."""
        try:
            self.value = json.loads(text, parse_constant=_refuse)
        except RecursionError:
            raise LayoutError("nested too deeply") from None
        except ValueError as error:
            raise LayoutError(str(error)) from None
        self._root = self._node(_after_blank(text, 0), "", 0)

    def _node(self, at: int, pointer: str, depth: int) -> Node:
        if depth > DEEPEST:
            raise LayoutError(f"{pointer}: nested more than {DEEPEST} deep")
        opening = self.text[at]
        if opening == "{":
            return self._object(at, pointer, depth)
        if opening == "[":
            return self._array(at, pointer, depth)
        if opening == '"':
            return Node(at, scanstring(self.text, at + 1, True)[1])
        scalar = _SCALAR.match(self.text, at)
        if scalar is None:  # json.loads took it, so this is not reached
            raise LayoutError(f"{pointer}: no JSON value")
        return Node(at, scalar.end())

    def _object(self, at: int, pointer: str, depth: int) -> Node:
        members: dict[str, Node] = {}
        place = _after_blank(self.text, at + 1)
        while self.text[place] != "}":
            name, place = scanstring(self.text, place + 1, True)
            below = f"{pointer}/{escaped(name)}"
            if name in members:
                self.repeated.append(below)
            place = _after_blank(self.text, place) + 1  # the colon
            members[name] = self._node(_after_blank(self.text, place), below, depth + 1)
            place = self._next(members[name].end)
        return Node(at, place + 1, members=members)

    def _array(self, at: int, pointer: str, depth: int) -> Node:
        items: list[Node] = []
        place = _after_blank(self.text, at + 1)
        while self.text[place] != "]":
            items.append(self._node(place, f"{pointer}/{len(items)}", depth + 1))
            place = self._next(items[-1].end)
        return Node(at, place + 1, items=tuple(items))

    def _next(self, end: int) -> int:
        """The place of the next item, or of the bracket that closes."""
        place = _after_blank(self.text, end)
        return _after_blank(self.text, place + 1) if self.text[place] == "," else place

    def node(self, pointer: str) -> Node:
        """Return the place of the value at a JSON Pointer; ``KeyError`` when there is none."""
        node = self._root
        for part in parts(pointer):
            if part in node.members:
                node = node.members[part]
            elif part.isdecimal() and int(part) < len(node.items):
                node = node.items[int(part)]
            else:
                raise KeyError(pointer)
        return node

    def appended(self, pointer: str, value: Any) -> Layout:
        """Return the document with a value added to the end of the array at a pointer."""
        array = self.node(pointer)
        if not array.items:
            return self._filled(array, value)
        first, last = array.items[0], array.items[-1]
        if len(array.items) > 1:
            between = self.text[array.items[-2].end : last.start]
        else:
            lead = self.text[array.start + 1 : first.start]
            between = "," + (lead if "\n" in lead else self._separator)
        return self._with(last.end, last.end, between + self._written(value, last))

    def replaced(self, pointer: str, value: Any) -> Layout:
        """Return the document with another value in the place of the one at a pointer."""
        old = self.node(pointer)
        return self._with(old.start, old.end, self._written(value, old))

    def _filled(self, array: Node, value: Any) -> Layout:
        if not self._unit:
            return self._with(array.start, array.end, "[" + self._compact(value) + "]")
        outer = self._indent(array.start)
        inner = outer + self._unit
        body = self._indented(value, inner)
        return self._with(array.start, array.end, f"[{self._newline}{inner}{body}{self._newline}{outer}]")

    def _with(self, start: int, end: int, text: str) -> Layout:
        return Layout(self.text[:start] + text + self.text[end:])

    def _written(self, value: Any, like: Node) -> str:
        """Write a value as a neighbour is written."""
        if "\n" in self.text[like.start : like.end]:
            return self._indented(value, self._indent(like.start))
        return self._compact(value)

    def _indented(self, value: Any, indent: str) -> str:
        lines = json.dumps(value, indent=self._unit, ensure_ascii=self._ascii).split("\n")
        return (self._newline + indent).join(lines)

    def _compact(self, value: Any) -> str:
        separators = ("," + self._separator, ":" + self._separator)
        return json.dumps(value, ensure_ascii=self._ascii, separators=separators)

    def _indent(self, place: int) -> str:
        """The white space with which the line of a place begins."""
        line = self.text.rfind("\n", 0, place) + 1
        blank = re.compile(r"[ \t]*").match(self.text, line)
        return blank.group() if blank else ""

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def _ascii(self) -> bool:
        """Whether the document writes everything in ASCII, by escapes."""
        return self.text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", self.text) is not None

    @property
    def _unit(self) -> str:
        """What one level is indented by; nothing in a document on one line."""
        first = next(_values(self._root), None)
        if first is None or "\n" not in self.text[self._root.start : first.start]:
            return ""
        start = self.text.rfind('"', 0, self.text.rfind(":", 0, first.start)) if self._root.members else first.start
        return self._indent(start) or "  "

    @property
    def _separator(self) -> str:
        """What follows a colon or a comma within a line."""
        first = next(iter(self._root.members.values()), None)
        return "" if first is not None and self.text[first.start - 1] == ":" else " "


def _values(node: Node) -> Iterator[Node]:
    yield from node.members.values()
    yield from node.items


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def escaped(name: str) -> str:
    """Write a member's name as a part of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def parts(pointer: str) -> list[str]:
    """Read the parts of a JSON Pointer."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
