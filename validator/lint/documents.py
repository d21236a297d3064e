"""Reads the JSON files of a descriptor for the lint: a file that is broken gives faults, not an exception.

Hands on each file's value where it satisfies its schema as a whole, else None; what is wrong is in the faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from validator.evidence.layout import Layout, LayoutError
from validator.lint.fault import Fault
from validator.schemas import errors

DESCRIPTOR = "descriptor.json"

_REMEDIES = (
    (r'lacks "limitations"', "say what the observation does not show; every observation leaves something out"),
    (r"lacks ", "add it"),
    (r"has unknown members", "remove them, or spell them as the schema does"),
    (r"is of type ", "write it in the type that is asked for"),
    (r"is none of |is not ", "write one of the values that are asked for"),
    (r".*YYYY-MM-DD|.*A day", "write a day of the calendar, as 2026-11-30"),
)


@dataclass
class Documents:
    """The JSON files of one descriptor."""

    folder: Path
    descriptor: Any = None
    """The descriptor, whether or not it satisfies its schema; None where it is no JSON object."""
    sound: bool = False
    """Whether every file satisfies its schema."""
    shapes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The native shapes that satisfy their schema, by file."""
    sources: dict[str, Any] | None = None
    page: dict[str, Any] | None = None
    faults: list[Fault] = field(default_factory=list)


def read(folder: Path) -> Documents:
    """Read the files of a descriptor's folder that are JSON."""
    found = Documents(folder)
    found.descriptor = _read(found, folder / DESCRIPTOR, "descriptor", whole=False)
    if not isinstance(found.descriptor, dict):
        found.descriptor = None
    for path in sorted((folder / "formats").glob("*.json")):
        shape = _read(found, path, "native-shape")
        if shape is not None:
            found.shapes[f"formats/{path.name}"] = shape
    if (folder / "sources.json").is_file():
        found.sources = _read(found, folder / "sources.json", "sources")
    if (folder / "page.json").is_file():
        found.page = _read(found, folder / "page.json", "page")
    for path in sorted((folder / "vocabularies").glob("*.json")):
        _read(found, path, "vocabulary")
    found.sound = not found.faults
    return found


def _read(found: Documents, path: Path, schema: str, *, whole: bool = True) -> Any:
    """Return a file's value; where it does not satisfy the schema and ``whole`` is asked for, None."""
    file = path.relative_to(found.folder).as_posix()
    try:
        layout = Layout(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        found.faults.append(Fault(file, None, "not-json", f"is not UTF-8 at byte {error.start}", "write it in UTF-8"))
        return None
    except OSError as error:
        found.faults.append(Fault(file, None, "not-json", f"cannot be read: {error.strerror}", "make it readable"))
        return None
    except LayoutError as error:
        found.faults.append(Fault(file, None, "not-json", f"is not JSON: {error}"[:200], "mend the JSON"))
        return None
    for pointer in layout.repeated:
        found.faults.append(
            Fault(file, pointer, "repeated-member", "stands twice in one object; only the last counts", "keep one")
        )
    wrong = list(_schema_faults(file, schema, layout.value))
    found.faults.extend(wrong)
    return None if wrong and whole else layout.value


def _schema_faults(file: str, schema: str, value: Any) -> Iterator[Fault]:
    for pointer, message in errors(schema, value):
        yield Fault(file, pointer, "schema", message, _remedy(message, schema))


def _remedy(message: str, schema: str) -> str:
    for pattern, remedy in _REMEDIES:
        if re.match(pattern, message):
            return remedy
    return f"write it as the schema {schema!r} describes it"
