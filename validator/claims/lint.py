"""Reads a descriptor's claims as their author should: is each whole, sound and independent of what it judges?

``lint`` hands on every fault with the file, the claim and the remedy; it runs nothing on a capture. That a claim's
mutants are killed is shown by ``validator.mutation``.
"""

from __future__ import annotations

import difflib
import re
import sqlite3
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator import workbench as workbench_station
from validator.claims.edits import EditError, checked
from validator.claims.origins import casts_to_text, origins
from validator.claims.reads import Guard, writing
from validator.claims.run import COLUMNS, authorize, nested
from validator.descriptor import Descriptor

ID = re.compile(r"[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*")

LEVELS = ("error", "notice")

LEAST_MUTANTS = 2

_TEXT = ("id", "statement", "source", "remedy", "subjects", "violations")
_MEMBERS = (*_TEXT, "evidence", "mutants", "level", "formats", "note")
_MUTANT_MEMBERS = ("name", "sql", "lines", "where", "note")


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a claim, and what to do about it."""

    file: str
    claim: str | None
    """The claim's id; None for a fault of the file."""
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.claim, self.message) if part)


@dataclass(frozen=True)
class _Place:
    """Where a claim stands, and what it may refer to."""

    file: str
    claim: str | None
    descriptor: Descriptor
    guard: Guard

    def fault(self, message: str) -> Fault:
        return Fault(self.file, self.claim, message)


def lint(descriptor: Descriptor) -> list[Fault]:
    """Return the faults of a descriptor's claims, by file and in the file's order."""
    bench = workbench_station.create(None, descriptor.shapes)
    guard = Guard(bench)
    seen: dict[str, str] = {}
    faults: list[Fault] = []
    try:
        for path in sorted((descriptor.folder / "claims").glob("*.toml")):
            faults.extend(_file(path, descriptor, guard, seen))
    finally:
        bench.close()
    return faults


def _file(path: Path, descriptor: Descriptor, guard: Guard, seen: dict[str, str]) -> Iterator[Fault]:
    file = f"{path.parent.name}/{path.name}"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        yield Fault(file, None, f"{error}; mend the TOML")
        return
    yield from (Fault(file, None, message) for message in _stray(document, ("claim", "formats")))
    items = document.get("claim", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        yield Fault(file, None, "write [[claim]], once for each claim")
        return
    for number, item in enumerate(items, 1):
        name = item.get("id")
        place = _Place(file, name if isinstance(name, str) else f"claim {number}", descriptor, guard)
        item = {"formats": document["formats"], **item} if "formats" in document else item
        yield from _identity(item, place, seen)
        yield from _members(item, place)
        yield from _references(item, place)
        yield from _queries(item, place)
        yield from _mutants(item, place)


def _stray(item: dict[str, Any], known: Sequence[str]) -> Iterator[str]:
    for name in item:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            yield f"has no use for {name!r}; {hint}"


def _identity(item: dict[str, Any], place: _Place, seen: dict[str, str]) -> Iterator[Fault]:
    name = item.get("id")
    if not isinstance(name, str):
        return
    if not ID.fullmatch(name):
        yield place.fault(
            "the id must be a section, a dot and a name, in lower case with hyphens: links.related-unknown"
        )
    if name in seen:
        yield place.fault(f"the id stands in {seen[name]} already; give each claim an id of its own")
    seen.setdefault(name, place.file)


def _members(item: dict[str, Any], place: _Place) -> Iterator[Fault]:
    yield from (place.fault(message) for message in _stray(item, _MEMBERS))
    for name in _TEXT:
        if not isinstance(item.get(name), str) or not item[name].strip():
            yield place.fault(f"lacks {name!r}; write it as text")
    if item.get("level", "error") not in LEVELS:
        yield place.fault(f"the level {item['level']!r} is none; it is error or notice")


def _references(item: dict[str, Any], place: _Place) -> Iterator[Fault]:
    evidence, known = item.get("evidence"), place.descriptor.document.get("evidence", [])
    if not isinstance(evidence, list) or not evidence:
        yield place.fault("lacks 'evidence'; list the indexes, from 0, of the descriptor's evidence that it rests on")
    else:
        for index in evidence:
            if type(index) is not int or not 0 <= index < len(known):
                yield place.fault(f"evidence {index!r} does not exist; the descriptor has 0 to {len(known) - 1}")
    formats = [entry["id"] for entry in place.descriptor.document["formats"]]
    for name in item.get("formats", []):
        if name not in formats:
            yield place.fault(f"the format {name!r} does not exist; the descriptor has {', '.join(formats)}")


def _queries(item: dict[str, Any], place: _Place) -> Iterator[Fault]:
    for name in ("subjects", "violations"):
        sql = item.get(name)
        if not isinstance(sql, str) or not sql.strip():
            continue
        try:
            with place.guard.under(authorize):
                result = place.guard.bench.execute(f"SELECT * FROM {nested(sql)} LIMIT 0")
                columns = [column[0] for column in result.description]
        except (sqlite3.Error, sqlite3.Warning) as error:
            yield place.fault(
                f"{name}: {error}; mend the query (it reads native_* and record_* only, without functions of JSON, "
                "dates or formatting)"
            )
            continue
        if casts_to_text(sql):
            yield place.fault(
                f"{name}: casts to TEXT, which versions of SQLite do differently; compare values as they are"
            )
        if name == "violations":
            yield from _result(sql, columns, place)


def _result(sql: str, columns: list[str], place: _Place) -> Iterator[Fault]:
    if sorted(columns) != sorted(COLUMNS):
        yield place.fault(f"violations: gives {', '.join(columns)}; it must give {', '.join(COLUMNS)}, each once")
        return
    tables = {
        name: [row[1] for row in place.guard.bench.execute(f"PRAGMA table_info({name})")]
        for (name,) in place.guard.bench.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    }
    for table, column in sorted(origins(sql, tables).get("expected", ())):
        if table == "record" or table.startswith("record_"):
            yield place.fault(
                f"violations: expected comes from {table}.{column}, which is what a converter said; "
                "take it from native_*, or write a constant"
            )


def _mutants(item: dict[str, Any], place: _Place) -> Iterator[Fault]:
    mutants = item.get("mutants", [])
    if not isinstance(mutants, list) or not all(isinstance(mutant, dict) for mutant in mutants):
        yield place.fault("write [[claim.mutants]], once for each mutant")
        return
    if len(mutants) < LEAST_MUTANTS and item.get("level", "error") == "error":  # a notice is no fault of a converter
        yield place.fault(f"has {len(mutants)} mutants; give it an obvious and a subtle one, {LEAST_MUTANTS} at least")
    names = [mutant.get("name") for mutant in mutants]
    for number, mutant in enumerate(mutants, 1):
        name = mutant.get("name")
        if not isinstance(name, str) or not name.strip():
            yield place.fault(f"mutant {number} lacks 'name'; say in a few words what a converter gets wrong")
            continue
        if name in names[: number - 1]:
            yield place.fault(f"mutant {name!r} stands twice; give each a name of its own")
        yield from (place.fault(f"mutant {name!r}: {message}") for message in _mutant(mutant, place.guard))


def _mutant(mutant: dict[str, Any], guard: Guard) -> Iterator[str]:
    yield from _stray(mutant, _MUTANT_MEMBERS)
    if ("sql" in mutant) == ("lines" in mutant):
        yield "write either sql, statements on record_*, or lines, an edit"
        return
    if "lines" in mutant:
        where = mutant.get("where", {})
        try:
            checked(str(mutant["lines"]), where if isinstance(where, dict) else {"where": where})
        except EditError as error:
            yield str(error)
        return
    if "where" in mutant:
        yield "has no use for 'where'; it belongs to an edit of lines"
    statements = [mutant["sql"]] if isinstance(mutant["sql"], str) else mutant["sql"]
    if not isinstance(statements, list) or not statements or not all(isinstance(one, str) for one in statements):
        yield "sql is a statement or a list of statements"
        return
    sound = True
    with writing(guard) as writes:
        for statement in statements:
            try:
                guard.bench.execute(guard.fresh(f"EXPLAIN {statement}")).close()
            except (sqlite3.Error, sqlite3.Warning) as error:
                sound = False
                yield f"{error}; mend its SQL (a mutant may write record_* only)"
    if sound and not writes.tables:
        yield "writes nothing; it must change a value of record_*"
