"""Constructed Hermes homes for tests: files by path, written as they are given.

`write` makes a home of bytes or text; `draw` draws homes for Hypothesis. What stands in a home is known because it
was written here, not because it was read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes | str]

LOG = "sessions/2026-03-10/abc123.jsonl"
META = {
    "type": "session_meta",
    "id": "abc123",
    "cwd": "/home/ubuntu/projects/my-app",
    "model": "claude-sonnet-4-6",
    "started_at": "2026-03-10T14:00:00Z",
}
TURNS = [
    {"role": "user", "content": "How do I debounce a React input?"},
    {"role": "assistant", "content": "Use useCallback + useEffect with a setTimeout..."},
]
TOOLS = [
    {
        "type": "tool_use",
        "id": "tu_abc",
        "name": "read_file",
        "input": {"path": "/home/ubuntu/project/src/App.tsx"},
    },
    {"type": "tool_result", "tool_use_id": "tu_abc", "content": "..."},
]
MARKDOWN = """---
tags: [python, async, debugging]
created_at: 2026-03-10T14:22:00Z
project: my-api
---
When using `asyncio.gather` with return_exceptions=True, failed tasks return the exception
object rather than raising — check `isinstance(result, Exception)` on each item.
"""
JSON = {
    "content": "...",
    "created_at": "2026-03-10T14:22:00Z",
    "tags": ["python", "async"],
    "project": "my-api",
    "source": "session:abc123",
}
CONFIGURATION = """model: claude-sonnet-4-6
hermes_home: ~/.hermes        # resolved path, respects $HERMES_HOME
logging:
  sessions: true              # whether session JSONL files are written
  memories: true              # whether memories are persisted
"""


def lines(*values: Any) -> bytes:
    """Values as a JSON Lines file."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def documented() -> dict[str, bytes | str]:
    """The home that the home document shows, file by file."""
    return {
        "memories/gather.md": MARKDOWN,
        "memories/source.json": json.dumps(JSON),
        LOG: lines(META, *TURNS, *TOOLS),
        "config.yaml": CONFIGURATION,
        ".hub/lock.json": "{}",
        ".hub/audit.log": "installed\n",
        ".hub/quarantine/bad/SKILL.md": "# bad\n",
    }


def write(home: Path, files: Files) -> Path:
    """Write the files of a home, which is made."""
    home.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        place = home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return home
