"""Places in native files as reports write them: bounded, and with what does not print made visible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

LONGEST = 200
"""Characters of a value that are shown."""


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


def redacted(text: str, longest: int = LONGEST) -> str:
    """Bound a text and make what does not print visible, so that it cannot steer a terminal or a page."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    if cut.isprintable():
        return cut
    shown = "".join(
        character if unicodedata.category(character)[0] != "C" else character.encode("unicode_escape").decode("ascii")
        for character in cut
    )
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
