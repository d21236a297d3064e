"""Takes from a document or a line what claims need: values at pointers, texts in kebab-case, instants, the body.

The rules are the contract's, in this witness's own code; a converter has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

from validator.census.cells import at_pointers
from validator.descriptor.kinds import Facet
from validator.workbench.encoding import (
    Column,
    cell_digest,
    cell_json,
    json_column,
    recorded_column,
    recorded_digest,
    value_column,
)

_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)


@dataclass
class Taken:
    """A document or a line as facets see it, and the notices that taking them gives."""

    value: Any
    """What it holds; None where it holds nothing that can be read."""
    body: str | None = None
    """Its text, bytes that are not UTF-8 as lone surrogates."""
    line: int | None = None
    notices: list[tuple[str, str]] = field(default_factory=list)
    """Code, and pointer of the place."""

    def column(self, facet: Facet) -> Column:
        """Return a facet as a workbench column."""
        if facet.how == "body":
            return cell_digest(self.body)
        if facet.how == "line":
            return self.line
        found = at_pointers(self.value, (facet.pointer or "",))
        if found is None:
            return None
        taken = _HOW[facet.how](found, facet)
        if taken is None and facet.how == "instant":
            self.notices.append(("not-a-time", facet.pointer or ""))
        return taken


def instant(value: Any) -> str | None:
    """Return a text by RFC 3339 as UTC with six decimals, half-even; None for anything else."""
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    day, clock, fraction, sign, hours, minutes = match.groups()
    with localcontext(prec=len(fraction or "") + 8):
        microseconds = int(Decimal(fraction or 0).scaleb(6).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
    if sign is not None and (int(hours) > 23 or int(minutes) > 59):
        return None
    offset = timedelta(hours=int(hours), minutes=int(minutes)) if sign else timedelta()
    try:
        local = datetime.strptime(f"{day} {clock}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        moment = local + (timedelta(microseconds=microseconds) - (offset if sign != "-" else -offset))
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def kebab_case(text: str) -> str:
    """Return a text in lower case, each run of what is neither letter nor digit as one hyphen, none at the ends."""
    words: list[str] = [""]
    for character in text.lower():
        if character.isalpha() or character.isdecimal():
            words[-1] += character
        elif words[-1]:
            words.append("")
    return "-".join(word for word in words if word)


def _scalar(value: Any) -> Any:
    """Return a text or a number as a record says it; None for anything else."""
    if type(value) is float:
        return value
    return cell_json(value) if type(value) in (str, int) else None


def _tags(value: Any) -> Column:
    if not isinstance(value, list):
        return None
    tags = (kebab_case(element) for element in value if isinstance(element, str))
    return json_column([tag for tag in tags if tag])


def _after(value: Any, facet: Facet) -> Column:
    if not isinstance(value, str) or not value.startswith(facet.prefix):
        return None
    return recorded_column(value[len(facet.prefix) :]) if len(value) > len(facet.prefix) else None


_HOW: dict[str, Callable[[Any, Facet], Column]] = {
    "value": lambda value, _: recorded_column(_scalar(value)),
    "value-digest": lambda value, _: recorded_digest(_scalar(value)),
    "text": lambda value, _: recorded_column(value) if isinstance(value, str) else None,
    "digest": lambda value, _: recorded_digest(value),
    "json": lambda value, _: value_column(value),
    "kebab": lambda value, _: _tags(value),
    "instant": lambda value, _: instant(value),
    "after": _after,
}
