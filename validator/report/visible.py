"""Makes text that came from a capture or a converter harmless: bounded, and steering neither terminal, log nor page.

Hands on text in which everything invisible is spelled out; on top of that each format escapes what is its own.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

LONGEST = 200
"""Characters of a value that are shown."""

_COMMAND = re.compile(r"\A(\s*):(?=:)")
"""How a line starts that a runner of GitHub Actions obeys."""

_OLD_COMMAND = re.compile(r"#(?=#(?:vso)?\[)", re.IGNORECASE)
"""How a command starts that older runners, and others, obey anywhere in a line."""

_NOT_PLAIN = re.compile(r"[^\n -~]")


def redacted(text: str, longest: int = LONGEST) -> str:
    """Bound a text and make what does not print visible, so that it cannot steer a terminal or a page."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    if cut.isprintable():
        return cut
    shown = "".join(character if _shows(character) else spelled(character) for character in cut)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def logged(text: Any, longest: int = LONGEST) -> str:
    """Return a value as one line of a log: redacted, and no command to the runner of a build."""
    shown = redacted(text if isinstance(text, str) else str(text), longest)
    return _OLD_COMMAND.sub(r"\\x23", _COMMAND.sub(r"\1\\x3a", shown))


def json_text(document: Any, indent: int | None = None) -> str:
    """Return a document as JSON without a line end in which what does not print stands as an escape.

    Compact without an indent. Reads back as the same document.
    """
    separators = None if indent else (",", ":")
    text = json.dumps(document, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)
    return _NOT_PLAIN.sub(_escaped, text)  # outside of strings JSON is plain ASCII


def spelled(character: str) -> str:
    """Spell a character out, as ``\\x1b`` or ``\\u202e``."""
    return character.encode("unicode_escape").decode("ascii")


def _shows(character: str) -> bool:
    """Whether it is seen: no control, no format character, no stray surrogate, and no line or paragraph end."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if _shows(character):
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"
