"""A converter command that says of a home what the built-in one says, but for one lie: the first argument."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the converter's environment names no place

from validator.converter import convert
from validator.converter.arguments import request_from

Line = dict[str, Any]


def told(line: Line, lie: str) -> Iterator[Line]:
    """What is said in place of a line."""
    record = line["line"] == "record"
    third = record and line["entity"]["key"].endswith('"3"]')
    if lie == "namespace-of-its-own" and line["line"] == "stream":
        line["namespace"]["value"] = "/home/user/.hermes"
    elif lie == "absolute-keys" and record:
        line["entity"]["key"] = "/home/user/.hermes/" + line["entity"]["key"]
    elif lie == "change-native-of-line-3" and third:
        line["native"]["record"]["value"]["content"] += "!"
    elif lie == "gap-for-line-3" and third:
        path, number = json.loads(line["entity"]["key"])
        place = {"source": path, "line": int(number)}
        line = {"line": "gap", "from": place, "to": place, "units": 1, "reason": "unreadable"}
    if not (lie == "drop-line-3" and third) and not (
        lie == "drop-memories" and record and line["entity"]["type"] == "memory"
    ):
        yield line


def main() -> None:
    """Write the stream; the lie is the first argument."""
    lie, *arguments = sys.argv[1:]
    counts = {"streams": 0, "records": 0, "gaps": 0, "notices": 0}
    for raw in convert(request_from("lying_home", arguments)):
        for line in told(json.loads(raw), lie.removeprefix("--")):
            if line["line"] == "end":
                line |= counts
            elif line["line"] != "begin":
                counts[line["line"] + "s"] += 1
            sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
