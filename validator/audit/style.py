"""Writes JSON in the style of the descriptor's files, so that a change is a diff of the lines that it concerns.

What fits on a line of 120 columns stands on one; anything else has its members on lines of their own.
"""

from __future__ import annotations

import json
from typing import Any

WIDTH = 120


def styled(document: Any) -> str:
    """Return a document as text, LF at the end."""
    return "\n".join(_lines(document, "", "", always=True)) + "\n"


def _lines(value: Any, indent: str, before: str, after: str = "", *, always: bool = False) -> list[str]:
    """Return the lines of a value, between what stands before it on its first line and after it on its last."""
    flat = indent + before + json.dumps(value, ensure_ascii=False) + after
    if not isinstance(value, dict | list) or not value or (not always and len(flat) <= WIDTH):
        return [flat]
    named = (
        [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        if isinstance(value, dict)
        else [""] * len(value)
    )
    items = list(value.values()) if isinstance(value, dict) else value
    commas = ["," for _ in items[1:]] + [""]
    inside = (_lines(item, indent + "  ", *pair) for item, *pair in zip(items, named, commas, strict=True))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return [f"{indent}{before}{opening}", *(line for lines in inside for line in lines), indent + closing + after]
