"""Reads a store's layout from the source of the program that makes it, without running anything of it.

The module that creates most of the shape's tables is the main one. Another module's statements count when it names the
store's file, or lies beside the main module and imports it, and is about no other database. Hands on a ``Layout``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from validator.audit.constants import Evaluator, Exhausted, NotConstant
from validator.audit.ddl import Built, Statement, build, statements
from validator.audit.layout import Layout
from validator.audit.members import Tree, TreeError
from validator.audit.modules import Module, Modules, imports
from validator.audit.spoken import spoken
from validator.audit.statements import Found, Search
from validator.audit.vocabulary import Vocabulary
from validator.descriptor.shape import Shape

_MARK = re.compile(rb"\b(?:create|alter)\s+(?:\w+\s+){0,2}(?:table|index)\b|\badd\s+column\b", re.IGNORECASE)
_OTHER_DATABASES = frozenset("asyncpg duckdb MySQLdb mysql psycopg psycopg2 pymysql sqlalchemy".split())
"""Packages whose importer speaks to a database of another kind."""
_DATABASE_FILE = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:db|sqlite3?)")


def read_source(tree: Tree, shape: Shape, vocabulary: Vocabulary) -> Layout:
    """Return the layout that a source tree makes; raises ``TreeError`` where it makes none of the shape's tables."""
    modules = Modules(tree)
    search = _search(modules)
    known = {table.name for table in shape.tables}
    main = _main(search.texts, known)
    if main is None:
        raise TreeError("creates none of the tables that the native shape describes; is it another program's source?")
    ours, unread = _attributed(search, modules, main, shape)
    built = build(_wanted(ours, known))
    values, members = spoken(modules, search.evaluator, vocabulary)
    return Layout(
        version=_constant(modules, search.evaluator, {found.path for found in ours}, vocabulary.layout_constant),
        tables={name: table for name, table in built.tables.items() if name not in _intermediate(ours)},
        indexes=built.indexes,
        values=values,
        members=members,
        unread=(*modules.unread, *unread, *_refused(built), *_opaque(search, {found.path for found in ours})),
    )


def _search(modules: Modules) -> Search:
    """Find every text with schema statements; a second look follows the calls of functions that make some."""
    search = Search(Evaluator(modules))
    paths = [
        path for path in modules.holding(b"TABLE", b"table", b"Table", b"COLUMN") if _MARK.search(modules.text(path))
    ]
    for _ in range(2):
        known = set(search.makers)
        calls = [name.encode() + b"(" for name in known]
        wanted = paths if not known else sorted({*paths, *modules.holding(*calls)}) if calls else paths
        for path in wanted:
            module = modules.get(path)
            try:
                if module is not None:
                    search.module(module)
            except RecursionError:
                modules.unread.append(f"{path}: nested too deeply")
            except Exhausted:
                modules.unread.append(
                    f"{path}: the budget of steps is used up; this file and those after it are unread"
                )
                return search
        if set(search.makers) == known:
            break
    return search


def _main(texts: Iterable[Found], known: set[str]) -> str | None:
    """Return the path of the module that holds the text which creates most of the known tables."""
    best: tuple[int, str] | None = None
    for found in texts:
        count = len({s.name for s in statements(found.text) if s.kind == "table"} & known)
        if count and (best is None or (-count, found.path) < best):
            best = (-count, found.path)
    return best[1] if best else None


def _attributed(search: Search, modules: Modules, main: str, shape: Shape) -> tuple[list[Found], list[str]]:
    """Return the texts that are about the store, the main module's first, and the tables of which that is unsure."""
    files = {PurePosixPath(pattern).name for pattern, _ in shape.files}
    ours = [found for found in search.texts if found.path == main]
    unread = []
    for path in dict.fromkeys(found.path for found in search.texts if found.path != main):
        module = modules.get(path)
        if module is None:
            continue
        texts = [found for found in search.texts if found.path == path]
        named = _named_files(module)
        neighbour = not named and _neighbour(module, main, modules)
        other = sorted(named - files) + (sorted(_foreign(module)) if neighbour else [])
        if not other and (named or neighbour):
            ours.extend(texts)
        elif named & files or neighbour:
            made = sorted({s.name for found in texts for s in statements(found.text) if s.kind == "table"})
            if made:
                unread.append(f"{path}: is about {', '.join(other)} too; not counted: {', '.join(made)}")
    return ours, unread


def _foreign(module: Module) -> set[str]:
    return {target.split(".")[0] for target, level, _ in imports(module).values() if not level} & _OTHER_DATABASES


def _named_files(module: Module) -> set[str]:
    """Return the names of database files that stand as texts of their own in a module."""
    return {
        PurePosixPath(node.value).name
        for node in module.nodes[ast.Constant]
        if isinstance(node.value, str) and _DATABASE_FILE.fullmatch(node.value)
    }


def _neighbour(module: Module, main: str, modules: Modules) -> bool:
    """Whether a module lies beside the main one and imports it."""
    if PurePosixPath(module.path).parent != PurePosixPath(main).parent:
        return False
    for target, level, member in imports(module).values():
        for name in (target, f"{target}.{member}" if target and member else None):
            found = modules.find(module, name, level) if name else None
            if found is not None and found.path == main:
                return True
    return False


def _wanted(ours: Iterable[Found], known: set[str]) -> list[Statement]:
    """Return the statements to run; a column or index counts only on a table that is made or known."""
    found = [statement for text in ours for statement in statements(text.text)]
    made = {statement.name for statement in found if statement.kind == "table"} | known
    return [s for s in found if s.kind == "table" or (s.kind in ("column", "index") and s.table in made)]


def _intermediate(ours: Iterable[Found]) -> set[str]:
    """Return the tables that a migration makes only to rename them to another table that is made."""
    found = [statement for text in ours for statement in statements(text.text)]
    made = {statement.name for statement in found if statement.kind == "table"}
    return {s.table for s in found if s.kind == "rename" and s.name in made}


def _constant(modules: Modules, evaluator: Evaluator, paths: set[str], name: str | None) -> int | None:
    """Return the layout's number: the constant of that name in one of the modules."""
    for path in sorted(paths) if name else ():
        module = modules.get(path)
        try:
            value = evaluator.globals(module).lookup(name) if module and name else None
        except (NotConstant, Exhausted):
            continue
        if type(value) is int:
            return value
    return None


def _refused(built: Built) -> list[str]:
    return [f"not run: {statement.sql[:100]!r}: {reason}" for statement, reason in built.refused]


def _opaque(search: Search, paths: set[str]) -> list[str]:
    """List the statements of the store's modules that are put together while the program runs.

    Virtual tables are derived, and what is renamed or dropped was made before.
    """
    return [
        f"{path}:{line}: put together while it runs: {shown[:100]}"
        for (path, line), shown in sorted(search.opaque.items())
        if path in paths and not re.search(r"\bVIRTUAL\b|\bRENAME\b|\bDROP\b", shown[:200], re.IGNORECASE)
    ]
