"""Writes the generated parts of docs/claims.md: `python -m tests.docs.claims_page`, after the workbench has changed.

The parts are the workbench's own SQL, the tables that the native shapes add to it, and the edits of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from tests.docs.fences import DOCS
from validator.claims.edits import EDITS
from validator.descriptor import load
from validator.descriptor.kinds import Facet, FileKind
from validator.descriptor.shape import Load, Shape, Table

PAGE = DOCS / "claims.md"

HOW = {
    "value": "the cell",
    "text": "the cell if it is text, else NULL",
    "digest": "the digest of the cell",
    "time": "as a time; NULL if it is none",
    "json": "the kind of JSON: `array`, `object`, `string`, `number`, `boolean`, `null`, `malformed` or `absent`",
    "json-value": "the cell as a JSON value",
    "json-digest": "the JSON, if it is of the type that is named",
    "object-digest": "one JSON object of these cells, those that are NULL left out",
    "stream": "the number of its stream",
    "before": "the last unit before it in its stream that has this time; NULL if there is none",
    "entity-key": "what `entity.key` is for a unit with this key",
}
"""What each way to take a cell means; a shape with another needs a word here."""

TAKEN = {
    "value": "the text or number; NULL for anything else",
    "value-digest": "the digest of the text or number; NULL for anything else",
    "text": "the text; NULL for anything else",
    "digest": "the digest of the value",
    "json": "the value as JSON, exactly",
    "kebab": "the texts of a list in kebab-case, as a JSON array; NULL for anything else",
    "instant": "the time that a text names by RFC 3339; NULL if it is none",
    "after": "what follows the prefix in a text; NULL for anything else",
    "body": "the digest of the text, front matter left out",
    "line": "the number of the line",
}
"""What each way to take a value from a file or line means."""


def rewritten(text: str) -> str:
    """Return the page with its generated parts as they must be."""

    def part(match: re.Match[str]) -> str:
        return f"{match[1]}\n{PARTS[match[2]]()}\n{match[3]}"

    return re.sub(r"(<!-- generated: (\w+) -->)\n.*?(<!-- end -->)", part, text, flags=re.DOTALL)


def _sql(name: str) -> str:
    text = files("validator.workbench").joinpath(name).read_text(encoding="utf-8")
    return f"```sql\n{text.strip()}\n```"


def _shapes() -> str:
    return "\n\n".join(_shape(shape) for shape in load().shapes)


def _shape(shape: Shape) -> str:
    lines = [f"Of the format `{shape.format}`:", "", "| table | column | from | how |", "|---|---|---|---|"]
    for table in shape.tables:
        if table.workbench:
            lines.extend(_rows(table))
    for name, facets in {name: facets for kind in shape.kinds for name, facets in kind.tables}.items():
        lines.append(f"| `{name}` | `unit` | {_kinds(name, shape.kinds)} | the number of the unit |")
        lines.extend(_facet(name, facet.name, shape.kinds) for facet in facets)
    return "\n".join(lines)


def _kinds(table: str, kinds: tuple[FileKind, ...]) -> str:
    """The kinds of files and lines that fill a table."""
    return ", ".join(f"`{name}`" for name, filled, _ in _filling(kinds) if filled == table)


def _filling(kinds: tuple[FileKind, ...]) -> Iterator[tuple[str, str | None, tuple[Facet, ...]]]:
    for kind in kinds:
        yield kind.name, kind.workbench, kind.facets
        for line in kind.lines:
            yield f"{kind.name}: {line.name}", line.workbench, line.facets


def _facet(table: str, name: str, kinds: tuple[FileKind, ...]) -> str:
    """The row of one column; where kinds take it differently, it says each way."""
    same = [f for _, filled, facets in _filling(kinds) if filled == table for f in facets if f.name == name]
    where = " or ".join(dict.fromkeys(f"`{f.pointer}`" if f.pointer else "the file" for f in same))
    how = "; or ".join(dict.fromkeys(TAKEN[f.how] + (f" (`{f.prefix}`)" if f.prefix else "") for f in same))
    return f"| | `{name}` | {where if same[0].how != 'line' else 'the line'} | {how} |"


def _rows(table: Table) -> Iterator[str]:
    yield f"| `{table.workbench}` | `unit` | `{table.name}` | the number of the unit |"
    for load_ in table.loads:
        yield f"| | `{load_.name}` | {_from(load_)} | {HOW[load_.how]}{f' ({load_.of})' if load_.of else ''} |"
    for child in table.children:
        column = f"`{table.name}.{child.column}`"
        if child.of == "array":
            yield f"| `{child.table}` | `unit`, `idx`, `kind` | {column} | one row for each element |"
            for name, pointers, how in child.columns:
                where = " else ".join(f"`{pointer}`" for pointer in pointers)
                yield f"| | `{name}` | {where} | {'its digest' if how == 'digest' else 'the value'} |"
        else:
            only = f": {', '.join(f'`{member}`' for member in child.members)}" if child.members else ""
            yield f"| `{child.table}` | `unit`, `name`, `kind`, `value` | {column} | its members{only} |"


def _from(load_: Load) -> str:
    if load_.column is not None:
        return f"`{load_.column}`"
    return ", ".join(f"`{member}`" for member in load_.members)


def _edits() -> str:
    lines = ["| edit | parameters | what it does |", "|---|---|---|"]
    for name, edit in EDITS.items():
        lines.append(f"| `{name}` | {', '.join(f'`{need}`' for need in edit.needs)} | {edit.says} |")
    return "\n".join(lines)


PARTS = {
    "native": lambda: _sql("native.sql"),
    "record": lambda: _sql("record.sql"),
    "shapes": _shapes,
    "edits": _edits,
}

if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
