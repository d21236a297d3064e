"""The schema's history: which table and which column came with which layout, as the native shapes say it."""

from __future__ import annotations

from typing import Any

from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape


def timeline(descriptor: Descriptor) -> list[dict[str, Any]]:
    """Return the history of each format that has layouts: its layouts with their releases, and its tables."""
    return [_format(shape) for shape in descriptor.shapes if shape.releases]


def _format(shape: Shape) -> dict[str, Any]:
    layouts: dict[int, list[str]] = {}
    for release in shape.releases:
        names = layouts.setdefault(int(release["layout"]), [])
        names.extend(f"{release['package']} {version}" for version in release["versions"])
    return {
        "format": shape.format,
        "layouts": [{"layout": layout, "releases": layouts[layout]} for layout in sorted(layouts)],
        "tables": [
            {
                "table": table.name,
                "class": table.kind,
                "entity": table.entity,
                "since": table.since,
                "columns": [
                    {"column": column.name, "type": column.type, "since": column.since} for column in table.columns
                ],
            }
            for table in shape.tables
        ],
    }
