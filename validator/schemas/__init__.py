"""Holds the JSON Schemas of everything that crosses the project's border, and judges instances by them.

Hands on validators by a schema's name (``capture``, ``descriptor``, ``record-stream``…), all over one
registry that knows these schemas and the metaschema, and refuses to fetch anything else.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import jsonschema
    import jsonschema_rs
    from referencing import Registry

Schema = dict[str, Any]

MESSAGE_LENGTH = 200
"""Characters a message has at most."""

SHALLOW = 64
"""Levels of nesting up to which the fast engine alone may find an instance valid."""

ERROR_LIMIT = 1000
"""Errors collected from one instance at most: a hostile one could hold millions."""


class SchemaNotHeldError(LookupError):
    """A schema was asked for that does not ship with the project. Nothing is ever fetched."""


def _refuse(uri: str) -> NoReturn:
    raise SchemaNotHeldError(f"{uri} does not ship with the project, and schemas are never fetched")


@cache
def names() -> tuple[str, ...]:
    """The names of the schemas, sorted."""
    folder = resources.files(__name__)
    return tuple(sorted(f.name.removesuffix(".json") for f in folder.iterdir() if f.name.endswith(".json")))


@cache
def schema(name: str) -> Schema:
    """The schema of that name, parsed. Callers leave it as it is. Raises SchemaNotHeldError."""
    if name not in names():
        raise SchemaNotHeldError(f"there is no schema named {name!r}; there are {', '.join(names())}")
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    parsed: Schema = json.loads(text)
    return parsed


@cache
def registry() -> Registry[Any]:
    """The one registry: every schema by its ``$id``. What it does not hold it refuses to retrieve."""
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    # A retrieve function of referencing must raise; its type promises a resource that never comes.
    held = [(schema(name)["$id"], DRAFT202012.create_resource(schema(name))) for name in names()]
    return Registry[Any](retrieve=_refuse).with_resources(held)  # type: ignore[call-arg]


@cache
def validator_for(name: str) -> jsonschema.Draft202012Validator:
    """The validator whose messages people read. Raises SchemaNotHeldError."""
    import jsonschema

    return jsonschema.Draft202012Validator(schema(name), registry=registry())


class FastValidator:
    """The same verdict as `validator_for`, some hundred times faster, and no message."""

    def __init__(self, name: str, engine: jsonschema_rs.Draft202012Validator) -> None:
        self._name = name
        self._engine = engine

    def is_valid(self, instance: object) -> bool:
        """Whether the instance satisfies the schema."""
        try:
            return self._engine.is_valid(instance)
        except (ValueError, OverflowError, SystemError):
            # Some versions cannot take integers beyond 64 bits, deep nesting or lone surrogates. That
            # says nothing about the instance, so the slow engine answers.
            return validator_for(self._name).is_valid(instance)


def compiled(written: Schema) -> jsonschema_rs.Draft202012Validator:
    """jsonschema-rs's validator of any schema, over the same schemas. Raises ValueError for a reference
    that they do not satisfy, and ImportError where jsonschema-rs is missing."""
    import jsonschema_rs

    held = jsonschema_rs.Registry(
        [(schema(each)["$id"], schema(each)) for each in names()],
        draft=jsonschema_rs.Draft202012,
        retriever=_refuse,
    )
    # The retriever is given twice: older versions ask the validator's, not the registry's.
    return jsonschema_rs.Draft202012Validator(written, registry=held, retriever=_refuse)


@cache
def fast_validator_for(name: str) -> FastValidator | None:
    """The validator for the hot loop; None where jsonschema-rs is missing. Raises SchemaNotHeldError."""
    try:
        return FastValidator(name, compiled(schema(name)))
    except ImportError:
        return None


def errors(name: str, instance: object) -> list[tuple[str, str]]:
    """What is wrong with the instance: (JSON Pointer, message) pairs in a fixed order; empty if nothing is.

    A message has at most MESSAGE_LENGTH characters and says what the schema asks for, never what the
    instance holds, apart from the names of unknown members. Raises SchemaNotHeldError.
    """
    fast = fast_validator_for(name)
    # Most are valid, and jsonschema takes long to import; it also has its say on what is nested deeply.
    if fast is not None and not _is_nested_beyond(instance, SHALLOW) and fast.is_valid(instance):
        return []
    from validator.schemas._messages import explain

    return explain(validator_for(name), instance, limit=ERROR_LIMIT, length=MESSAGE_LENGTH)


def _is_nested_beyond(instance: object, levels: int) -> bool:
    """Whether lists and objects lie in one another deeper than so many levels."""
    inside = [instance]
    for _ in range(levels + 1):
        above, inside = inside, []
        for value in above:
            if isinstance(value, dict):
                inside.extend(value.values())
            elif isinstance(value, list):
                inside.extend(value)
        if not inside:
            return False
    return True
