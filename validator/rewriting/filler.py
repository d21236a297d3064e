"""Replaces text by filler of the same shape: letters by letters, digits by digits, as many bytes as before.

The same text gets the same filler everywhere, and different texts different filler, so that what joins still joins. The
key is drawn anew for each redaction and kept nowhere: filler cannot be turned back.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata

SHORT = 64
"""Characters up to which filler is held against that of other texts, so that no two become one."""
TRIES = 200
NESTED = 6
"""JSON in texts of JSON in texts… that is still looked into."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_KEY = re.compile(r"\s*:")
_SENTINEL = re.compile("[\x00\x01]json:")
_SYMBOLS = {3: (0x2600, 160), 4: (0x1F600, 80)}
_LETTERS = {2: (0xE0, 22), 3: (0x4E00, 20_000), 4: (0x20000, 40_000)}


class Filler:
    """One redaction's filler."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = os.urandom(32) if key is None else key
        self._taken: dict[str, bytes] = {}

    def value(self, text: str, *, keys: bool = True, depth: int = 0) -> str:
        """Return the filler of a cell's text: of JSON the same structure, and else the same shape.

        ``keys``: whether the names of members stay as they are.
        """
        sentinel = _SENTINEL.match(text)
        if sentinel:
            return sentinel[0] + self.value(text[sentinel.end() :], keys=keys, depth=depth)
        if text[:1] in ("{", "[") and depth < NESTED and _is_json(text):
            return self._json(text, keys, depth)
        return self.text(text)

    def text(self, text: str) -> str:
        """Return the filler of a plain text."""
        made = text
        for attempt in range(TRIES):
            made = self._shaped(text, attempt)
            if len(text) > SHORT:
                break
            digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=self._key).digest()
            if self._taken.setdefault(made, digest) == digest:
                break
        return made

    def blob(self, data: bytes) -> bytes:
        """Return the filler of bytes: as many, the same for the same."""
        return hashlib.shake_256(self._key + data).digest(len(data))

    def _shaped(self, text: str, attempt: int) -> str:
        seed = self._key + attempt.to_bytes(4, "big") + text.encode("utf-8", "surrogatepass")
        noise = hashlib.shake_256(seed).digest(2 * len(text))
        return "".join(
            _like(character, noise[2 * place] * 256 + noise[2 * place + 1]) for place, character in enumerate(text)
        )

    def _json(self, text: str, keys: bool, depth: int) -> str:
        def replaced(match: re.Match[str]) -> str:
            if keys and _KEY.match(text, match.end()):
                return match[0]
            inner = json.loads(match[0])
            made = self.value(inner, depth=depth + 1)
            return json.dumps(made, ensure_ascii="\\u" in match[0] or match[0].isascii())

        return _STRING.sub(replaced, text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _like(character: str, noise: int) -> str:
    """Return a character of the same kind and the same length in UTF-8."""
    if character.isascii():
        if character.islower():
            return chr(ord("a") + noise % 26)
        if character.isupper():
            return chr(ord("A") + noise % 26)
        # A nought stays, so that a number keeps its digits.
        return chr(ord("1") + noise % 9) if character.isdigit() and character != "0" else character
    kind = unicodedata.category(character)[0]
    if kind not in "LSN":
        return character
    first, count = (_SYMBOLS if kind == "S" else _LETTERS).get(len(character.encode("utf-8")), (ord(character), 1))
    return chr(first + noise % count)
