"""Keeps what a converter writes to standard error, bounded; hands on a harmless text for the report."""

import re
import unicodedata
from collections.abc import Mapping

HEAD_BYTES = 8 * 1024
TAIL_BYTES = 8 * 1024

_FOLDERS = re.compile(r"""(?:\bfile://|(?<![\w.~>/]))(?:/[^\s/:"'()<>,;\[\]]+)+/(?=[^\s/])""")
"""The folders of an absolute path: what a traceback tells of a machine and of the person whose it is."""


class Excerpt:
    """The first and the last bytes of a text that may be endless."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._head_limit, self._tail_limit = head, tail
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0
        """Bytes seen so far."""

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 4 * self._tail_limit:  # not at every call: cutting the front moves the rest
            del self._tail[: -self._tail_limit]

    def text(self, names: Mapping[str, str]) -> str:
        """What was kept, as harmless text; each path of `names` is replaced by the name it maps to."""
        tail = self._tail[-self._tail_limit :]
        left_out = self.total - len(self._head) - len(tail)
        if not left_out:
            return harmless(bytes(self._head + tail), names)
        # Whole lines, where there are any: half a path would escape its replacement.
        head = self._head[: self._head.rfind(b"\n") + 1] or self._head
        tail = tail[tail.find(b"\n") + 1 :] or tail
        left_out = self.total - len(head) - len(tail)
        end = "" if head.endswith(b"\n") else "\n"
        return f"{harmless(bytes(head), names)}{end}[{left_out} bytes left out]\n{harmless(bytes(tail), names)}"


def harmless(data: bytes, names: Mapping[str, str]) -> str:
    """Bytes as text that does nothing to a terminal; controls and stray bytes stand as `\\x1b`.

    Each path of `names` is replaced by its name, and of any other absolute path the last part is left.
    """
    text = data.decode("utf-8", errors="backslashreplace").replace("\r\n", "\n")
    for path in sorted(names, key=len, reverse=True):  # a path before the path of its parent
        text = text.replace(path, names[path])
    text = _FOLDERS.sub("…/", text)
    return "".join(character if _is_harmless(character) else _spelled(character) for character in text)


def _is_harmless(character: str) -> bool:
    """Whether it shows, or is a space of some width, a tab or LF. Controls, what is invisible or turns the
    direction of writing, and line ends that are no line feed are not."""
    return character.isprintable() or character in "\t\n" or unicodedata.category(character) == "Zs"


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
