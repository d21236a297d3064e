"""The files of the constructed homes: memories of every kind, and session logs of every kind of line."""

from __future__ import annotations

import json
from typing import Any

from tests.homes import META, TOOLS, TURNS, lines
from tests.stores import Rows


def _front(text: str, body: str = "Prose.\n") -> str:
    return f"---\n{text}---\n{body}"


def _json(**members: Any) -> str:
    return json.dumps(members, ensure_ascii=False)


MEMORIES: dict[str, bytes | str] = {
    # As real releases write them: no front matter.
    "memories/MEMORY.md": "Project uses unittest; run `python3 -m unittest`.",
    "memories/USER.md": "User prefers short answers.\n§\nUser writes in English.",
    "memories/empty.md": "",
    # Tags in every spelling, and what is no list of texts.
    "memories/tags.md": _front("tags: [Async IO, C++, snake_case, naïve Café, 日本 語, on, 1.0, '--', ~, [nested]]\n"),
    "memories/tags-block.md": _front("tags:\n- Python\n- type_hints\n"),
    "memories/tags-none.md": _front("tags: []\n"),
    "memories/tags-text.md": _front("tags: python\n"),
    # Times: with offsets and fractions, and those that name no instant.
    "memories/time-offset.md": _front("created_at: 2026-03-10T14:22:00.1234565+05:45\n"),
    "memories/time-local.md": _front("created_at: 2026-03-10T14:22:00\n"),
    "memories/time-day.md": _front("created_at: 2026-03-10\n"),
    # Projects, and a project that only the name suggests.
    "memories/project.md": _front("project: Größe/API\n"),
    "memories/projects-my-api.md": _front("project:\n"),
    # Sources: a session that is nowhere, and one that is no session.
    "memories/source.md": _front("source: session:gone\nproject: my-api\ncreated_at: 2026-03-10T14:22:00Z\n"),
    "memories/source-chat.md": _front("source: chat\n"),
    "memories/source-empty.md": _front("source: 'session:'\n"),
    # Front matter that cannot be read is text, and front matter that is none.
    "memories/rules.md": "---\nA heading between rules\n---\nProse.\n",
    "memories/never-ends.md": "---\ntags: [a]\nProse.\n",
    "memories/unsafe.md": _front("tags: !!python/object/apply:os.system [echo]\n"),
    "memories/alias.md": _front("names: &names [One, Two]\ntags: *names\n"),
    "memories/late.md": "Prose.\n---\ntags: [a]\n---\n",
    # Bytes: line ends, a mark, text that is not UTF-8, NUL.
    "memories/crlf.md": "---\r\nproject: x\r\n---\r\nProse.\r\n",
    "memories/mark.md": b"\xef\xbb\xbf---\nproject: x\n---\nProse.\n",
    "memories/latin.md": b"---\nproject: x\n---\nGr\xfc\xdfe.\n",
    "memories/nul.md": "before\0after\u2028on\u0085and on",
    # JSON: all members, others, other types, none, a member twice, half of a pair.
    "memories/all.json": _json(content="Use a queue.", created_at="2026-03-10T14:22:00Z", tags=["Async IO", "queue"],
                               project="my-api", source="session:gone", confidence=0.5),
    "memories/some.json": _json(content="", tags=[]),
    "memories/no-time.json": _json(content="No time.", created_at=1750000000, project="my-api"),
    "memories/types.json": _json(content=["a"], created_at=None, tags="a", project=2026, source={"session": "s"}),
    "memories/list.json": "[1, 2]",
    "memories/broken.json": '{"content": "cut',
    "memories/twice.json": '{"content": "first", "content": "last"}',
    "memories/half.json": '{"content": "half \\ud83d", "source": "session:\\udfff"}',
    # What is no memory, and the skills' state.
    "memories/notes.txt": "not described",
    "memories/MEMORY.md.lock": "",
    ".hub/lock.json": "{}",
    ".hub/audit.log": "installed\n",
    ".hub/quarantine/bad/SKILL.md": "# bad\n",
    "config.yaml": """model: claude-sonnet-4-6
logging:
  sessions: false
  memories: true
  level: debug
display:
  tips: false
""",
}  # fmt: skip

_DAY = "sessions/2026-03-10"
_USE, _RESULT = TOOLS


def _meta(name: str, **members: Any) -> dict[str, Any]:
    return {"type": "session_meta", "id": name, **members}


def _use(name: str | None, tool: str = "read_file") -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": {"path": "a", "mode": None}}


def _result(name: str | None, content: Any = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content}


LOGS: dict[str, bytes | str] = {
    # As the document shows it; the store has this session, and says the same.
    f"{_DAY}/abc123.jsonl": lines(META, *TURNS, *TOOLS),
    # The store has this one too, and says otherwise; the file's name is not its id.
    f"{_DAY}/other-name.jsonl": lines(
        _meta("differs", model="a", cwd="/a", started_at="2026-03-10T15:00:00.25+01:00"), *TURNS
    ),
    # No metadata, metadata too late, metadata without an id.
    f"{_DAY}/bare.jsonl": lines(*TURNS, _meta("late", cwd="/late")),
    f"{_DAY}/no-id.jsonl": lines({"type": "session_meta", "model": 4, "started_at": "yesterday"}, *TURNS),
    # One session over two days: two files, one stream.
    f"{_DAY}/long.jsonl": lines(_meta("long", cwd="/long"), _use("tu_1"), _result("tu_2")),
    "sessions/2026-03-11/long.jsonl": lines(_meta("long", model="b"), _use("tu_2"), _result("tu_1")),
    # Calls and results that pair, that cross, and that only seem to.
    f"{_DAY}/tools.jsonl": lines(
        _meta("tools"), _use("a"), _use("b", "write"), _result("b"), _result("a", [{"type": "text", "text": "x"}]),
        _use("twice"), _use("twice"), _result("twice"), _result("gone"), _result(None), _use(None), _use("no-result"),
        _result("tu_abc"), {"type": "tool_use", "id": "bare"}, {"type": "tool_result", "tool_use_id": "bare"},
    ),
    # Turns of every kind: blocks, nothing, other roles, members that the document does not describe.
    f"{_DAY}/turns.jsonl": lines(
        {"role": "user", "content": [{"type": "text", "text": "blocks"}]}, {"role": "assistant", "content": None},
        {"role": "assistant"}, {"role": "user", "content": ""}, {"role": "system", "content": "s"},
        {"role": "critic", "content": 1.0, "thinking": {"deep": [None, 10**30, 1e-7, True]}},
        {"type": "message", "role": "user", "content": "typed", "timestamp": 1750000000},
        {"role": 7, "content": "no role"},
        {"type": "summary", "text": "unknown"}, {"type": "error"}, ["a", "list"], None, 7, "text", {},
    ),
    # Lines whose value does not say all; blank lines, line ends, and a last line without one.
    f"{_DAY}/bytes.jsonl": b"".join(
        [
            b'\xef\xbb\xbf{"role": "user", "content": "behind a mark"}\r\n', b"\n", b" \t\r\n",
            b'{"role": "user", "role": "assistant", "content": "twice"}\n',
            b'{"role": "user", "content": "half \\ud83d"}\n',
            '{"role": "user", "content": "one\u2028line\u0085only"}\n'.encode(),
            b'{"role": "assistant", "content": "NUL \\u0000, deep ' + b"\xc3\xa9" + b'"}',
        ]
    ),
    # What is in no layout of the document.
    f"{_DAY}/notes.txt": "not described",
    "sessions/session_abc123.json": "{}",
    "sessions/sessions.json": "{}",
    "memories/gather.md": "---\nsource: session:abc123\n---\nFrom a session in store and log.\n",
    "memories/logged.json": _json(content="From a session in a log only.", source="session:bare"),
    "memories/gone.json": _json(content="From a session that is nowhere.", source="session:gone"),
    "config.yaml": "model:\n  default: a\nlogging:\n  sessions: on\n",
    ".hub/lock.json": "{}",
    ".hub/audit.log": "installed\n",
}  # fmt: skip

HOME_STORE: Rows = {
    "state_meta": [{"key": "store_instance_id", "value": "3f1f2b0e-1f0a-4a4e-9a53-1f6f2c7f5a10"}],
    "sessions": [
        {"id": "abc123", "source": "cli", "model": META["model"], "cwd": META["cwd"], "started_at": 1773151200.0},
        {"id": "differs", "source": "cli", "model": "b", "cwd": "/b", "started_at": 1773150000.0},
    ],
    "messages": [
        *({"session_id": "abc123", "role": turn["role"], "content": turn["content"]} for turn in TURNS),
        {"session_id": "differs", "role": "user", "content": "something else"},
    ],
}
"""A store that knows two of the logged sessions: one as it is logged, one otherwise."""
