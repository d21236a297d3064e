"""Places in native files as reports write them: bounded, and with what does not print made visible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validator.report.visible import redacted

__all__ = ["locator", "redacted"]

def locator(source: str | None, tab: str | None, key: Sequence[Any] | None, form: str) -> dict[str, Any]:
    """Say where a unit is: a row by table and key, a line by its number; a file is its own place."""
    where: dict[str, Any] = {} if source is None else {"source": redacted(source, 500)}
    if form == "line" and key is not None:
        where["line"] = int(key[-1])
    elif form == "row":
        if tab is not None:
            where["table"] = redacted(tab)
        if key is not None:
            where["key"] = [redacted(part) if isinstance(part, str) else part for part in key]
    return where
