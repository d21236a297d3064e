"""The native shape of a format whose units are files and lines: kinds of files, and what the census takes from each.

A kind is data in the shape's ``kinds``. This module turns it into frozen values; nothing here knows a producer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Facet:
    """One column of a ``native_*`` table: what it takes from a document or a line, and how."""

    name: str
    how: str
    """How the value at the pointer is taken.

    ``value`` and ``value-digest`` (a text or number; NULL for anything else), ``text`` (a text only), ``digest`` and
    ``json`` (any value), ``kebab`` (the texts of a list, in kebab-case), ``instant`` (a text by RFC 3339), ``after``
    (what follows the prefix in a text); without a pointer ``body`` (digest of the text), ``line`` (its number).
    """
    pointer: str | None = None
    prefix: str = ""


@dataclass(frozen=True)
class LineKind:
    """A kind of line in a JSON Lines file."""

    name: str
    entity: str
    pointer: str
    equals: str | None
    """A line is of this kind where this text stands at the pointer; None for any text."""
    described: frozenset[str]
    """Pointers of the members that the format's document describes."""
    workbench: str
    facets: tuple[Facet, ...]
    priority: dict[str, Any] | None


@dataclass(frozen=True)
class FileKind:
    """A kind of file that is a unit, or whose lines are."""

    name: str
    reader: str
    """``text``, ``json-document``, ``jsonl``, or ``blob`` for a file that nobody looks into."""
    yaml: str | None
    """For ``text``: ``front-matter`` or ``document``."""
    patterns: tuple[str, ...]
    """Of paths relative to the home."""
    entity: str
    """Of the file, or of lines that are of no kind."""
    family: str
    described: frozenset[str]
    workbench: str | None
    facets: tuple[Facet, ...]
    lines: tuple[LineKind, ...]
    session: tuple[str, str] | None
    """For lines: the kind of a first line that names the session, and where. Otherwise the file's name does."""
    alone: str | None
    """Why such a file is no unit in a home that has no other; None where it always is one."""
    facts: tuple[tuple[str, str], ...]
    """What the file says about its home, whether or not it is a unit: name and pointer."""
    priority: dict[str, Any] | None

    @property
    def tables(self) -> tuple[tuple[str, tuple[Facet, ...]], ...]:
        """The workbench tables that it fills, with their columns."""
        own = ((self.workbench, self.facets),) if self.workbench else ()
        return own + tuple((line.workbench, line.facets) for line in self.lines)

    @property
    def unit(self) -> str:
        """What a unit is: ``file`` or ``line``."""
        return "line" if self.reader == "jsonl" else "file"


def parse_kind(item: dict[str, Any]) -> FileKind:
    """Turn a kind of a shape document, already held against its schema, into values."""
    workbench = item.get("workbench", {})
    session = item.get("session")
    return FileKind(
        name=item["name"],
        reader=item["reader"],
        yaml=item.get("yaml"),
        patterns=tuple(item["patterns"]),
        entity=item["entity"],
        family=item["family"],
        described=frozenset(item.get("described", ())),
        workbench=workbench.get("table"),
        facets=_facets(workbench),
        lines=tuple(_line(line) for line in item.get("lines", ())),
        session=(session["line"], session["pointer"]) if session else None,
        alone=item.get("alone"),
        facts=tuple(item.get("facts", {}).items()),
        priority=item.get("priority"),
    )


def _line(item: dict[str, Any]) -> LineKind:
    return LineKind(
        name=item["name"],
        entity=item["entity"],
        pointer=item["when"]["pointer"],
        equals=item["when"].get("equals"),
        described=frozenset(item["described"]),
        workbench=item["workbench"]["table"],
        facets=_facets(item["workbench"]),
        priority=item.get("priority"),
    )


def _facets(workbench: dict[str, Any]) -> tuple[Facet, ...]:
    return tuple(
        Facet(name, facet.get("as", "value"), facet.get("pointer"), facet.get("prefix", ""))
        for name, facet in workbench.get("columns", {}).items()
    )
