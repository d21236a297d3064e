"""Evaluates expressions that are constant, without running anything: literals, concatenations, f-strings.

Only a closed set of operations on built-in values is known, each bounded; whatever else an expression does makes it not
constant. Hands on plain values.
"""

from __future__ import annotations

import ast
import re
import string
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from validator.audit.modules import Module, Modules, imports

LONGEST = 2**20
"""Characters of a text, and items of a collection times 64, that an expression may make."""
STEPS = 2_000_000
"""Expressions that are evaluated in one audit."""
DEEPEST = 200
"""Expressions within expressions."""

UNKNOWN = object()
"""The value of a name that is bound to something that is not constant."""


class NotConstant(Exception):
    """The expression is not constant, as far as this evaluator can tell."""


class Exhausted(Exception):
    """The audit's budget of steps is used up."""


class Globals:
    """The names of a module: assignments at its top level and in its classes, and what it imports."""

    def __init__(self, module: Module, evaluator: Evaluator) -> None:
        self.module = module
        self._evaluator = evaluator
        self._assigned: dict[str, ast.expr] = {}
        self._classes: dict[str, dict[str, ast.expr]] = {}
        self._values: dict[str, Any] = {}
        self._imports = imports(module)
        for node in _flat(module.tree.body):
            if isinstance(node, ast.ClassDef):
                self._classes[node.name] = dict(pair for inner in _flat(node.body) for pair in _assignments(inner))
            else:
                self._assigned.update(_assignments(node))

    def lookup(self, name: str) -> Any:
        """Return the value of a global name; raises ``NotConstant``."""
        if name not in self._values:
            self._values[name] = UNKNOWN  # while it is evaluated: a name that needs itself is not constant
            if name in self._assigned:
                with suppress(NotConstant):
                    self._values[name] = self._evaluator.value(self._assigned[name], Scope(self))
            elif name in self._imports:
                self._values[name] = self._imported(name)
        if self._values[name] is UNKNOWN:
            raise NotConstant(name)
        return self._values[name]

    def attribute(self, owner: str, name: str) -> Any:
        """Return the value of ``owner.name``, where owner is a class of this module, or an imported module."""
        if name in self._classes.get(owner, {}):
            return self._evaluator.value(self._classes[owner][name], Scope(self, owner=owner))
        target, level, member = self._imports.get(owner, ("", 0, ""))
        if member is None:
            found = self._evaluator.modules.find(self.module, target, level)
        elif member:
            found = self._evaluator.modules.find(self.module, f"{target}.{member}" if target else member, level)
        else:
            found = None
        if found is None:
            raise NotConstant(f"{owner}.{name}")
        return self._evaluator.globals(found).lookup(name)

    def _imported(self, name: str) -> Any:
        target, level, member = self._imports[name]
        found = self._evaluator.modules.find(self.module, target, level)
        if member is None or found is None:
            return UNKNOWN
        try:
            return self._evaluator.globals(found).lookup(member)
        except NotConstant:
            return UNKNOWN


class Scope:
    """Local names over a module's; ``owner`` is the class whose method is looked at."""

    def __init__(self, module: Globals, parent: Scope | None = None, owner: str | None = None) -> None:
        self.module = module
        self.owner: str | None = owner if owner else (parent.owner if parent else None)
        self._parent = parent
        self.names: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """Return the value of a name; raises ``NotConstant``."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                if scope.names[name] is UNKNOWN:
                    raise NotConstant(name)
                return scope.names[name]
            scope = scope._parent
        return self.module.lookup(name)

    def attribute(self, owner: str, name: str) -> Any:
        """Return ``owner.name``; ``self`` and ``cls`` are the class around."""
        if owner in ("self", "cls") and self.owner:
            return self.module.attribute(self.owner, name)
        return self.module.attribute(owner, name)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Bind the names of an assignment's target; what does not fit becomes unknown."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            fits = isinstance(value, tuple | list) and len(value) == len(target.elts)
            for index, element in enumerate(target.elts):
                self.bind(element, value[index] if fits else UNKNOWN)


class Evaluator:
    """Evaluates constant expressions within one tree of modules."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self._globals: dict[str, Globals] = {}
        self._steps = 0
        self._depth = 0

    def globals(self, module: Module) -> Globals:
        """Return a module's names."""
        if module.path not in self._globals:
            self._globals[module.path] = Globals(module, self)
        return self._globals[module.path]

    def tick(self) -> None:
        """Count one step; raises ``Exhausted``."""
        self._steps += 1
        if self._steps > STEPS:
            raise Exhausted

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of an expression; raises ``NotConstant`` and ``Exhausted``."""
        self.tick()
        rule = _RULES.get(type(node))
        if rule is None or self._depth > DEEPEST:
            raise NotConstant(type(node).__name__)
        self._depth += 1
        try:
            return _bounded(rule(self, node, scope))
        finally:
            self._depth -= 1


def _bounded(value: Any) -> Any:
    size = len(value) * (1 if isinstance(value, str) else 64) if isinstance(value, str | tuple | list | dict) else 0
    if size > LONGEST:
        raise NotConstant("too long")
    return value


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, those in branches of ``if``, ``try`` and ``with`` too, but not those of functions."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, name, []))


def _assignments(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _constant(_: Evaluator, node: ast.Constant, __: Scope) -> Any:
    if isinstance(node.value, str | int | float | type(None)):
        return node.value
    raise NotConstant("bytes")


def _name(_: Evaluator, node: ast.Name, scope: Scope) -> Any:
    return scope.lookup(node.id)


def _attribute(_: Evaluator, node: ast.Attribute, scope: Scope) -> Any:
    if isinstance(node.value, ast.Name):
        return scope.attribute(node.value.id, node.attr)
    raise NotConstant(node.attr)


def _items(evaluator: Evaluator, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Any:
    found: list[Any] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            found.extend(sequence(evaluator.value(element.value, scope)))
        else:
            found.append(evaluator.value(element, scope))
    return tuple(found)


def _dict(evaluator: Evaluator, node: ast.Dict, scope: Scope) -> Any:
    found: dict[Any, Any] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = evaluator.value(item, scope)
            if not isinstance(inner, dict):
                raise NotConstant("**")
            found.update(inner)
            continue
        name = evaluator.value(key, scope)
        if not isinstance(name, str | int):
            raise NotConstant("key")
        found[name] = evaluator.value(item, scope)
    return found


def _joined(evaluator: Evaluator, node: ast.JoinedStr, scope: Scope) -> Any:
    return _join("", tuple(evaluator.value(part, scope) for part in node.values))


def _formatted(evaluator: Evaluator, node: ast.FormattedValue, scope: Scope) -> Any:
    if node.format_spec is not None or node.conversion not in (-1, ord("s")):
        raise NotConstant("format")
    return _text(evaluator.value(node.value, scope))


def _text(value: Any) -> str:
    if isinstance(value, str | int):
        return _bounded(str(value))  # type: ignore[no-any-return]
    raise NotConstant("text")


def _operation(evaluator: Evaluator, node: ast.BinOp, scope: Scope) -> Any:
    left, right = evaluator.value(node.left, scope), evaluator.value(node.right, scope)
    if isinstance(node.op, ast.Add) and type(left) is type(right) and isinstance(left, str | tuple):
        return left + right
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        if re.search(r"%(?![sd%])", left):
            raise NotConstant("%")
        values = right if isinstance(right, tuple) else (right,)
        _fits(values)
        try:
            return left % values
        except (TypeError, ValueError):
            raise NotConstant("%") from None
    raise NotConstant(type(node.op).__name__)


def _subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Any:
    owner, index = evaluator.value(node.value, scope), evaluator.value(node.slice, scope)
    try:
        return owner[index]
    except (TypeError, LookupError):
        raise NotConstant("[]") from None


def _comprehension(evaluator: Evaluator, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
    return tuple(evaluator.value(node.elt, inner) for inner in generated(evaluator, node.generators, scope))


def generated(evaluator: Evaluator, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
    """Yield a scope for each round of a comprehension's loops; raises ``NotConstant``."""
    if not generators:
        yield scope
        return
    first, *others = generators
    if first.ifs or first.is_async:
        raise NotConstant("if")
    for item in sequence(evaluator.value(first.iter, scope)):
        inner = Scope(scope.module, scope)
        inner.bind(first.target, item)
        yield from generated(evaluator, others, inner)


def sequence(value: Any) -> list[Any]:
    """Return the items that a loop over a value takes; raises ``NotConstant``."""
    if isinstance(value, tuple | list | dict | str):
        return list(value)
    raise NotConstant("iter")


def _call(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Any:
    if any(word.arg is None for word in node.keywords) or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise NotConstant("*")
    arguments = [evaluator.value(arg, scope) for arg in node.args]
    words = {str(word.arg): evaluator.value(word.value, scope) for word in node.keywords}
    if isinstance(node.func, ast.Attribute) and node.func.attr != "dedent":
        owner = evaluator.value(node.func.value, scope)
        rule = _METHODS.get((type(owner), node.func.attr))
        if rule is None:
            raise NotConstant(node.func.attr)
        arguments.insert(0, owner)
    else:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        rule = _FUNCTIONS.get(name)
        if rule is None:
            raise NotConstant(name)
    try:
        return rule(*arguments, **words)
    except (TypeError, ValueError, LookupError, AttributeError):
        raise NotConstant("call") from None


def _format(text: str, *arguments: Any, **words: Any) -> str:
    for _, field, spec, conversion in string.Formatter().parse(text):
        if spec or conversion or (field and not field.isidentifier() and not field.isdigit()):
            raise NotConstant("format")
    # A field may stand in the text as often as its name fits there.
    if sum(len(_text(value)) for value in (*arguments, *words.values())) * (text.count("{") + 1) > LONGEST:
        raise NotConstant("format")
    return text.format(*map(_text, arguments), **{name: _text(value) for name, value in words.items()})


def _replace(text: str, old: str, new: str) -> str:
    if text.count(old) * len(new) > LONGEST:
        raise NotConstant("replace")
    return text.replace(old, new)


def _join(glue: str, items: Any) -> str:
    found = [_text(item) for item in sequence(items)]
    _fits(found, len(glue))
    return glue.join(found)


def _fits(items: Iterable[Any], glue: int = 0) -> None:
    """Refuse a text that would be too long before it is made."""
    total = 0
    for item in items:
        total += len(_text(item)) + glue
        if total > LONGEST:
            raise NotConstant("too long")


_RULES: dict[type[ast.AST], Callable[[Evaluator, Any, Scope], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _items,
    ast.List: _items,
    ast.Set: _items,
    ast.Dict: _dict,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.BinOp: _operation,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.Call: _call,
}

_METHODS: dict[tuple[type, str], Callable[..., Any]] = {
    (str, "format"): _format,
    (str, "join"): _join,
    (str, "replace"): _replace,
    (str, "strip"): str.strip,
    (str, "lstrip"): str.lstrip,
    (str, "rstrip"): str.rstrip,
    (str, "upper"): str.upper,
    (str, "lower"): str.lower,
    (dict, "items"): lambda value: tuple(value.items()),
    (dict, "keys"): tuple,
    (dict, "values"): lambda value: tuple(value.values()),
    (dict, "get"): dict.get,
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dedent": textwrap.dedent,
    "tuple": lambda value=(): tuple(sequence(value)),
    "list": lambda value=(): tuple(sequence(value)),
    "frozenset": lambda value=(): tuple(sequence(value)),
    "set": lambda value=(): tuple(sequence(value)),
    "sorted": lambda value: tuple(sorted(sequence(value))),
    "reversed": lambda value: tuple(reversed(sequence(value))),
    "enumerate": lambda value: tuple(enumerate(sequence(value))),
    "zip": lambda *values: tuple(zip(*map(sequence, values), strict=False)),
    "str": _text,
}
