"""Reads files as bytes: the lines of a log, the front matter and the text of a document, and YAML within bounds.

Nothing is trusted: a line ends at LF and nowhere else, sizes and nesting are bounded, and no part that cannot be read
hides the rest. The rules are the contract's, in this witness's own code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

from validator.census.cells import without_surrogates

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

LONGEST_YAML = 64 * 2**10
DEEPEST_YAML = 50
MOST_ALIASES = 32
MOST_NODES = 200_000
"""Nodes of a YAML document, once its aliases are followed."""

_CHUNK = 2**20
_OPENING = re.compile(rb"---[ \t\r]*(?:\n|\Z)")
_CLOSING = re.compile(rb"^(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True)
class RawLine:
    """A line that is not blank: its number from 1, where it starts in the file, and its bytes without LF."""

    number: int
    offset: int
    data: bytes | None
    """None for a line that is longer than what is read."""


def raw_lines(file: BinaryIO, largest: int) -> Iterator[RawLine]:
    """Yield the lines of a file that are not blank; at most one, and one chunk, is held."""
    held, length, number, offset = bytearray(), 0, 1, 0
    while chunk := file.read(_CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            line = _finished(held, length, chunk[start:end], number, offset, largest)
            if line is not None:
                yield line
            offset += length + end - start + 1
            number += 1
            length = 0
            held.clear()
            start = end + 1
        length += len(chunk) - start
        if length <= largest:
            held += chunk[start:]
        else:
            held.clear()
    if length:
        line = _finished(held, length, b"", number, offset, largest)
        if line is not None:
            yield line


def _finished(
    held: bytearray, length: int, rest: bytes, number: int, offset: int, largest: int
) -> RawLine | None:
    if length + len(rest) > largest:
        return RawLine(number, offset, None)
    data = bytes(held) + rest
    shown = data.removeprefix(MARK) if number == 1 else data
    return RawLine(number, offset, data) if shown.strip(b" \t\r") else None


class YamlError(Exception):
    """What is no YAML within the bounds: why."""


@dataclass(frozen=True)
class FrontMatter:
    """What a document begins with: its members (none without front matter), whether a key repeats, and the text."""

    members: dict[str, Any]
    repeats: bool
    text: bytes
    fault: str | None = None
    """Why the front matter that is there cannot be read; all of the document is then text."""


def front_matter(data: bytes) -> FrontMatter:
    """Take a document, without a mark, apart at its front matter."""
    opening = _OPENING.match(data)
    if opening is None:
        return FrontMatter({}, False, data)
    closing = _CLOSING.search(data, opening.end())
    if closing is None or closing.start() - opening.end() > LONGEST_YAML:
        return FrontMatter({}, False, data, f"no end within {LONGEST_YAML} bytes")
    try:
        members, repeats = yaml_mapping(data[opening.end() : closing.start()], plain=False, above=1)
    except YamlError as error:
        return FrontMatter({}, False, data, str(error))
    return FrontMatter(members, repeats, data[closing.end() :])


def yaml_mapping(data: bytes, *, plain: bool, above: int = 0) -> tuple[dict[str, Any], bool]:
    """Read a YAML mapping, and whether one of its mappings has a key twice. Raises ``YamlError``.

    ``plain`` reads true and false as such; otherwise every scalar but null is the text that is written. ``above`` are
    the lines of the file that stand before it.
    """
    import yaml

    if len(data) > LONGEST_YAML:
        raise YamlError(f"longer than {LONGEST_YAML} bytes")
    try:
        loader = _loader(plain)(data.decode("utf-8"))
        try:
            value = loader.get_single_data()
        finally:
            loader.dispose()
    except UnicodeDecodeError:
        raise YamlError("not UTF-8") from None
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        raise YamlError(f"not YAML, line {above + place.line + 1}" if place else "not YAML") from None
    except (ValueError, TypeError):
        raise YamlError("a value that its tag does not fit") from None
    found = _checked(value)
    if found is None:
        return {}, loader.repeats
    if not isinstance(found, dict):
        raise YamlError("not a mapping")
    return found, loader.repeats


@cache
def _loader(plain: bool) -> Any:
    """Make the safe loader that resolves null only, or null, true and false; and counts what it reads."""
    import yaml

    class Loader(yaml.SafeLoader):
        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.repeats = False
            self.levels = self.aliases = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            alias = self.check_event(yaml.AliasEvent)
            scalar = alias or self.check_event(yaml.ScalarEvent)
            self.aliases += alias
            self.levels += not scalar
            if self.aliases > MOST_ALIASES or self.levels > DEEPEST_YAML:
                raise YamlError("nested too deep" if self.levels > DEEPEST_YAML else "too many aliases")
            node = super().compose_node(parent, index)
            self.levels -= not scalar
            return node

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            found = super().construct_mapping(node, deep)
            self.repeats = self.repeats or len(found) != len(node.value)
            return found

    kept = ["tag:yaml.org,2002:null", *(["tag:yaml.org,2002:bool"] if plain else [])]
    Loader.yaml_implicit_resolvers = {
        first: [resolver for resolver in resolvers if resolver[0] in kept]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader


def _checked(value: Any) -> Any:
    """Return loaded YAML if it is what JSON can say, within the bounds; lone surrogates become U+FFFD."""
    nodes = 0

    def check(value: Any, level: int) -> Any:
        nonlocal nodes
        nodes += 1
        if nodes > MOST_NODES:
            raise YamlError("too large once its aliases are followed")
        kind = type(value)
        if kind is str:
            return without_surrogates(value)[0]
        if value is None or kind is bool or kind is int or (kind is float and abs(value) < float("inf")):
            return value
        if kind not in (list, dict):
            raise YamlError("a value that JSON has not")
        if level > DEEPEST_YAML:  # also where a value holds itself
            raise YamlError("nested too deep once its aliases are followed")
        if kind is list:
            return [check(element, level + 1) for element in value]
        if any(type(name) is not str for name in value):
            raise YamlError("a key that is no text")
        return {without_surrogates(name)[0]: check(member, level + 1) for name, member in value.items()}

    return check(value, 1)
