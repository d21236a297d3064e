"""The native shape of a format: its tables or files, and what the census takes from each.

A shape is data beside the descriptor (``formats/FORMAT.json``, schema ``native-shape``). This module turns
it into frozen values; nothing here knows a producer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from validator.descriptor.kinds import FileKind, parse_kind


@dataclass(frozen=True)
class Column:
    """A native column, the layout it came with, and what its cells hold."""

    name: str
    type: str | None
    since: int | str
    json: str | None = None
    """``array``, ``object`` or ``any`` for a column of JSON text."""
    sentinel: bool = False
    """Whether text that starts with NUL or SOH and ``json:`` is structured content."""


@dataclass(frozen=True)
class Load:
    """One column of a ``native_*`` table: which cell it takes, and how."""

    name: str
    column: str | None
    how: str
    """How the cell is taken.

    ``value``; ``digest``; ``time``; ``entity-key`` (what ``entity.key`` is for a unit with this key); ``json`` (its
    kind); ``json-digest``; ``json-value``; ``object-digest``; ``stream`` (the number of the unit's stream); ``before``
    (the last unit before it in its stream that has this time).
    """
    of: str | None = None
    """What the cell must be, else NULL: of a ``json-digest`` the type of its JSON; of another, ``text``."""
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Child:
    """A ``native_*`` table of what lies inside a JSON column: its elements or its members."""

    table: str
    column: str
    of: str
    """``array`` or ``object``: what the JSON must be."""
    columns: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    """For elements: column name, pointers of which the first that holds something counts, ``value`` or ``digest``."""
    members: tuple[str, ...] = ()
    """For an object: the members that count; none means all."""


@dataclass(frozen=True)
class Table:
    """A native table (or kind of file) of the format."""

    name: str
    kind: str
    """``converted`` or ``context``."""
    entity: str | None
    family: str | None
    session: str | None
    """The column with the session id; None for the store's own stream."""
    through: tuple[str, str] | None
    """For a unit whose session is that of another unit: that table, and the column of this one that names it."""
    immutable: bool
    reason: str | None
    keys: tuple[tuple[str, ...], ...]
    """Key columns, newest alternative first; the first whose columns all exist counts."""
    since: int | str
    columns: tuple[Column, ...]
    workbench: str | None
    loads: tuple[Load, ...]
    children: tuple[Child, ...]
    tree: tuple[str, str] | None = None
    """Where units name a parent of their own kind: the workbench columns of their id and of the parent's."""


@dataclass(frozen=True)
class Shape:
    """The native shape of one format."""

    format: str
    files: tuple[tuple[str, str | None], ...]
    """Of a store: patterns of the paths, relative to the root, and the content that a file must have."""
    companions: tuple[str, ...]
    """Suffixes of files that belong to the file before them, such as ``-wal``."""
    scratch: tuple[str, ...]
    """Suffixes of files that belong to it and hold nothing, such as ``-shm``; they are not copied."""
    namespace: dict[str, Any] | None
    derived: tuple[tuple[str, str], ...]
    unknown_entity: str
    tables: tuple[Table, ...]
    kinds: tuple[FileKind, ...]
    """Where units are files and lines: the kinds of files. A shape has either tables or kinds."""
    largest: int
    """Bytes of a file or line that is still read."""
    releases: tuple[dict[str, Any], ...]
    document: dict[str, Any]

    def table(self, name: str) -> Table | None:
        """Return the table of that name, or None for one that the shape does not know."""
        return next((table for table in self.tables if table.name == name), None)


def parse_shape(document: dict[str, Any]) -> Shape:
    """Turn a shape document, already held against its schema, into values."""
    return Shape(
        format=document["format"],
        files=tuple((item["pattern"], item.get("content")) for item in document.get("files", ())),
        companions=tuple(document.get("companions", ())),
        scratch=tuple(document.get("scratch", ())),
        namespace=document.get("namespace"),
        derived=tuple((item["pattern"], item["reason"]) for item in document.get("derived", ())),
        unknown_entity=document.get("unknown", {}).get("entity", "unknown"),
        tables=tuple(_table(item) for item in document.get("tables", ())),
        kinds=tuple(parse_kind(item) for item in document.get("kinds", ())),
        largest=document.get("largest", 0),
        releases=tuple(document.get("releases", ())),
        document=document,
    )


def _table(item: dict[str, Any]) -> Table:
    stream = item.get("stream", "store")
    through = None
    session = None
    if isinstance(stream, dict):
        session = stream["session"]
        if "through" in stream:
            through = (stream["through"], stream["by"])
    workbench = item.get("workbench")
    tree = (workbench or {}).get("tree")
    return Table(
        name=item["name"],
        kind=item["class"],
        entity=item.get("entity"),
        family=item.get("family"),
        session=session,
        through=through,
        immutable=item.get("immutable", False),
        reason=item.get("reason"),
        keys=tuple(tuple(key) for key in item.get("keys", ())),
        since=item["since"],
        columns=tuple(
            Column(c["name"], c["type"], c["since"], c.get("json"), c.get("sentinel", False)) for c in item["columns"]
        ),
        workbench=workbench["table"] if workbench else None,
        loads=tuple(_load(name, load) for name, load in workbench["columns"].items()) if workbench else (),
        children=tuple(_child(child) for child in workbench.get("children", ())) if workbench else (),
        tree=(tree["key"], tree["parent"]) if tree else None,
    )


def _load(name: str, load: dict[str, Any]) -> Load:
    return Load(
        name=name,
        column=load.get("column"),
        how=load.get("as", "value"),
        of=load.get("of"),
        members=tuple(load.get("members", ())),
    )


def _child(child: dict[str, Any]) -> Child:
    return Child(
        table=child["table"],
        column=child["column"],
        of=child["of"],
        columns=tuple(
            (name, tuple(spec["pointers"]), spec.get("as", "value")) for name, spec in child.get("columns", {}).items()
        ),
        members=tuple(child.get("members", ())),
    )
