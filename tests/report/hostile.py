"""Texts that try to steer whatever shows them, and a report that holds one wherever a report holds a text."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[1] / "schemas" / "examples" / "report.json"

HOSTILE = {
    "a workflow command": "::error file=x::owned",
    "a workflow command behind spaces": "   ::set-output name=x::owned",
    "a workflow command on a line of its own": "x\n::error::owned\r\n::stop-commands::z",
    "an old workflow command": "x ##[error]owned ##vso[task.setvariable]y",
    "an escaped line end": "x%0A::error::owned%0D%25",
    "properties of an annotation": "x,line=1,title=owned::y",
    "colours and cursor moves": "\x1b[31mred\x1b[2J\x1b]0;owned\x07",
    "an eight-bit control": "\x9b31m\x85x",
    "turned writing": "a\u202etxt.exe\u2066b\u2069\u200b\ufeff",
    "a line and a paragraph end": "a\u2028b\u2029c",
    "a table cell": "a | b || c \\| d \\\\| e",
    "code spans": "a ` b `` c ``` d",
    "a heading, a list, a fence": "\n# owned\n- [x] y\n```\nz\n~~~",
    "HTML": "<script>alert(1)</script><img src=x onerror=y>&lt;",
    "a link": "[owned](javascript:alert(1)) <https://owned.example> www.owned.example @owned #1",
    "the end of character data": "]]><x>&y;<!-- <![CDATA[",
    "quotation marks": "\"'><x y=\"z",
    "a NUL": "a\x00b",
    "a lone surrogate": "a\ud800b\udfffc",
    "what is no character": "a\ufffeb\uffffc\U0001fffe",
    "placeholders": "{0} {{1}} {x}",
    "nothing": "",
    "spaces": "   ",
    "ten million characters": "|`<\x1b" * 2_500_000,
}
"""Each hostile text by what it tries."""

FIXED = ("verdict", "level", "status", "code", "claim", "report", "label", "made")
"""Members whose values the schema lists: they never hold a text of a capture."""


def report(verdict: str | None = None) -> dict[str, Any]:
    """A report that has one of everything, with a verdict of one's choice."""
    document: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    entry = document["captures"][0]
    entry.setdefault("message", "it cannot be read")
    entry.setdefault("stderr", ["a line\nanother"])
    if verdict is not None:
        from validator.verdict import EXIT

        entry["verdict"] = document["verdict"] = verdict
        document["exit"] = EXIT[verdict]
    return document


def hostile(text: str, document: dict[str, Any] | None = None) -> dict[str, Any]:
    """The report with a hostile text in place of every text that may come from a capture, a path or a converter."""
    made: dict[str, Any] = _replaced(copy.deepcopy(document or report()), text)
    return made


def _replaced(value: Any, text: str, name: str = "") -> Any:
    if isinstance(value, dict):
        return {member: _replaced(below, text, member) for member, below in value.items()}
    if isinstance(value, list):
        return [_replaced(below, text, name) for below in value]
    return text if isinstance(value, str) and name not in FIXED else value
