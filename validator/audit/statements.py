"""Finds the texts in a source tree that hold schema statements, with what could not be evaluated.

Every expression of a module is looked at in the scope where it stands: loops over constant lists are gone through, and
a function that adds a column whose name it is given is followed from its calls. Hands on ``Found`` texts in order.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from validator.audit.constants import UNKNOWN, Evaluator, Exhausted, NotConstant, Scope, generated, sequence
from validator.audit.modules import Module

DDL = re.compile(r"\b(?:CREATE\s+(?:\w+\s+){0,2}(?:TABLE|INDEX)|ALTER\s+TABLE)\b", re.IGNORECASE)
_ROUNDS = 1000
"""Rounds of one loop that are gone through."""
_CALLS_DEEP = 3
"""Calls within calls that are followed."""

_TEXTS = (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Call, ast.Subscript)


@dataclass(frozen=True)
class Found:
    """A text with schema statements, and where it stands."""

    path: str
    line: int
    text: str


@dataclass
class Function:
    """A function that makes statements from its parameters."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    module: Module
    owner: str | None


@dataclass
class Search:
    """What a search through modules has found so far."""

    evaluator: Evaluator
    texts: list[Found] = field(default_factory=list)
    opaque: dict[tuple[str, int], str] = field(default_factory=dict)
    """Statements that are not constant: what is seen of them, by place."""
    makers: dict[str, Function] = field(default_factory=dict)
    """Functions by name that make statements from what they are given."""
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _depth: int = 0

    def module(self, module: Module) -> None:
        """Look through a module; raises ``Exhausted``."""
        walker = _Walker(self, module, module.path)
        walker.body(module.tree.body, Scope(self.evaluator.globals(module)))

    def add(self, path: str, line: int, text: str) -> None:
        """Keep a text once for each file."""
        if (path, text) not in self._seen:
            self._seen.add((path, text))
            self.texts.append(Found(path, line, text))

    def follow(self, function: Function, scope: Scope, call: ast.Call, path: str) -> None:
        """Look through a function with the arguments of one call; what it makes counts for the caller's file."""
        if self._depth >= _CALLS_DEEP:
            return
        inner = Scope(self.evaluator.globals(function.module), owner=function.owner)
        for name, value in _arguments(function, call, scope, self.evaluator):
            inner.names[name] = value
        self._depth += 1
        try:
            _Walker(self, function.module, path, call.lineno).body(function.node.body, inner)
        finally:
            self._depth -= 1


def _arguments(function: Function, call: ast.Call, scope: Scope, evaluator: Evaluator) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a function with the values that a call gives them."""
    spec = function.node.args
    names = [parameter.arg for parameter in [*spec.posonlyargs, *spec.args]]
    defaults = dict(zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True))
    defaults.update({p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None})
    given: dict[str, ast.expr] = {}
    positional = names[1:] if names[:1] in (["self"], ["cls"]) and isinstance(call.func, ast.Attribute) else names
    for name, argument in zip(positional, call.args, strict=False):
        given[name] = argument
    given.update({word.arg: word.value for word in call.keywords if word.arg})
    for name in [*names, *(parameter.arg for parameter in spec.kwonlyargs)]:
        expression = given.get(name, defaults.get(name))
        where = scope if name in given else Scope(evaluator.globals(function.module), owner=function.owner)
        try:
            yield name, UNKNOWN if expression is None else evaluator.value(expression, where)
        except NotConstant:
            yield name, UNKNOWN


class _Walker:
    """Walks the statements of one module; ``path`` and ``line`` say where what it finds counts."""

    def __init__(self, search: Search, module: Module, path: str, line: int | None = None) -> None:
        self._search = search
        self._evaluator = search.evaluator
        self._module = module
        self._path = path
        self._line = line
        self._function: Function | None = None

    def body(self, statements: list[ast.stmt], scope: Scope) -> None:
        """Walk statements in order; a text that stands alone is a comment (a docstring)."""
        for node in statements:
            self._evaluator.tick()
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr):
                continue
            handler = getattr(self, f"_{type(node).__name__.lower()}", None)
            if handler is not None:
                handler(node, scope)
            else:
                self._generic(node, scope)

    def _generic(self, node: ast.AST, scope: Scope) -> None:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.body(value, scope)
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.expr):
                    self._expression(child, scope)
                elif isinstance(child, ast.AST) and name != "targets":
                    self._generic(child, scope)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        inner = Scope(scope.module, scope)
        spec = node.args
        for parameter in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]:
            inner.names[parameter.arg] = UNKNOWN
        outer, self._function = self._function, Function(node, self._module, inner.owner)
        self.body(node.body, inner)
        self._function = outer

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef, scope: Scope) -> None:
        self.body(node.body, Scope(scope.module, scope, owner=node.name))

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        self._expression(node.value, scope)
        value = self._value(node.value, scope)
        for target in node.targets:
            scope.bind(target, value)

    def _annassign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self._expression(node.value, scope)
            scope.bind(node.target, self._value(node.value, scope))

    def _augassign(self, node: ast.AugAssign, scope: Scope) -> None:
        self._expression(node.value, scope)
        if isinstance(node.target, ast.Name):
            made = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            scope.names[node.target.id] = self._value(made, scope)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        self._expression(node.iter, scope)
        try:
            rounds = sequence(self._value(node.iter, scope))[:_ROUNDS]
        except NotConstant:
            rounds = [UNKNOWN]
        for item in rounds or [UNKNOWN]:
            scope.bind(node.target, item)
            self.body(node.body, scope)
        self.body(node.orelse, scope)

    _asyncfor = _for

    def _value(self, node: ast.expr, scope: Scope) -> Any:
        try:
            return self._evaluator.value(node, scope)
        except NotConstant:
            return UNKNOWN

    def _expression(self, node: ast.expr, scope: Scope) -> None:
        if isinstance(node, _TEXTS):
            value = self._value(node, scope)
            if isinstance(value, str):
                if DDL.search(value):
                    self._search.add(self._path, self._line or node.lineno, value)
                return
        if isinstance(node, ast.Call):
            self._followed(node, scope)
        if isinstance(node, ast.JoinedStr | ast.BinOp):
            self._opaque(node)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            self._comprehension(node, scope)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, scope)
            elif isinstance(child, ast.keyword | ast.comprehension):
                self._generic(child, scope)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> None:
        try:
            for inner in generated(self._evaluator, node.generators, scope):
                self._expression(node.elt, inner)
        except NotConstant:
            self._expression(node.elt, Scope(scope.module, scope))

    def _followed(self, node: ast.Call, scope: Scope) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        function = self._search.makers.get(name) if name else None
        if function is not None and function.node is not (self._function and self._function.node):
            self._search.follow(function, scope, node, self._path)

    def _opaque(self, node: ast.JoinedStr | ast.BinOp) -> None:
        """Note a statement that is put together while the program runs, and the function that does it."""
        shown = _shown(node)
        if not DDL.match(shown.lstrip()):
            return
        self._search.opaque.setdefault((self._module.path, node.lineno), " ".join(shown.split()))
        if self._function is not None:
            self._search.makers.setdefault(self._function.node.name, self._function)


def _shown(node: ast.expr) -> str:
    """Show an expression of text as a pattern: what is constant, and the rest in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_shown(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return _shown(node.left) + (_shown(node.right) if isinstance(node.op, ast.Add) else "")
    inner = node.value if isinstance(node, ast.FormattedValue) else node
    return "{" + (ast.unparse(inner) if isinstance(inner, ast.Name | ast.Attribute) else "…") + "}"


__all__ = ["Exhausted", "Found", "Search"]
