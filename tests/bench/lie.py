"""The built-in converter with one lie, in the record of the last message: its role. A converter command."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).parents[2]))

from validator.converter import convert
from validator.converter.arguments import request_from


def lied(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, each message one message late, so that the last one is known."""
    last: bytes | None = None
    for line in lines:
        item = orjson.loads(line)
        is_message = item["line"] == "record" and item["family"] == "transcript"
        if last is not None and item["line"] not in ("stream", "gap", "notice"):
            yield last if is_message else orjson.dumps({**orjson.loads(last), "role": "narrator"}) + b"\n"
            last = None
        if is_message:
            last = line
        else:
            yield line


sys.stdout.buffer.writelines(lied(convert(request_from("lie", sys.argv[1:]))))
