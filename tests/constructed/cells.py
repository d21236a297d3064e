"""Messages of every kind, and cells that are hard to carry whole: the rows of two constructed captures."""

from __future__ import annotations

from tests.stores import BadText, Cell, Row, Rows

_S = "s"


def _said(content: Cell, role: Cell = "user", **more: Cell) -> Row:
    return {"session_id": _S, "role": role, "content": content, **more}


_REPLAY = [_said(f"active {active!r}", active=active) for active in (1, 0, None, "0", "1", 0.0, 2, -1, b"0", "")]
_ARCHIVED = [_said("archived by compaction", active=0, compacted=1), _said("archived by compaction", active=1)]
_SUMMARIES = [
    _said("A summary.", "assistant", _compressed_summary=1),
    _said("A summary of the user.", _compressed_summary=1, active=0),
    _said("No summary.", "assistant", _compressed_summary=0),
    _said("Not one either.", "assistant", _compressed_summary=2),
]
_SEEN = [
    _said("What was typed.", api_content="What the model saw."),
    _said("The same.", api_content="The same."),
    _said(None, api_content="Only the model's."),
    _said("Nothing sent.", api_content=""),
    _said("", "assistant", finish_reason="", reasoning=""),
    _said(None, "assistant", finish_reason="tool_calls", reasoning="Because."),
    _said("\0json:[1, 2]", api_content='\0json:{"a": 1}'),
    _said("\0json:not json"),  # a plain message that spoofs the prefix
    _said("\0json:" + '{"a": "\\ud800"}'),
]
_ROLES = [_said("x", role) for role in ("system", "User", "developer", "", 7, b"user")]
_UIDS = [
    _said("One text.", message_uid="u-1"),
    _said("One text.", message_uid="u-1", active=0),
    _said("Another text.", message_uid="u-1"),
    _said("No uid.", message_uid=None, absorbed_message_uids='["u-1"]'),
]
_TIMES = [
    _said("a time", timestamp=when)
    for when in (
        0.0, 0, 1_750_000_000, 1_750_000_000.0000005, 1_750_000_000.0000015, 0.5, 2.5e-6, 3.5e-6,
        253_402_300_799.0, 253_402_300_800.0, -0.5, -0.0, float("inf"), float("-inf"), "1750000000", b"\0", None, 1e300,
    )
]  # fmt: skip

MESSAGES: Rows = {
    "sessions": [
        {"id": _S, "source": "cli", "model": "m", "title": "", "started_at": -1.0, "ended_at": "never",
         "end_reason": "", "cwd": "/work", "git_branch": "main"},
        {"id": "t", "source": "cli", "title": None, "ended_at": 1_750_000_001.25, "end_reason": "user_exit"},
    ],
    "messages": [
        *_REPLAY, *_ARCHIVED, *_SUMMARIES, *_SEEN, *_ROLES, *_UIDS, *_TIMES, {"session_id": "t", "role": "user"},
    ],
}  # fmt: skip

_HARD: tuple[Cell, ...] = (
    "before\0after",
    "\0",
    " around ",
    "e\u0301",  # two characters that look like one
    "\ufeffmark",
    "line\u2028separator",
    "a\r\nb",
    "𝄞 beyond the plane",
    BadText(b"cut \xf0\x9f"),
    BadText(b"\xed\xa0\x80 half a pair"),
    b"a blob",
    b"\xff\x00\xfe",
    b"",
    "",
    2**53 + 1,
    -(2**63),
    2**53,
    0.1,
    1e22,
    5e-324,
    -0.0,
    float("inf"),
    float("-inf"),
    "0.1",
    "12",
    12.0,
)

CELLS: Rows = {
    "sessions": [
        {"id": "s", "source": "cli", "title": BadText(b"\xff"), "cwd": "/a\0b", "git_branch": b"main", "model": 4},
        {"id": "S", "source": BadText(b"cli\xff"), "title": "x" * 2000, "end_reason": b""},
        {"id": b"s", "source": "cli"},
        {"id": BadText(b"s\xff"), "source": "cli"},
        {"id": 12, "source": "cli"},
    ],
    "messages": [
        *({"session_id": "s", "role": "user", "content": cell, "reasoning": cell, "mood": cell} for cell in _HARD),
        {"session_id": "S", "role": "user", "content": "y" * 2000, "display_identity": b"\x00\x01", "display_order": 3},
        {"session_id": b"s", "role": "user", "content": "of the blob"},
        {"session_id": BadText(b"s\xff"), "role": "user", "content": "of the bad text"},
        {"session_id": 12, "role": "user", "content": "of the number"},
    ],
    "moods": [{"name": "a", "kind": 1, "why": b"b"}, {"name": "b", "kind": 1, "why": 0.5}, {"name": "a", "kind": 2}],
    "notes": [{"body": cell} for cell in _HARD],
}
