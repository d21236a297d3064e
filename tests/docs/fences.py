"""Finds the fenced examples of a page of the documentation."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def fences(text: str, language: str) -> list[str]:
    """The bodies of the fenced blocks in that language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def sections(text: str) -> dict[str, str]:
    """The text below each second-level heading, in order."""
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))
