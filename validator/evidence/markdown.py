"""Writes text as Markdown that shows it and nothing else: no markup, link, HTML or control character gets through.

``prose`` keeps code spans, since sentences of claims have them; ``code`` makes one of a whole text; ``fenced`` a block.
"""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*_{}\[\]#|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_STARTS = re.compile(r"^(?:[-+=](?=\s|$|[-=])|\d+(?=[.)]))")
_ADDRESS = re.compile(r"(?i)(://|\bwww\.)")


def prose(text: str) -> str:
    """Return text on one line, with nothing in it that Markdown reads but its code spans."""
    flat = _flat(text)
    written, last = [], 0
    for span in _SPAN.finditer(flat):
        written.append(_escaped(flat[last : span.start()]))
        written.append(code(span[2].strip()))
        last = span.end()
    written.append(_escaped(flat[last:]))
    return _STARTS.sub(lambda match: _shielded(match[0]), "".join(written))


def code(text: str) -> str:
    """Return text as a code span."""
    flat = _flat(text) or " "
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat[0] == "`" or flat[-1] == "`" else ""
    return f"{fence}{pad}{_visible(flat)}{pad}{fence}"


def cell(text: str) -> str:
    """Return a code span for a cell of a table."""
    return code(text).replace("|", "\\|")


def fenced(text: str, language: str) -> str:
    """Return text as a block of code, every line as it is."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    shown = "".join(char if char.isprintable() or char in "\n\t" else _json_escape(char) for char in text.rstrip("\n"))
    return f"{fence}{language}\n{shown}\n{fence}"


def _json_escape(char: str) -> str:
    """Write a character as JSON may write it, so that a block of JSON says what it said."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    shown = _SPECIAL.sub(lambda match: "\\" + match[0], text)
    shown = re.sub("[&<>]", lambda match: _ENTITIES[match[0]], shown)
    shown = _ADDRESS.sub(lambda match: match[0].replace("://", "\\://").replace(".", "\\."), shown)
    return "".join(char if char.isprintable() else f"\\\\u{ord(char):04x}" for char in shown)


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _shielded(start: str) -> str:
    """Keep the beginning of a line from starting a list or a heading."""
    return f"{start}\\" if start.isdecimal() else f"\\{start}"
