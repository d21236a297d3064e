"""Finds in a source tree the words that the producer uses: values of enumerated columns, members of JSON columns.

Where to look is data (the vocabulary): ``Literal`` types, and arguments of named functions. Hands on words by place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from validator.audit.constants import Evaluator, Exhausted, NotConstant, Scope
from validator.audit.modules import Module, Modules
from validator.audit.vocabulary import Call, Place, Vocabulary

Words = dict[str, frozenset[str]]


def spoken(modules: Modules, evaluator: Evaluator, vocabulary: Vocabulary) -> tuple[Words, Words]:
    """Return the values and the member names that the source says, by place; a place without any has no entry."""
    marks = {call.function for place in vocabulary.places for call in place.calls}
    marks |= {name for place in vocabulary.places for name in place.types}
    found: dict[str, set[str]] = {}
    for path in modules.holding(*(mark.encode() for mark in sorted(marks))) if marks else ():
        module = modules.get(path)
        if module is None:
            continue
        try:
            for place, word in _words(module, evaluator, vocabulary.places):
                found.setdefault(place.name, set()).add(word)
        except (Exhausted, RecursionError):
            modules.unread.append(f"{path}: too much to look through for the values that it writes")
            break
    values = {place.name: frozenset(found[place.name]) for place in vocabulary.enumerations if place.name in found}
    members = {place.name: frozenset(found[place.name]) for place in vocabulary.members if place.name in found}
    return values, members


def _words(module: Module, evaluator: Evaluator, places: tuple[Place, ...]) -> Iterator[tuple[Place, str]]:
    types = {name: place for place in places for name in place.types}
    calls: dict[str, list[tuple[Place, Call]]] = {}
    for place in places:
        for call in place.calls:
            calls.setdefault(call.function, []).append((place, call))
    scope = Scope(evaluator.globals(module))
    for node in module.nodes[ast.Assign]:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in types:
            for word in _literal(node.value):
                yield types[target.id], word
    for node in module.nodes[ast.Call]:
        for place, call in calls.get(_called(node), ()):
            argument = _argument(node, call)
            if argument is not None:
                for word in _texts(argument, scope, evaluator) if place.at is None else _keys(argument):
                    yield place, word


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _argument(node: ast.Call, call: Call) -> ast.expr | None:
    for word in node.keywords:
        if word.arg == call.parameter:
            return word.value
    if call.position is not None and call.position < len(node.args):
        argument = node.args[call.position]
        return None if isinstance(argument, ast.Starred) else argument
    return None


def _literal(node: ast.expr) -> Iterator[str]:
    """Yield the texts of ``Literal["…", "…"]``."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
        for inner in ast.walk(node.slice):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def _texts(node: ast.expr, scope: Scope, evaluator: Evaluator) -> Iterator[str]:
    """Yield the constant texts that an argument may be: both ends of a condition, all of an ``or``."""
    if isinstance(node, ast.IfExp):
        yield from _texts(node.body, scope, evaluator)
        yield from _texts(node.orelse, scope, evaluator)
    elif isinstance(node, ast.BoolOp):
        for inner in node.values:
            yield from _texts(inner, scope, evaluator)
    elif isinstance(node, ast.Constant | ast.Name | ast.Attribute):
        try:
            value = evaluator.value(node, scope)
        except NotConstant:
            return
        if isinstance(value, str):
            yield value


def _keys(node: ast.expr) -> Iterator[str]:
    """Yield the constant keys of an argument that is written as an object."""
    for inner in (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,):
        if isinstance(inner, ast.Dict):
            for key in inner.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value
