"""Puts what jsonschema found wrong into short sentences that never quote the instance.

Takes a validator and an instance; hands on (JSON Pointer, message) pairs, sorted by place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jsonschema

NAME_LENGTH = 40
NAMES_SHOWN = 3

# In this order: a bool is an int to Python.
_KINDS = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))


def explain(
    validator: jsonschema.Draft202012Validator, instance: object, *, limit: int, length: int
) -> list[tuple[str, str]]:
    """At most `limit` errors as (pointer, message of at most `length` characters), sorted, each once."""
    found: set[tuple[tuple[str | int, ...], str]] = set()
    try:
        for error in islice(validator.iter_errors(instance), limit):
            found.update((tuple(leaf.absolute_path), _message(leaf)) for leaf in _leaves(error))
    except RecursionError:
        found.add(((), "is nested too deeply to be checked"))
    # Array indices sort as numbers, and before member names.
    ordered = sorted(found, key=lambda f: ([(isinstance(p, str), p) for p in f[0]], f[1]))
    return [(_cut(_pointer(path), length), _cut(message, length)) for path, message in ordered]


def _leaves(error: jsonschema.ValidationError) -> Iterator[jsonschema.ValidationError]:
    """The errors below one of alternatives if just one alternative is of the right type, else itself."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    by_branch: dict[object, list[jsonschema.ValidationError]] = {}
    for below in error.context:
        by_branch.setdefault(below.schema_path[0], []).append(below)
    near = [
        branch
        for branch in by_branch.values()
        if not any(below.validator == "type" and not below.path for below in branch)
    ]
    if len(near) != 1:
        yield error
        return
    for below in near[0]:
        yield from _leaves(below)


def _pointer(path: Iterable[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _cut(text: str, length: int) -> str:
    """The text in at most `length` characters, with control characters and surrogates made visible."""
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: length + 1])
    return visible if len(visible) <= length else visible[: length - 1] + "…"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values)


def _kind(instance: object) -> str:
    """The JSON name of a value's type."""
    if instance is None:
        return "null"
    return next((name for kind, name in _KINDS if isinstance(instance, kind)), "object")


def _type(error: Any) -> str:
    wanted = error.validator_value
    wanted = [wanted] if isinstance(wanted, str) else wanted
    return f"is of type {_kind(error.instance)}, not {' or '.join(wanted)}"


def _required(error: Any) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    return f"lacks {_listed(missing)}"


def _additional(error: Any) -> str:
    known = error.schema.get("properties", {})
    unknown = sorted(name for name in error.instance if name not in known)
    shown = _listed(
        name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…" for name in unknown[:NAMES_SHOWN]
    )
    rest = len(unknown) - NAMES_SHOWN
    return f"has unknown members: {shown}" + (f" and {rest} more" if rest > 0 else "")


def _dependent(error: Any) -> str:
    return "; ".join(
        f"has {_listed([member])} without {_listed([needed])}"
        for member, all_needed in error.validator_value.items()
        if member in error.instance
        for needed in all_needed
        if needed not in error.instance
    )


def _described(error: Any) -> str:
    """For a keyword that says less than the sentence beside it."""
    described = error.schema.get("description") if isinstance(error.schema, dict) else None
    wanted = described or f"{error.validator} {_listed([error.validator_value])}"
    return f"does not have the form that is asked for: {wanted}"


_SENTENCES: dict[str, Callable[[Any], str]] = {
    "type": _type,
    "required": _required,
    "additionalProperties": _additional,
    "dependentRequired": _dependent,
    "enum": lambda e: f"is none of {_listed(e.validator_value)}",
    "const": lambda e: f"is not {_listed([e.validator_value])}",
    "minimum": lambda e: f"is less than {e.validator_value}",
    "maximum": lambda e: f"is more than {e.validator_value}",
    "minLength": lambda e: f"has fewer than {e.validator_value} characters",
    "maxLength": lambda e: f"has more than {e.validator_value} characters",
    "minItems": lambda e: f"has fewer than {e.validator_value} items",
    "maxItems": lambda e: f"has more than {e.validator_value} items",
    "minProperties": lambda e: f"has fewer than {e.validator_value} members",
    "uniqueItems": lambda _: "holds the same item twice",
}


def _message(error: jsonschema.ValidationError) -> str:
    # A false schema has no keyword.
    if not isinstance(error.validator, str):
        return "is not admitted here"
    return _SENTENCES.get(error.validator, _described)(error)
