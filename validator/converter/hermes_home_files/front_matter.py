"""Takes a Markdown memory apart into its front matter and its text.

Front matter stands between a first line `---` and the next line `---` or `...`, and is a YAML mapping. It is read by
the safe loader, with every scalar but null as the text that stands there, and within bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any

from validator.converter.hermes_home_files.json_text import without_lone

MOST_BYTES = 64 * 2**10
MOST_LEVELS = 50
MOST_ALIASES = 32
MOST_VALUES = 200_000
"""Values that the mapping may hold once its aliases are followed."""

BOM = b"\xef\xbb\xbf"


class BadFrontMatter(Exception):
    """There is front matter and it cannot be read; the message says why."""


@dataclass(frozen=True)
class Parts:
    """The members of the front matter, and the text behind it."""

    members: dict[str, Any]
    text: bytes


def parts(data: bytes) -> Parts:
    """Take a file's bytes, without a byte order mark, apart. Raises `BadFrontMatter`: then all of it is text."""
    first, _, rest = data.partition(b"\n")
    if not _is_rule(first, (b"---",)):
        return Parts({}, data)
    begin = at = len(data) - len(rest)
    while at < len(data):
        end = data.find(b"\n", at)
        line = data[at:] if end < 0 else data[at:end]
        after = len(data) if end < 0 else end + 1
        if at - begin > MOST_BYTES:
            raise BadFrontMatter(f"longer than {MOST_BYTES} bytes")
        if _is_rule(line, (b"---", b"...")):
            return Parts(_members(data[begin:at]), data[after:])
        at = after
    if len(data) - begin > MOST_BYTES:
        raise BadFrontMatter(f"longer than {MOST_BYTES} bytes")
    raise BadFrontMatter("it never ends")


def _is_rule(line: bytes, rules: tuple[bytes, ...]) -> bool:
    return line.rstrip(b" \t\r") in rules


def _members(data: bytes) -> dict[str, Any]:
    import yaml

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadFrontMatter("not UTF-8") from None
    loader = _loader()
    try:
        _bound(yaml.parse(text, Loader=loader))
        value = yaml.load(text, Loader=loader)  # a subclass of the safe loader
        members = _plain(value, set(), [0])
    except (yaml.YAMLError, RecursionError):
        raise BadFrontMatter("not YAML that the safe loader reads") from None
    except (ValueError, TypeError):  # an explicit tag whose text it does not fit, a key that is no key
        raise BadFrontMatter("a value that does not fit its tag") from None
    if members is None:
        return {}
    if not isinstance(members, dict):
        raise BadFrontMatter("not a mapping")
    return members


@cache
def _loader() -> Any:
    import yaml

    class TextLoader(yaml.SafeLoader):
        """The safe loader that leaves plain scalars as they are spelled; only null is recognised."""

    TextLoader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return TextLoader


def _bound(events: Any) -> None:
    import yaml

    depth = aliases = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > MOST_LEVELS:
            raise BadFrontMatter(f"nested deeper than {MOST_LEVELS} levels")
        if aliases > MOST_ALIASES:
            raise BadFrontMatter(f"more than {MOST_ALIASES} aliases")


def _plain(value: Any, above: set[int], count: list[int]) -> Any:
    """The loaded value as JSON would have it; raises where it holds itself or something that JSON has not."""
    count[0] += 1
    if count[0] > MOST_VALUES:
        raise BadFrontMatter("too large once its aliases are followed")
    if value is None or (isinstance(value, bool | int | float) and isfinite(value)):
        return value
    if isinstance(value, str):
        return without_lone(value)
    if id(value) in above:
        raise BadFrontMatter("a value that holds itself")
    if len(above) >= MOST_LEVELS and isinstance(value, list | dict):
        raise BadFrontMatter("nested too deep once its aliases are followed")
    if isinstance(value, list):
        return [_plain(element, above | {id(value)}, count) for element in value]
    if isinstance(value, dict):
        inside = above | {id(value)}
        if not all(isinstance(name, str) for name in value):
            raise BadFrontMatter("a key that is no text")
        return {without_lone(name): _plain(member, inside, count) for name, member in value.items()}
    raise BadFrontMatter("a value that JSON has not")
