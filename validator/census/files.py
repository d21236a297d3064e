"""The census of a home's files: reads every file and every line into the workbench, driven by the native shape.

A file is one unit, or each of its lines that is not blank is one. What cannot be read is counted and located, and the
rest is read; nothing here knows a producer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator.census.cells import at_pointers, decode_json
from validator.census.facets import Taken
from validator.census.text import MARK, RawLine, YamlError, front_matter, raw_lines, yaml_mapping
from validator.census.unit_rows import Place, UnitRows
from validator.descriptor.kinds import FileKind, LineKind
from validator.descriptor.shape import Shape
from validator.workbench.encoding import Column, cell_digest, value_column, value_digest


@dataclass(frozen=True)
class NativeFile:
    """A file of a home: its number among the sources, its path relative to the home, and its kind."""

    number: int
    path: str
    kind: FileKind


class Files:
    """The census of the files of one home: a private copy of it."""

    def __init__(self, home: Path, shape: Shape, files: Sequence[NativeFile]) -> None:
        self.shape = shape
        self._home, self._files = home, sorted(files, key=lambda file: file.path)

    def load(self, workbench: sqlite3.Connection, run: int) -> None:
        """Read every unit into the workbench's ``native_*`` tables."""
        workbench.execute("BEGIN")
        rows = UnitRows(workbench, run)
        for file in self._files:
            if file.kind.unit == "line":
                _Log(rows, file, self._home / file.path, self.shape.largest).load()
            else:
                _load_document(rows, file, self._home / file.path, self.shape.largest)
        rows.finish(self.shape.kinds)
        workbench.execute("COMMIT")


def load_facts(workbench: sqlite3.Connection, file: NativeFile, place: Path, shape: Shape, unit: bool) -> None:
    """Write what a file says about its home into ``native_fact``; and notices about it, where it is no ``unit``."""
    if not file.kind.facts or place.stat().st_size > shape.largest:
        return
    taken, notes = _look(file.kind, place.read_bytes())
    if taken.value is not None:
        facts = [(file.number, name, _fact(at_pointers(taken.value, (pointer,)))) for name, pointer in file.kind.facts]
        workbench.executemany("INSERT INTO native_fact VALUES (?, ?, ?)", facts)
    if not unit:
        workbench.executemany(
            "INSERT INTO native_notice (source, code, col, detail) VALUES (?, ?, ?, ?)",
            [(file.number, code, column, detail) for code, column, detail in notes],
        )


def _fact(value: Any) -> Column:
    return int(value) if isinstance(value, bool) else value_column(value)


def _load_document(rows: UnitRows, file: NativeFile, place: Path, largest: int) -> None:
    if place.stat().st_size > largest:
        rows.lost(Place(file.number, file.kind.name, (file.path,)))
        rows.counted(file.number, file.kind, 0, 1)
        return
    data = place.read_bytes()
    taken, notes = _look(file.kind, data)
    place_of = Place(file.number, file.kind.name, (file.path,))
    unit = rows.unit(place_of, file.kind.entity, file.kind.family, None, None, cell_digest(data))
    if file.kind.workbench is not None:
        rows.columns(file.kind.workbench, unit, file.kind.facets, taken)
    for code, column, detail in (*notes, *((code, pointer, None) for code, pointer in taken.notices)):
        rows.note(code, place_of, unit, column, detail)
    rows.undescribed(place_of, unit, None, _undescribed(taken.value, file.kind.described))
    rows.counted(file.number, file.kind, 1, 0)


_UNREADABLE = {"malformed-json", "not-utf8"}

Note = tuple[str, str | None, str | None]
"""Code, column or pointer, detail."""


def _look(kind: FileKind, data: bytes) -> tuple[Taken, list[Note]]:
    """Return what a document holds, and what is worth knowing about it."""
    notes: list[Note] = []
    shown = data
    if kind.reader != "blob" and data.startswith(MARK):
        notes.append(("bom", None, None))
        shown = data[len(MARK) :]
    if kind.reader == "json-document":
        return _look_at_json(shown, notes), notes
    if kind.yaml == "document":
        return _look_at_yaml(shown, notes), notes
    members: Any = None
    if kind.yaml == "front-matter":
        parts = front_matter(shown)
        members, shown = parts.members, parts.text
        if parts.fault is not None:
            notes.append(("bad-front-matter", None, parts.fault))
        if parts.repeats:
            notes.append(("duplicate-json-key", None, "in the front matter"))
    body = shown.decode("utf-8", "surrogateescape")
    if kind.reader == "text" and not _is_utf8(shown):
        notes.append(("not-utf8", None, f"byte {_bad_byte(data)}"))
    return Taken(members, body), notes


def _look_at_json(data: bytes, notes: list[Note]) -> Taken:
    value, codes = _json(data)
    notes.extend((code, None, None) for code in codes)
    if not _UNREADABLE & set(codes) and not isinstance(value, dict):
        notes.append(("malformed-json", None, "not an object"))
    return Taken(value if isinstance(value, dict) else None)


def _look_at_yaml(data: bytes, notes: list[Note]) -> Taken:
    try:
        value, repeats = yaml_mapping(data, plain=True)
    except YamlError as error:
        notes.append(("malformed-json", None, str(error)))
        return Taken(None)
    if repeats:
        notes.append(("duplicate-json-key", None, None))
    return Taken(value)


def _json(data: bytes) -> tuple[Any, list[str]]:
    """Decode JSON and return its value with the codes of what is wrong with it; None where it is none."""
    if not _is_utf8(data):
        return None, ["not-utf8"]
    decoded = decode_json(data.decode("utf-8"))
    return decoded.value, [code for code in decoded.notices if code != "double-encoded-json"]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _bad_byte(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _undescribed(value: Any, described: frozenset[str], at: str = "") -> Iterator[str]:
    """Name the members that are not described, outermost only, as pointers."""
    if isinstance(value, dict):
        for name, member in value.items():
            pointer = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
            if pointer not in described:
                yield pointer
            elif isinstance(member, dict) and any(other.startswith(pointer + "/") for other in described):
                yield from _undescribed(member, described, pointer)


class _Log:
    """Loads one file whose lines are units."""

    def __init__(self, rows: UnitRows, file: NativeFile, place: Path, largest: int) -> None:
        self._rows, self._file, self._place, self._largest = rows, file, place, largest
        self._session = file.path.rpartition("/")[2].rpartition(".")[0]
        self._first = True
        self._lost: list[int] = []
        self._units = self._unreadable = 0

    def load(self) -> None:
        """Read all lines."""
        with self._place.open("rb") as file:
            for line in raw_lines(file, self._largest):
                self._line(line)
        self._end_gap()
        self._rows.counted(self._file.number, self._file.kind, self._units, self._unreadable)

    def _line(self, line: RawLine) -> None:
        marked = line.number == 1 and line.data is not None and line.data.startswith(MARK)
        value, codes = (None, ["malformed-json"]) if line.data is None else _json(line.data[3 * marked :])
        notes = [*(["bom"] if marked else []), *codes]
        if _UNREADABLE & set(codes):
            self._lose(line, notes)
            return
        self._end_gap()
        kind = _kind_of(value, self._file.kind)
        self._name_session(kind, value)
        self._units += 1
        # What a value cannot say is the line's bytes: see the record stream's contract.
        digest = cell_digest(line.data) if notes else value_digest(value)
        place = self._place_of(line.number)
        entity = kind.entity if kind else self._file.kind.entity
        unit = self._rows.unit(place, entity, self._file.kind.family, str(line.number), self._session, digest)
        taken = Taken(value, line=line.number)
        if kind is not None:
            self._rows.columns(kind.workbench, unit, kind.facets, taken)
            self._rows.undescribed(place, unit, kind.name, _undescribed(value, kind.described))
        else:
            self._rows.strange(place, unit, _type_of(value, self._file.kind))
        for code in notes:
            self._rows.note(code, place, unit)
        for code, pointer in taken.notices:
            self._rows.note(code, place, unit, pointer)

    def _place_of(self, line: int) -> Place:
        return Place(self._file.number, self._file.kind.name, (self._file.path, str(line)))

    def _name_session(self, kind: LineKind | None, value: Any) -> None:
        """Take the session's id from a first line that names it."""
        if self._first and self._file.kind.session is not None and kind is not None:
            name, pointer = self._file.kind.session
            named = at_pointers(value, (pointer,))
            if kind.name == name and isinstance(named, str) and named:
                self._session = named
        self._first = False

    def _lose(self, line: RawLine, notes: Sequence[str]) -> None:
        self._first = False
        self._unreadable += 1
        self._lost.append(line.number)
        for code in notes:
            place = self._place_of(line.number)
            self._rows.note(code, place, detail=f"the line starts at byte {line.offset}")

    def _end_gap(self) -> None:
        if self._lost:
            first, last = (self._place_of(number) for number in (self._lost[0], self._lost[-1]))
            self._rows.lost(first, last, len(self._lost))
            self._lost.clear()


def _type_of(value: Any, kind: FileKind) -> str:
    """Say in a word what a line is that is of no kind."""
    found = at_pointers(value, tuple(line.pointer for line in kind.lines))
    return found if isinstance(found, str) else "object" if isinstance(value, dict) else "no object"


def _kind_of(value: Any, kind: FileKind) -> LineKind | None:
    for line in kind.lines:
        found = at_pointers(value, (line.pointer,))
        if isinstance(found, str) and line.equals in (None, found):
            return line
    return None
