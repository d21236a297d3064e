"""Parses the modules of a source tree when they are asked for, and finds the module that an import means.

Nothing is imported or run: a module is its syntax tree. Hands on ``Module`` values.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from validator.audit.members import Tree

_GATHERED = (ast.Import, ast.ImportFrom, ast.Call, ast.Assign, ast.Constant)


@dataclass(frozen=True)
class Module:
    """One parsed file."""

    path: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> dict[type[ast.AST], list[Any]]:
        """All imports, calls, assignments and constants, in no order that counts; one walk gathers them."""
        found: dict[type[ast.AST], list[Any]] = {kind: [] for kind in _GATHERED}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if type(node) in found:
                found[type(node)].append(node)
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    waiting.append(value)
                elif isinstance(value, list):
                    waiting.extend(item for item in value if isinstance(item, ast.AST))
        return found


class Modules:
    """The modules of a tree, each parsed at most once."""

    def __init__(self, source: Tree) -> None:
        self._source = source
        self._parsed: dict[str, Module | None] = {}
        self.unread: list[str] = list(source.unread)

    def holding(self, *marks: bytes) -> list[str]:
        """Return the paths of files that hold one of some byte strings."""
        return [path for path, data in self._source.files.items() if any(mark in data for mark in marks)]

    def text(self, path: str) -> bytes:
        """Return a file's bytes."""
        return self._source.files[path]

    def get(self, path: str) -> Module | None:
        """Return a file's module, or None where there is no such file or it is no Python."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(path) if path in self._source.files else None
        return self._parsed[path]

    def _parse(self, path: str) -> Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Module(path, ast.parse(self._source.files[path]))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.unread.append(f"{path}: cannot be parsed: {str(error) or type(error).__name__}")
            return None

    def find(self, importer: Module, name: str, level: int = 0) -> Module | None:
        """Return the module that ``from name import …`` means in another module; None for one of another tree."""
        parts = name.split(".") if name else []
        if level:
            base = PurePosixPath(importer.path).parents
            if level > len(base):
                return None
            return self._at(str(base[level - 1] / "/".join(parts)))
        # Absolute: from the top of the tree, or of a folder such as src/ that is put on the path.
        for root in ("", "src/"):
            found = self._at(root + "/".join(parts))
            if found is not None:
                return found
        return None

    def _at(self, stem: str) -> Module | None:
        return self.get(f"{stem}.py") or self.get(f"{stem}/__init__.py")


def imports(module: Module) -> dict[str, tuple[str, int, str | None]]:
    """Return what each imported name stands for: module, level, and the name in it (None: the module itself)."""
    found: dict[str, tuple[str, int, str | None]] = {}
    for node in sorted(module.nodes[ast.Import] + module.nodes[ast.ImportFrom], key=lambda node: node.lineno):
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                found[alias.asname or alias.name] = (node.module or "", node.level, alias.name)
            else:
                found[alias.asname or alias.name.split(".")[0]] = (alias.name, 0, None)
    return found
