"""Keeps what a converter writes to standard error, bounded; hands on a harmless text for the report."""

import re
from collections.abc import Mapping

HEAD_BYTES = 8 * 1024
TAIL_BYTES = 8 * 1024

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, the terminal's escape among them, but for tab and LF
    "\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # invisible, or turning the direction of writing
    "\u2028\u2029"  # line ends that are no line feed
    "\ud800-\udfff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
    "]"
)


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
        return (
            f"{harmless(bytes(head), names)}{end}[{left_out} bytes left out]\n{harmless(bytes(tail), names)}"
        )


def harmless(data: bytes, names: Mapping[str, str]) -> str:
    """Bytes as text that does nothing to a terminal; controls and stray bytes stand as `\\x1b`."""
    text = data.decode("utf-8", errors="backslashreplace").replace("\r\n", "\n")
    for path in sorted(names, key=len, reverse=True):  # a path before the path of its parent
        text = text.replace(path, names[path])
    return _UNSAFE.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
