"""The vocabulary of a format: the values that enumerated columns are known to take, and the members of JSON columns.

Data beside the native shape (``vocabularies/FORMAT.json``, schema ``vocabulary``), with the places in the producer's
source where such values are spoken. Hands on a ``Vocabulary``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from validator.descriptor import Descriptor, checked


@dataclass(frozen=True)
class Call:
    """An argument of a function by which the producer hands on a value."""

    function: str
    parameter: str
    position: int | None
    """Its place among the positional arguments of a call, from 0; None where it is only given by name."""


@dataclass(frozen=True)
class Place:
    """A place where words are known: one or several columns, and for JSON a pointer pattern in them."""

    columns: tuple[str, ...]
    """``table.column``."""
    at: str | None
    """For the members of a JSON column a pointer in which ``*`` is every element; None for the column's own values."""
    known: frozenset[str]
    types: tuple[str, ...] = ()
    """Names of ``Literal`` types in the producer's source that list the values."""
    calls: tuple[Call, ...] = ()

    @property
    def name(self) -> str:
        """The place as a drift names it: the first column, and the pointer pattern."""
        return self.columns[0] + (self.at or "")


@dataclass(frozen=True)
class Vocabulary:
    """What is known of the words of one format."""

    places: tuple[Place, ...]
    layout_table: str | None
    """The table that holds the layout's number, and its column."""
    layout_column: str | None
    layout_constant: str | None
    """The name of the constant in the producer's source that is the layout's number."""
    document: dict[str, Any]

    @property
    def enumerations(self) -> tuple[Place, ...]:
        """The places that are a column's own values."""
        return tuple(place for place in self.places if place.at is None)

    @property
    def members(self) -> tuple[Place, ...]:
        """The places that are members of JSON."""
        return tuple(place for place in self.places if place.at is not None)


def load_vocabulary(descriptor: Descriptor, format_id: str) -> Vocabulary:
    """Load the vocabulary of a format; an empty one where the descriptor has none."""
    path = descriptor.folder / "vocabularies" / f"{format_id}.json"
    return parse_vocabulary(checked(path, "vocabulary") if path.is_file() else {})


def parse_vocabulary(document: dict[str, Any]) -> Vocabulary:
    """Turn a vocabulary document, already held against its schema, into values."""
    layout = document.get("layout", {})
    return Vocabulary(
        places=tuple(_place(item) for item in document.get("places", ())),
        layout_table=layout.get("table"),
        layout_column=layout.get("column"),
        layout_constant=layout.get("constant"),
        document=document,
    )


def _place(item: dict[str, Any]) -> Place:
    source = item.get("source", {})
    return Place(
        columns=tuple(item["columns"]),
        at=item.get("at"),
        known=frozenset(item["known"]),
        types=tuple(source.get("types", ())),
        calls=tuple(Call(c["function"], c["parameter"], c.get("position")) for c in source.get("calls", ())),
    )
