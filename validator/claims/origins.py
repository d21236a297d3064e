"""Finds which columns of the workbench the values of a query come from: never an expected value from a record.

A conservative reading of the SQL, not a parser of all of it: what a CASE compares, and what a window or a filter
ranges over, decides which value is taken and is no origin of it. SQLite itself has prepared the query before, so that
only sound SQL is read here. Hands on, for each column of the query's result, the (table, column) pairs it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Origins = frozenset[tuple[str, str]]
Item = str | list["Item"]
"""A token, or what stands between two parentheses."""

NONE: Origins = frozenset()

_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|\s+          # nothing
    |[xX]?'(?:[^']|'')*'               # text, blob
    |"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*` # a quoted name
    |[A-Za-z_][A-Za-z0-9_$]*           # a name or a keyword
    |[0-9.]*[0-9][0-9A-Za-z.]*         # a number
    |.""",
    re.VERBOSE | re.DOTALL,
)

_NAME = re.compile(r"[a-z_][a-z0-9_$]*")
_BINDING = (
    "AND",
    "BETWEEN",
    "COLLATE",
    "ELSE",
    "GLOB",
    "IN",
    "IS",
    "LIKE",
    "NOT",
    "OR",
    "THEN",
    "WHEN",
    "CASE",
    "DISTINCT",
)
_COMPOUND = ("UNION", "EXCEPT", "INTERSECT")
_CLAUSES = ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW")
_JOINS = ("JOIN", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL", ",")


@dataclass
class _Scope:
    """What names mean where an expression stands: tables by alias, and the scope around it."""

    ctes: dict[str, dict[str, Origins]]
    tables: Mapping[str, Sequence[str]]
    outer: _Scope | None = None
    sources: list[tuple[str, dict[str, Origins]]] = field(default_factory=list)

    def inner(self) -> _Scope:
        return _Scope(dict(self.ctes), self.tables, self)

    def table(self, name: str) -> dict[str, Origins]:
        if name in self.ctes:
            return self.ctes[name]
        return {column: frozenset([(name, column)]) for column in self.tables.get(name, ())}

    def column(self, name: str, alias: str | None = None) -> Origins:
        found = [columns[name] for known, columns in self.sources if name in columns and alias in (None, known)]
        if found or self.outer is None:
            return NONE.union(*found)
        return self.outer.column(name, alias)


def origins(sql: str, tables: Mapping[str, Sequence[str]]) -> dict[str, Origins]:
    """Return, for each column of a query's result, the columns of ``tables`` that its value comes from."""
    return _query(_tree(iter(_tokens(sql))), _Scope({}, {name.lower(): columns for name, columns in tables.items()}))


def casts_to_text(sql: str) -> bool:
    """Whether a query casts something to TEXT: of a REAL, versions of SQLite write it differently."""
    return _casts(_tree(iter(_tokens(sql))))


def _casts(items: Sequence[Item]) -> bool:
    for place, item in enumerate(items):
        if isinstance(item, list):
            kind = _split(item, "AS")[-1] if place and _is(items[place - 1], "CAST") else []
            if any(part in name for name in map(_name, kind[:1]) for part in ("char", "clob", "text")) or _casts(item):
                return True
    return False


def _tokens(sql: str) -> list[str]:
    found = _TOKEN.findall(sql)
    return [token for token in found if not token.isspace() and not token.startswith(("--", "/*")) and token != ";"]


def _tree(tokens: Iterator[str]) -> list[Item]:
    items: list[Item] = []
    for token in tokens:
        if token == ")":
            return items
        items.append(_tree(tokens) if token == "(" else token)
    return items


def _is(item: Item | None, *words: str) -> bool:
    return isinstance(item, str) and item.upper() in words


def _split(items: Sequence[Item], *words: str) -> list[list[Item]]:
    parts: list[list[Item]] = [[]]
    for item in items:
        if _is(item, *words):
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def _name(item: Item) -> str:
    text = item if isinstance(item, str) else ""
    return (text[1:-1] if text[:1] in '"[`' else text).lower()


def _is_query(item: Item) -> bool:
    return isinstance(item, list) and bool(item) and _is(item[0], "SELECT", "WITH", "VALUES")


def _query(items: Sequence[Item], scope: _Scope) -> dict[str, Origins]:
    if _is(items[0] if items else None, "WITH"):
        scope = _Scope(dict(scope.ctes), scope.tables, scope.outer)
        items = _with(items[1:], scope)
    result: dict[str, Origins] = {}
    for arm in _split([item for item in items if not _is(item, "ALL")], *_COMPOUND):
        columns = _arm(arm, scope)
        if result:
            pairs = zip(result.items(), columns.values(), strict=False)
            result = {name: known | more for (name, known), more in pairs}
        else:
            result = columns
    return result


def _with(items: Sequence[Item], scope: _Scope) -> Sequence[Item]:
    """Read common table expressions into the scope; returns what follows them."""
    rest = list(items)
    if _is(rest[0], "RECURSIVE"):
        rest.pop(0)
    while rest and not _is(rest[0], "SELECT", "VALUES"):
        name = _name(rest.pop(0))
        named = [_name(item) for item in rest.pop(0) if not _is(item, ",")] if isinstance(rest[0], list) else None
        while not isinstance(rest[0], list):  # AS, MATERIALIZED
            rest.pop(0)
        body = rest.pop(0)
        scope.ctes[name] = {}
        for _ in (1, 2):  # the second time a recursive one knows what it is
            columns = _query(body if isinstance(body, list) else [], scope.inner())
            scope.ctes[name] = dict(zip(named or columns, columns.values(), strict=False))
        if _is(rest[0] if rest else None, ","):
            rest.pop(0)
    return rest


def _arm(items: Sequence[Item], scope: _Scope) -> dict[str, Origins]:
    inner = scope.inner()
    if _is(items[0], "VALUES"):
        rows = [row for row in items[1:] if isinstance(row, list)]
        cells = [_split(row, ",") for row in rows]
        return {
            f"column{place + 1}": NONE.union(*(_expression(row[place], inner) for row in cells))
            for place in range(len(cells[0]))
        }
    head, sources = _clauses(items[1:])
    _from(sources, inner)
    result: dict[str, Origins] = {}
    for place, part in enumerate(_split([item for item in head if not _is(item, "DISTINCT")], ",")):
        if part and _is(part[-1], "*") and len(part) in (1, 3):
            alias = _name(part[0]) if len(part) == 3 else None
            for known, columns in inner.sources:
                if alias in (None, known):
                    result.update(columns)
            continue
        expression, name = _aliased(part)
        found = _expression(expression, inner)
        result[name if name not in result and name else f"column {place}"] = found
    return result


def _clauses(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Return what is selected, and from what."""
    head: list[Item] = []
    sources: list[Item] = []
    part: list[Item] | None = head
    for item in items:
        if _is(item, *_CLAUSES):
            part = sources if _is(item, "FROM") else None
        elif part is not None:
            part.append(item)
    return head, sources


def _aliased(items: list[Item]) -> tuple[list[Item], str]:
    """Return an expression and the name of its column."""
    last = _name(items[-1]) if items else ""
    if len(items) == 1 or (len(items) == 3 and _is(items[1], ".")):
        return items, last
    if _is(items[-2], "AS"):
        return items[:-2], last
    before = items[-2]
    ends = isinstance(before, list) or _is(before, "END") or before[:1] in "'\"0123456789"
    names = _NAME.fullmatch(last) is not None and not _is(items[-1], "END", "NULL", "ISNULL", "NOTNULL")
    follows = ends or (_NAME.fullmatch(_name(before)) is not None and not _is(before, *_BINDING))
    return (items[:-1], last) if names and follows else (items, "")


def _from(items: Sequence[Item], scope: _Scope) -> None:
    for part in _split(items, *_JOINS):
        source = _split(part, "ON", "USING")[0]
        if not source:
            continue
        first, *more = [item for item in source if not _is(item, "AS", "NOT", "INDEXED")]
        if isinstance(first, list) and not _is_query(first):
            _from(first, scope)
            continue
        columns = _query(first, scope) if isinstance(first, list) else scope.table(_name(first))
        scope.sources.append((_name(more[-1]) if more else _name(first), columns))


def _expression(items: Sequence[Item], scope: _Scope) -> Origins:
    found = NONE
    place = 0
    while place < len(items):
        item = items[place]
        if _is(item, "CASE"):
            values, place = _case(items, place + 1)
            found |= NONE.union(*(_expression(value, scope) for value in values))
            continue
        if _is(item, "OVER", "FILTER", "COLLATE"):
            place += 2
            continue
        following = items[place + 1] if place + 1 < len(items) else None
        if isinstance(item, list):
            found |= _group(item, scope)
        elif isinstance(following, list):
            found |= _call(item, following, scope)
            place += 1
        elif _is(following, "."):
            found |= scope.column(_name(items[place + 2]), _name(item))
            place += 2
        elif item[:1] not in "'0123456789":
            found |= scope.column(_name(item))
        place += 1
    return found


def _group(items: list[Item], scope: _Scope) -> Origins:
    if _is_query(items):
        return NONE.union(*_query(items, scope.inner()).values())
    return _expression(items, scope)


def _call(function: str, arguments: list[Item], scope: _Scope) -> Origins:
    """A call, or a keyword before a parenthesis: what its arguments are, but those that only choose."""
    if _is(function, "EXISTS"):
        return NONE
    if _is(function, "IIF"):
        return NONE.union(*(_expression(part, scope) for part in _split(arguments, ",")[1:]))
    if _is(function, "CAST"):
        return _expression(_split(arguments, "AS")[0], scope)
    return _group(arguments, scope)


def _case(items: Sequence[Item], place: int) -> tuple[list[list[Item]], int]:
    """Return the values that a CASE may give, and where it ends; conditions are left out."""
    values: list[list[Item]] = []
    taken: list[Item] | None = None
    while place < len(items) and not _is(items[place], "END"):
        item = items[place]
        if _is(item, "CASE"):
            inner, behind = _case(items, place + 1)
            if taken is not None:
                taken.extend(part for value in inner for part in (*value, ","))
            place = behind
            continue
        if _is(item, "WHEN"):
            taken = None
        elif _is(item, "THEN", "ELSE"):
            taken = []
            values.append(taken)
        elif taken is not None:
            taken.append(item)
        place += 1
    return values, place + 1
