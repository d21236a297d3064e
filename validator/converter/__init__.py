"""Turns a source into a record stream: the converter protocol in Python, and the built-in converters.

A built-in converter is a package of this folder that is named after its format, with underscores for hyphens
(`hermes-state-sqlite` is `hermes_state_sqlite`), and that has `convert(request)`. A new one is a new package
and nothing else; it is imported when its format is first asked for. No converter imports another station.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ConversionError",
    "NamespaceRequired",
    "Request",
    "SourceUnusable",
    "UnknownFormat",
    "WrongRequest",
    "convert",
    "formats",
]

PROTOCOL = "0.1"


class ConversionError(Exception):
    """What was asked for cannot be converted; the message says why and what would help."""


class WrongRequest(ConversionError):
    """The request itself is wrong: the fault is the caller's, not the source's."""


class UnknownFormat(WrongRequest):
    """No built-in converter has this format."""


class NamespaceRequired(WrongRequest):
    """The source names no namespace of its own, and none was given."""


class SourceUnusable(ConversionError):
    """The source is missing, empty, or not of its format."""


@dataclass(frozen=True)
class Request:
    """What a converter is asked for.

    `format` is the format's id; `source` the file (for a home: the folder), a private copy; `snapshot` the
    position of every current-state record (`sha256:` and 64 hex digits); `namespace` the persisted
    installation namespace, used where the source has none of its own; `after` a transcript position: only
    transcript records beyond it are wanted, and all current-state records.
    """

    format: str
    source: Path
    snapshot: str
    namespace: str | None = None
    after: str | None = None


def formats() -> list[str]:
    """The ids of the formats that have a built-in converter, sorted."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg)


def convert(request: Request) -> Iterator[bytes]:
    """The record stream of a source: complete, LF-ended lines, the same bytes every time.

    Raises `UnknownFormat` at once, and any other `ConversionError` when the first line is asked for. A source
    that is damaged further in raises nothing: what could not be read is in the stream's gaps.
    """
    return _converter(request.format)(request)


def _converter(format_id: str) -> Callable[[Request], Iterator[bytes]]:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", format_id) or format_id not in formats():
        known = ", ".join(formats())
        raise UnknownFormat(f"no built-in converter for the format {format_id[:200]!r}; there is one for: {known}")
    module = importlib.import_module(f"{__name__}.{format_id.replace('-', '_')}")
    converter: Callable[[Request], Iterator[bytes]] = module.convert
    return converter
