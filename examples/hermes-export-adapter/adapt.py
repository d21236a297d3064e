"""A converter that sees only what `hermes sessions export` writes, and makes a record stream of it.

It shares no code with the validator. The export is JSON Lines, one session to a line with its messages inside. Where
the export leaves something out, so does this: the validator's report says what that is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fields import message, session

Row = dict[str, Any]
ADDED = ("messages", "last_active")
"""What the exporter adds to a session's row."""


def main() -> None:
    """Answer one request of the protocol."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--exports", type=Path, required=True, help="folder of exports and their index")
    parser.add_argument("--format", required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--snapshot", required=True)
    parser.add_argument("--namespace")
    request = parser.parse_args()
    if request.namespace is None:
        sys.exit("the export holds no namespace, and none was given")
    index = json.loads((request.exports / "index.json").read_text(encoding="utf-8"))
    if request.snapshot not in index:
        sys.exit("there is no export of this store; make one with `hermes sessions export` and add it to index.json")
    export = request.exports / index[request.snapshot]
    sessions = [json.loads(line) for line in export.read_text(encoding="utf-8").splitlines() if line]
    out = sys.stdout
    out.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    for line in stream(sessions, request):
        out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n")


def stream(sessions: list[Row], request: argparse.Namespace) -> Iterator[Row]:
    """Yield the lines: for each session its stream, its messages by id, and its row."""
    converter = {"name": "hermes-sessions-export", "version": "0.1.0"}
    yield {"line": "begin", "protocol": "0.1", "converter": converter, "producer": "com.nousresearch.hermes",
           "format": request.format}  # fmt: skip
    records = 0
    for number, exported in enumerate(sorted(sessions, key=lambda row: str(row["id"])), 1):
        namespace = {"value": request.namespace, "basis": "installation"}
        yield {"line": "stream", "stream": number, "namespace": namespace, "session": exported["id"], "agent": None}
        messages = sorted(exported["messages"], key=lambda row: int(row["id"]))
        for row in messages:
            own = {"stream": number, "family": "transcript", "position": str(row["id"]),
                   "entity": {"type": "message", "key": str(row["id"])}}  # fmt: skip
            yield {"line": "record", **own, **message(row, messages), **native("messages", row)}
        own = {"stream": number, "family": "current-state", "position": request.snapshot,
               "entity": {"type": "session", "key": exported["id"]}}  # fmt: skip
        row = {name: value for name, value in exported.items() if name not in ADDED}
        yield {"line": "record", **own, **session(row), **native("sessions", row)}
        records += len(messages) + 1
    yield {"line": "end", "streams": len(sessions), "records": records, "gaps": 0, "notices": 0}


def native(table: str, row: Row) -> Row:
    """Return the row as far as the export has it; JSON that it decoded is written as text again, by guess."""
    cells = {name: json.dumps(cell) if isinstance(cell, (dict, list)) else cell for name, cell in row.items()}
    return {"native": {"record": {"table": table, "row": cells}}}


if __name__ == "__main__":
    main()
