"""Holds native shapes against the descriptor and against themselves: does everything that is named exist?

Each check is a generator of faults over shape documents that satisfy their schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from validator.lint.documents import DESCRIPTOR
from validator.lint.fault import Fault

Shape = dict[str, Any]


def formats(document: dict[str, Any], shapes: Mapping[str, Shape]) -> Iterator[Fault]:
    """Formats without a shape, shapes without a format, and two shapes of one format."""
    declared: dict[str, int] = {}
    listed = document.get("formats")
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        if name in declared:
            yield Fault(
                DESCRIPTOR, f"/formats/{index}/id", "format-twice", f"the format stands at {declared[name]} already",
                "declare each format once",
            )  # fmt: skip
        declared.setdefault(name, index)
    files: dict[str, str] = {}
    for file, shape in shapes.items():
        name = shape["format"]
        if name not in declared:
            yield Fault(
                file, "/format", "format-unknown", "the descriptor declares no such format",
                "add it to formats in descriptor.json, or correct the name",
            )  # fmt: skip
        if name in files:
            yield Fault(
                file, "/format", "shape-twice", f"{files[name]} is a shape of this format already", "keep one"
            )
        files.setdefault(name, file)
    for name, index in declared.items():
        if name not in files:
            yield Fault(
                DESCRIPTOR, f"/formats/{index}/id", "no-shape", "the format has no native shape: nothing is checked",
                f"write its shape to formats/{name}.json",
            )  # fmt: skip


def sources(rules: dict[str, Any], document: dict[str, Any]) -> Iterator[Fault]:
    """Rules for files that name a format which is none."""
    listed = document.get("formats")
    declared = {entry.get("id") for entry in listed if isinstance(entry, dict)} if isinstance(listed, list) else set()
    for index, rule in enumerate(rules["rules"]):
        if "format" in rule and rule["format"] not in declared:
            yield Fault(
                "sources.json", f"/rules/{index}/format", "format-unknown", "the descriptor declares no such format",
                "name a format of descriptor.json",
            )  # fmt: skip


def shape(file: str, shape: Shape, families: set[str]) -> Iterator[Fault]:
    """What a shape names and does not have."""
    tables = shape.get("tables", [])
    yield from _repeated(file, "/tables", [table["name"] for table in tables], "table")
    kinds = shape.get("kinds", [])
    yield from _repeated(file, "/kinds", [kind["name"] for kind in kinds], "kind of file")
    for name, units in (("tables", tables), ("kinds", kinds)):
        for index, unit in enumerate(units):
            if "family" in unit and unit["family"] not in families:
                yield Fault(
                    file, f"/{name}/{index}/family", "no-position", "the descriptor has no position for this family",
                    "say in positions of descriptor.json what orders it",
                )  # fmt: skip
    layouts = {release["layout"] for release in shape.get("releases", [])}
    for index, table in enumerate(tables):
        yield from _table(file, f"/tables/{index}", table, tables, layouts)
        for pattern in shape.get("derived", []):
            if fnmatchcase(table["name"], pattern["pattern"]):
                yield Fault(
                    file, f"/tables/{index}/name", "derived-too", "a pattern of derived tables has this table's name",
                    "narrow the pattern; derived tables are not read",
                )  # fmt: skip
    yield from _namespace(file, shape, tables)
    yield from _workbench_tables(file, tables)
    yield from _kinds(file, kinds)


def _repeated(file: str, at: str, names: list[str], what: str) -> Iterator[Fault]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Fault(
                file, f"{at}/{index}/name", "name-twice", f"there is a {what} of this name already", "describe it once"
            )


def _table(file: str, at: str, table: Shape, tables: list[Shape], layouts: set[int]) -> Iterator[Fault]:
    columns = {column["name"] for column in table["columns"]}
    yield from _repeated(file, f"{at}/columns", [column["name"] for column in table["columns"]], "column")
    for pointer, name in _named_columns(table):
        if name not in columns:
            yield Fault(
                file, at + pointer, "column-unknown", "the table has no such column",
                "add the column to the table's columns, or correct the name",
            )  # fmt: skip
    for pointer, since in _layouts(table):
        if layouts and isinstance(since, int) and since not in layouts:
            yield Fault(
                file, at + pointer, "layout-unknown", "no release writes this layout",
                "name a layout of releases, or add the release",
            )  # fmt: skip
    for index, column in enumerate(table["columns"]):
        if isinstance(column["since"], int) and isinstance(table["since"], int) and column["since"] < table["since"]:
            yield Fault(
                file, f"{at}/columns/{index}/since", "older-than-table", "the column is older than its table",
                "correct the layout of one of them",
            )  # fmt: skip
    yield from _through(file, at, table, tables)


def _named_columns(table: Shape) -> Iterator[tuple[str, str]]:
    """Every place of a table that names one of its columns."""
    for index, key in enumerate(table.get("keys", ())):
        for place, name in enumerate(key):
            yield f"/keys/{index}/{place}", name
    stream = table.get("stream")
    if isinstance(stream, dict):
        yield ("/stream/by", stream["by"]) if "through" in stream else ("/stream/session", stream["session"])
    workbench = table.get("workbench", {})
    for name, load in workbench.get("columns", {}).items():
        if "column" in load:
            yield f"/workbench/columns/{name}/column", load["column"]
        for index, member in enumerate(load.get("members", ())):
            yield f"/workbench/columns/{name}/members/{index}", member
    for index, child in enumerate(workbench.get("children", ())):
        yield f"/workbench/children/{index}/column", child["column"]


def _layouts(table: Shape) -> Iterator[tuple[str, Any]]:
    yield "/since", table["since"]
    for index, column in enumerate(table["columns"]):
        yield f"/columns/{index}/since", column["since"]
        for place, variant in enumerate(column.get("variants", ())):
            yield f"/columns/{index}/variants/{place}/layout", variant["layout"]


def _through(file: str, at: str, table: Shape, tables: list[Shape]) -> Iterator[Fault]:
    stream = table.get("stream")
    if not isinstance(stream, dict) or "through" not in stream:
        return
    other = next((each for each in tables if each["name"] == stream["through"]), None)
    if other is None:
        yield Fault(
            file, f"{at}/stream/through", "table-unknown", "the shape has no such table", "name a table of the shape"
        )
    elif stream["session"] not in {column["name"] for column in other["columns"]}:
        yield Fault(
            file, f"{at}/stream/session", "column-unknown", "the table that it goes through has no such column",
            "name the column with the session id",
        )  # fmt: skip


def _namespace(file: str, shape: Shape, tables: list[Shape]) -> Iterator[Fault]:
    rule = shape.get("namespace")
    if rule is None:
        return
    table = next((each for each in tables if each["name"] == rule["table"]), None)
    if table is None:
        yield Fault(file, "/namespace/table", "table-unknown", "the shape has no such table", "describe the table")
        return
    columns = {column["name"] for column in table["columns"]}
    for pointer, name in [("/column", rule["column"]), *((f"/where/{name}", name) for name in rule["where"])]:
        if name not in columns:
            yield Fault(
                file, f"/namespace{pointer}", "column-unknown", "the table has no such column", "correct the name"
            )


def _workbench_tables(file: str, tables: list[Shape]) -> Iterator[Fault]:
    """Two tables of a shape that would fill one table of the workbench."""
    owners: set[str] = set()
    for index, table in enumerate(tables):
        workbench = table.get("workbench")
        if workbench is None:
            continue
        at = f"/tables/{index}/workbench"
        named = [(f"{at}/table", workbench["table"])]
        named += [(f"{at}/children/{i}/table", child["table"]) for i, child in enumerate(workbench.get("children", ()))]
        for pointer, name in named:
            if name in owners:
                yield Fault(
                    file, pointer, "name-twice", "another table fills this table of the workbench",
                    "give it a name of its own",
                )  # fmt: skip
            owners.add(name)


def _kinds(file: str, kinds: list[Shape]) -> Iterator[Fault]:
    """Kinds that fill one table with different columns, and kinds of lines that are named and not there."""
    columns: dict[str, list[str]] = {}
    for index, kind in enumerate(kinds):
        lines = kind.get("lines", [])
        at = f"/kinds/{index}"
        yield from _repeated(file, f"{at}/lines", [line["name"] for line in lines], "kind of line")
        named = [(at, kind), *((f"{at}/lines/{place}", line) for place, line in enumerate(lines))]
        for pointer, item in named:
            if "workbench" not in item:
                continue
            table, own = item["workbench"]["table"], list(item["workbench"]["columns"])
            if columns.setdefault(table, own) != own:
                yield Fault(
                    file, f"{pointer}/workbench/columns", "columns-differ",
                    "another kind fills this table of the workbench with other columns",
                    "give both the same columns in the same order, or each a table of its own",
                )  # fmt: skip
        if "session" in kind and kind["session"]["line"] not in [line["name"] for line in lines]:
            yield Fault(
                file, f"{at}/session/line", "line-unknown", "there is no such kind of line",
                "name one of the kinds of lines, or describe it",
            )  # fmt: skip
