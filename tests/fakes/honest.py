"""The truth that the other fakes bend: the request, and the built-in converter's lines for it.

Run by itself it is an honest converter: what the others must not be mistaken for.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the converter's environment names no place

from validator.converter import Request, convert


def request(arguments=None):
    """The request on the command line."""
    parser = argparse.ArgumentParser()
    for name in ("format", "source", "snapshot"):
        parser.add_argument(f"--{name}", required=True, type=Path if name == "source" else str)
    for name in ("namespace", "after"):
        parser.add_argument(f"--{name}")
    return Request(**vars(parser.parse_args(arguments)))


def lines(asked=None):
    """The true lines, each with its LF."""
    return list(convert(asked or request()))


def items(asked=None):
    """The true lines, parsed."""
    return [json.loads(line) for line in lines(asked)]


def say(*stream):
    """Writes lines, or items as lines."""
    for line in stream:
        if not isinstance(line, bytes):
            line = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def say_counted(stream):
    """Writes items with an `end` that agrees with them: a liar who keeps his books in order."""
    kinds = [item["line"] for item in stream]
    counts = {f"{kind}s": kinds.count(kind) for kind in ("stream", "record", "gap", "notice")}
    say(*(item | counts if item["line"] == "end" else item for item in stream))


if __name__ == "__main__":
    say(*lines())
