"""Edits of record-stream lines: the ways to break a stream that SQL on the records cannot say.

A mutant names an edit (``lines``) and says in ``where`` which lines it changes and how. ``edited`` hands on the
lines as a wrong converter would have written them; ``end`` counts what then stands there. Every edit is a pure
function, knows no producer, and changes copies.

``where`` chooses the lines with any of these members (all of them must fit):

* ``line``: the kind of line, ``record`` if left out;
* ``table``, ``entity``, ``family``: the record's native table, entity type, family;
* ``has``, ``lacks``: a JSON Pointer of something that is there, or is not;
* ``at`` with ``is``: a JSON Pointer, and the value that stands there;
* ``take``: ``all`` of the lines that are left (if left out), or only the ``first`` or the ``last``.

The other members are the edit's own parameters.
"""

from __future__ import annotations

import base64
import copy
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Line = dict[str, Any]
Where = dict[str, Any]

CHOOSING = ("line", "table", "entity", "family", "has", "lacks", "at", "is", "take")

_MISSING = object()


class EditError(ValueError):
    """A mutant's edit that there is not, or that lacks a parameter or has one too many."""


@dataclass(frozen=True)
class Edit:
    """One edit: what to put in a line's place, the parameters it needs, and what it does, in a few words."""

    apply: Callable[[Line, Where], Sequence[Line]]
    needs: tuple[str, ...]
    says: str


def edited(raw: Sequence[bytes], parsed: Sequence[Line], name: str, where: Where) -> list[bytes]:
    """Return a run's lines after an edit; lines that it leaves alone keep their bytes.

    ``parsed`` are the lines ``raw``, parsed. Raises ``EditError``.
    """
    edit = checked(name, where)
    chosen = set(_chosen(parsed, where))
    moved: list[tuple[str, bytes]] = []
    lines: list[tuple[str, bytes]] = []
    for index, line in enumerate(raw):
        kind = parsed[index]["line"]
        if index not in chosen:
            lines.append((kind, line))
        elif name == "move-line-to-end":
            moved.append((kind, line))
        else:
            put = [(one["line"], written(one)) for one in edit.apply(json.loads(line), where)]
            unchanged = len(put) == 1 and put[0][1] == written(parsed[index])
            lines.extend([(kind, line)] if unchanged else put)
    lines[-1:-1] = moved  # before `end`
    if where.get("line", "record") != "end":
        lines = _counted(lines)
    return [line for _, line in lines]


def checked(name: str, where: Where) -> Edit:
    """Return the edit of that name; ``EditError`` when there is none or its parameters do not fit."""
    edit = EDITS.get(name)
    if edit is None:
        raise EditError(f"there is no edit {name!r}; there are: {', '.join(sorted(EDITS))}")
    missing = [parameter for parameter in edit.needs if parameter not in where]
    if missing:
        raise EditError(f"the edit {name!r} lacks {', '.join(missing)}; write it into where")
    stray = sorted(where.keys() - set(CHOOSING) - set(edit.needs))
    if stray:
        known = ", ".join((*edit.needs, *CHOOSING))
        raise EditError(f"the edit {name!r} has no use for {', '.join(stray)}; where may say: {known}")
    if ("at" in where) != ("is" in where):
        raise EditError(f"the edit {name!r}: at and is belong together; write both into where, or neither")
    if where.get("take", "all") not in ("all", "first", "last"):
        raise EditError(f"the edit {name!r}: take is all, first or last")
    return edit


def written(line: Line) -> bytes:
    """Write a line as a converter does."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _chosen(parsed: Sequence[Line], where: Where) -> list[int]:
    fitting = [index for index, line in enumerate(parsed) if _fits(line, where)]
    take = where.get("take", "all")
    return fitting if take == "all" else fitting[:1] if take == "first" else fitting[-1:]


def _fits(line: Line, where: Where) -> bool:
    if line["line"] != where.get("line", "record"):
        return False
    asked = {"table": "/native/record/table", "entity": "/entity/type", "family": "/family"}
    if any(name in where and value_at(line, pointer) != where[name] for name, pointer in asked.items()):
        return False
    if "has" in where and value_at(line, where["has"]) is _MISSING:
        return False
    if "lacks" in where and value_at(line, where["lacks"]) is not _MISSING:
        return False
    return "at" not in where or value_at(line, where["at"]) == where["is"]


def _counted(lines: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Let ``end`` count the lines, so that the stream is wrong in the one way that is meant."""
    counts = Counter(kind for kind, _ in lines)
    end = written({"line": "end", **{f"{kind}s": counts[kind] for kind in ("stream", "record", "gap", "notice")}})
    return [(kind, end if kind == "end" and json.loads(line) != json.loads(end) else line) for kind, line in lines]


def _tokens(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise EditError(f"{pointer!r} is no JSON Pointer; begin it with /")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def value_at(value: Any, pointer: str) -> Any:
    """Return what stands at a JSON Pointer, or a marker that equals nothing."""
    for token in _tokens(pointer):
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            return _MISSING
    return value


def _put(line: Line, pointer: str, value: Any) -> None:
    """Put a value at a pointer, making the objects on the way; ``-`` as the last part appends to an array."""
    *way, last = _tokens(pointer) or [""]
    place: Any = line
    try:
        for token in way:
            place = place[int(token)] if isinstance(place, list) else place.setdefault(token, {})
        if not isinstance(place, list):
            place.update({last: value})
        elif last == "-":
            place.append(value)
        else:
            place[int(last)] = value
    except (AttributeError, IndexError, ValueError):
        raise EditError(f"nothing can stand at {pointer!r} in a line that was chosen; choose with has or at") from None


def _take(line: Line, pointer: str) -> Any:
    """Remove and return what stands at a pointer."""
    *way, last = _tokens(pointer)
    place = value_at(line, "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in way))
    if isinstance(place, list) and last.isdecimal() and int(last) < len(place):
        return place.pop(int(last))
    return place.pop(last, _MISSING) if isinstance(place, dict) else _MISSING


def _set(line: Line, where: Where) -> list[Line]:
    _put(line, where["pointer"], copy.deepcopy(where["value"]))
    return [line]


def _remove(line: Line, where: Where) -> list[Line]:
    _take(line, where["pointer"])
    return [line]


def _rename(line: Line, where: Where) -> list[Line]:
    value = _take(line, where["pointer"])
    if value is not _MISSING:
        _put(line, where["to"], value)
    return [line]


def _copy(line: Line, where: Where) -> list[Line]:
    value = value_at(line, where["pointer"])
    if value is not _MISSING:
        _put(line, where["to"], copy.deepcopy(value))
    return [line]


def _cut(line: Line, where: Where) -> list[Line]:
    value = value_at(line, where["pointer"])
    if isinstance(value, (str, list)) and value:
        _put(line, where["pointer"], value[:-1])
    return [line]


def _gap(line: Line, where: Where) -> list[Line]:
    """A gap in the record's place: the unit is there, and the converter says that it is not."""
    place = _place(line, where["source"])
    return [{"line": "gap", "from": place, "to": place, "units": 1, "reason": "unreadable"}]


def _place(line: Line, source: str) -> dict[str, Any]:
    """Return the locator of a record's unit: a row of the source, or the file or line that its key names."""
    table = value_at(line, "/native/record/table")
    key = line["entity"]["key"]
    try:
        parts = json.loads(key)
    except ValueError:
        parts = [key]
    if not isinstance(parts, list):
        parts = [key]
    if isinstance(table, str):
        return {"source": source, "table": table, "key": parts}
    return {"source": parts[0], "line": int(parts[1])} if len(parts) == 2 else {"source": parts[0]}


def _of_row(change: Callable[[dict[str, Any], Where], None]) -> Callable[[Line, Where], list[Line]]:
    """An edit of the native row in a record."""

    def apply(line: Line, where: Where) -> list[Line]:
        row = value_at(line, "/native/record/row")
        if isinstance(row, dict):
            change(row, where)
        return [line]

    return apply


def _of_cells(change: Callable[[Any], Any]) -> Callable[[Line, Where], list[Line]]:
    """An edit of every cell of the native row."""

    def apply(row: dict[str, Any], _: Where) -> None:
        for name, cell in row.items():
            row[name] = change(cell)

    return _of_row(apply)


def _drop_column(row: dict[str, Any], where: Where) -> None:
    row.pop(where["column"], None)


def _set_column(row: dict[str, Any], where: Where) -> None:
    if where["column"] in row:
        row[where["column"]] = copy.deepcopy(where["value"])


def _add_column(row: dict[str, Any], where: Where) -> None:
    row.setdefault(where["column"], copy.deepcopy(where["value"]))


def _rename_column(row: dict[str, Any], where: Where) -> None:
    if where["column"] in row:
        row[where["to"]] = row.pop(where["column"])


def _without_nulls(row: dict[str, Any], _: Where) -> None:
    for name in [name for name, cell in row.items() if cell is None]:
        del row[name]


def _empty_as_null(cell: Any) -> Any:
    return None if cell == "" else cell


def _null_as_empty(cell: Any) -> Any:
    return "" if cell is None else cell


def _real_as_text(cell: Any) -> Any:
    return repr(cell) if isinstance(cell, float) else cell


def _integer_as_text(cell: Any) -> Any:
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell


def _real_rounded(cell: Any) -> Any:
    return round(cell, 3) if isinstance(cell, float) else cell


def _at_nul(cell: Any) -> Any:
    return cell.split("\0", 1)[0] if isinstance(cell, str) else cell


def _blob_as_text(cell: Any) -> Any:
    if isinstance(cell, dict) and "$blob" in cell:
        return base64.b64decode(cell["$blob"]).decode("utf-8", "replace")
    return cell


def _trimmed(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def _replaced(cell: Any) -> Any:
    """Text as a careless decoder leaves it: bytes that are not UTF-8 become U+FFFD."""
    if isinstance(cell, dict) and "$text" in cell:
        return base64.b64decode(cell["$text"]).decode("utf-8", "replace")
    return cell


EDITS: dict[str, Edit] = {
    "set": Edit(_set, ("pointer", "value"), "puts a value at a pointer; `-` as its last part appends to an array"),
    "remove": Edit(_remove, ("pointer",), "removes what stands at a pointer"),
    "rename": Edit(_rename, ("pointer", "to"), "moves what stands at a pointer to another"),
    "copy": Edit(_copy, ("pointer", "to"), "copies what stands at a pointer to another"),
    "cut-last": Edit(_cut, ("pointer",), "cuts the last character of a text, or the last element of an array"),
    "drop-line": Edit(lambda line, where: (), (), "leaves the line out"),
    "repeat-line": Edit(lambda line, where: (line, line), (), "writes the line twice"),
    "move-line-to-end": Edit(lambda line, where: (line,), (), "moves the line behind all others but `end`"),
    "gap-for-record": Edit(_gap, ("source",), "declares the unit unreadable in place of its record"),
    "drop-column": Edit(_of_row(_drop_column), ("column",), "leaves a column of the native row out"),
    "set-column": Edit(_of_row(_set_column), ("column", "value"), "replaces a cell of the native row"),
    "add-column": Edit(_of_row(_add_column), ("column", "value"), "adds a column that the native row lacks"),
    "rename-column": Edit(_of_row(_rename_column), ("column", "to"), "renames a column of the native row"),
    "drop-null-columns": Edit(_of_row(_without_nulls), (), "leaves the columns that are NULL out"),
    "cut-text-at-nul": Edit(_of_cells(_at_nul), (), "cuts every text of the native row at its first NUL"),
    "trim-text": Edit(_of_cells(_trimmed), (), "trims white space around every text"),
    "real-as-text": Edit(_of_cells(_real_as_text), (), "writes every REAL as text"),
    "round-real": Edit(_of_cells(_real_rounded), (), "rounds every REAL to three decimals"),
    "integer-as-text": Edit(_of_cells(_integer_as_text), (), "writes every INTEGER as text"),
    "blob-as-text": Edit(_of_cells(_blob_as_text), (), "decodes every BLOB as UTF-8"),
    "replace-bad-text": Edit(_of_cells(_replaced), (), "replaces what is not UTF-8 by U+FFFD"),
    "empty-as-null": Edit(_of_cells(_empty_as_null), (), "writes empty text as NULL"),
    "null-as-empty": Edit(_of_cells(_null_as_empty), (), "writes NULL as empty text"),
}
"""The edits by name."""


def parse(raw: Iterable[bytes]) -> list[Line]:
    """Parse the lines of a run, numbers exactly."""
    return [json.loads(line) for line in raw]
