"""Lints a descriptor's claims and notice rules: as ``validator.claims.lint`` does, and against the shapes.

Hands on faults whose place is a claim's id.
"""

from __future__ import annotations

import re
import sqlite3
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from validator import claims as claims_station
from validator import workbench as workbench_station
from validator.claims import Claim
from validator.claims.lint import lint as lint_claims
from validator.claims.reads import Guard, reads
from validator.claims.run import authorize_native, guarded, nested
from validator.descriptor import Descriptor, DescriptorError
from validator.descriptor.shape import Shape
from validator.lint.fault import Fault
from validator.notices import CODES

_TAB = re.compile(r"\btab\s*(?:=|==|<>|!=|IS(?:\s+NOT)?)\s*'((?:[^']|'')*)'", re.IGNORECASE)
_TAB_IN = re.compile(r"\btab\s+(?:NOT\s+)?IN\s*\(([^()]*)\)", re.IGNORECASE)
_TEXT = re.compile(r"'((?:[^']|'')*)'")

NOTICES = "notices.toml"


def claims(descriptor: Descriptor) -> Iterator[Fault]:
    """The faults of the claims: each by itself, then what it says of tables that its formats do not have."""
    found = lint_claims(descriptor)
    for fault in found:
        message, _, remedy = fault.message.partition("; ")
        yield Fault(fault.file, fault.claim, "claim", message, remedy or "see docs/claims.md", of_claim=True)
    broken = {fault.claim for fault in found}
    try:
        loaded = claims_station.load(descriptor)
    except (DescriptorError, KeyError, TypeError, ValueError, AttributeError):
        return  # the lint of the claims has said why
    bench = workbench_station.create(None, descriptor.shapes)
    guard = Guard(bench)
    try:
        for claim in loaded:
            if claim.id not in broken:
                yield from _tables(claim, descriptor, guard)
    finally:
        bench.close()


def _tables(claim: Claim, descriptor: Descriptor, guard: Guard) -> Iterator[Fault]:
    own = [shape for shape in descriptor.shapes if shape.format in claim.formats]
    made = set().union(*map(_workbench_tables, own))
    others = set().union(*map(_workbench_tables, descriptor.shapes)) - made
    for name in ("subjects", "violations"):
        sql = getattr(claim, name)
        foreign = sorted({table for table, _ in reads(guard, claim, sql)} & others)
        for table in foreign:
            yield Fault(
                claim.file, claim.id, "table-unknown", f"{name}: {table} is of a format that the claim does not name",
                "name the format in the claim's formats, or read a table of its own formats", of_claim=True,
            )  # fmt: skip
        known = {unit for shape in own for unit in _units(shape)}
        for table in _tab_literals(sql):
            if table not in known and not table.startswith("sqlite_"):
                yield Fault(
                    claim.file, claim.id, "table-unknown",
                    f"{name}: no shape of the claim's formats has a table {table[:80]!r}",
                    "correct the name, or describe the table in the native shape", of_claim=True,
                )  # fmt: skip


def _workbench_tables(shape: Shape) -> set[str]:
    """The tables of the workbench that a shape makes."""
    bench = sqlite3.connect(":memory:")
    try:
        for statement in workbench_station.shape_tables(shape):
            bench.execute(statement)
        return {row[0] for row in bench.execute("SELECT lower(name) FROM sqlite_master WHERE type = 'table'")}
    finally:
        bench.close()


def _units(shape: Shape) -> Iterator[str]:
    """What a unit's ``tab`` may be: the tables of the shape, or its kinds of files."""
    yield from (table.name for table in shape.tables)
    yield from (kind.name for kind in shape.kinds)


def _tab_literals(sql: str) -> list[str]:
    """The texts with which a query compares a ``tab``, sorted."""
    found = set(_TAB.findall(sql))
    for group in _TAB_IN.findall(sql):
        found.update(_TEXT.findall(group))
    return sorted(text.replace("''", "'") for text in found)


def page(descriptor: Descriptor, parts: dict[str, Any]) -> Iterator[Fault]:
    """Parts of the page that name no claim."""
    try:
        ids = [claim.id for claim in claims_station.load(descriptor)]
    except (DescriptorError, KeyError, TypeError, ValueError, AttributeError):
        return
    for index, part in enumerate(parts["parts"]):
        for place, pattern in enumerate(part["claims"]):
            if ids and not any(fnmatchcase(name, pattern) for name in ids):
                yield Fault(
                    "page.json", f"/parts/{index}/claims/{place}", "no-claim", "there is no such claim",
                    "name a claim of the descriptor, or take it out",
                )  # fmt: skip


def notices(descriptor: Descriptor) -> Iterator[Fault]:
    """The faults of the rules for notices."""
    path = descriptor.folder / NOTICES
    if not path.is_file():
        return
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        yield Fault(NOTICES, None, "not-toml", f"{error}"[:200], "mend the TOML")
        return
    yield from _stray(document, ("notice",), None)
    rules = document.get("notice", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        yield Fault(NOTICES, None, "notice", "has no list of rules", "write [[notice]], once for each rule")
        return
    bench = workbench_station.create(None, descriptor.shapes)
    try:
        for index, rule in enumerate(rules):
            yield from _rule(f"/notice/{index}", rule, bench)
    finally:
        bench.close()


def _stray(item: dict[str, Any], known: tuple[str, ...], at: str | None) -> Iterator[Fault]:
    for name in item:
        if name not in known:
            yield Fault(
                NOTICES, at, "unknown-member", f"has no use for {name[:80]!r}", f"there are: {', '.join(known)}"
            )


def _rule(at: str, rule: dict[str, Any], bench: sqlite3.Connection) -> Iterator[Fault]:
    yield from _stray(rule, ("code", "select", "note"), at)
    if rule.get("code") not in CODES:
        yield Fault(NOTICES, f"{at}/code", "notice", "is no code of the catalogue", "see docs/notices.md")
    select = rule.get("select")
    if not isinstance(select, str) or not select.strip():
        yield Fault(NOTICES, f"{at}/select", "notice", "lacks the query", "write the query that finds it")
        return
    try:
        with guarded(bench, authorize_native):
            bench.execute(f"SELECT * FROM {nested(select)} LIMIT 0").close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        yield Fault(NOTICES, f"{at}/select", "notice", f"{error}"[:200], "mend the query; it reads native_* only")
