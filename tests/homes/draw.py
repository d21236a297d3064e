"""Draws homes for Hypothesis: memories and session logs of any bytes, and how many units stand in them.

What is counted is known from how a log was put together, line by line, and never from reading it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hypothesis import strategies as st

MARK = b"\xef\xbb\xbf"
LOGS = ["sessions/2026-03-10/a.jsonl", "sessions/2026-03-10/b.jsonl", "sessions/2026-03-11/a.jsonl"]

_words = st.sampled_from(["a", "b", "tu_1", "session:a", "session:", "2026-03-10T14:22:00Z", "Async IO", "", "role"])
_texts = _words | st.text(max_size=8) | st.text(st.characters(), max_size=4)
_surrogates = st.text(st.characters(categories=["Cs", "Lu"]), min_size=1, max_size=3)
_scalars = (
    st.none() | st.booleans() | st.integers() | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False) | _texts | _surrogates
)  # fmt: skip
values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts | _surrogates, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
"""Any JSON value, lone surrogates included."""

_members = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["session_meta", "tool_use", "tool_result", "message"]) | values,
        "role": st.sampled_from(["user", "assistant", "critic"]) | values,
        **dict.fromkeys(
            ("id", "cwd", "model", "started_at", "name", "input", "tool_use_id", "content", "x"), _words | values
        ),
    },
)  # fmt: skip


@st.composite
def _json_text(draw: st.DrawFn, value: st.SearchStrategy[Any]) -> bytes:
    """A value as JSON; as escapes where some text could not be written otherwise."""
    drawn = draw(value)
    try:
        return json.dumps(drawn, ensure_ascii=draw(st.booleans())).encode()
    except UnicodeEncodeError:
        return json.dumps(drawn).encode()


_blanks = st.sampled_from([b"", b" ", b"\r", b"\t \r"])
_twice = st.just(b'{"role":"user","content":"1","content":"2"}')
_good = st.builds(
    lambda left, text, right: left + text + right, _blanks, _json_text(_members | values) | _twice, _blanks
)
_bad = st.sampled_from(
    [b"\0" * 9, b"{", b'{"role":"user","content":"cut', b"\xff\xfe", b'"\x0b"', b"[NaN]", b"1e999", b"{}{}", b"'x'",
     b"[" * 501 + b"]" * 501, "{\u2028}".encode(), b'{"a":"\xc3"}']
)  # fmt: skip
_line = st.one_of(
    st.tuples(st.just("good"), _good), st.tuples(st.just("bad"), _bad), st.tuples(st.just("blank"), _blanks)
)


@dataclass(frozen=True)
class Log:
    """A session log, and what stands in it: lines that can be read, lines that cannot, and runs of those."""

    data: bytes
    good: int
    bad: int
    gaps: int


@st.composite
def logs(draw: st.DrawFn) -> Log:
    """A log of any lines, with or without a mark at its start and a line feed at its end."""
    drawn = draw(st.lists(_line, max_size=8))
    end = draw(st.sampled_from([b"", b"\n"])) if drawn else b""
    data = draw(st.sampled_from([b"", b"", MARK])) + b"\n".join(line for _, line in drawn) + end
    kinds = [kind for kind, _ in drawn if kind != "blank"]
    return Log(data, kinds.count("good"), kinds.count("bad"), sum(kind == "bad" for kind, _ in groupby(kinds)))


_yaml_values = st.sampled_from(
    ["[a, B c]", "[]", "x", "2026-03-10T14:22:00.0000005+05:45", "2026-03-10", "~", "null", "'session:a'", "session:b",
     "1.0", "on", "!!int 7", "!!int x", "!!float .inf", "!!binary AAAA", "!!set {a}", "&a [q, *a]", "&b [Q]", "*b",
     '"\\ud800"', "[x, {y: z}, [1]]", "{a: 1, a: 2}", "|\n  text\n", "[" * 60 + "]" * 60, "\0", "\ufeff", "é\u2028",
     "!!python/name:os", "'"]
)  # fmt: skip
_yaml_names = st.sampled_from(
    ["tags", "created_at", "project", "source", "content", "other", "'a/b~c'", "1", "? [a]\n", "<<"]
)
_yaml_lines = st.lists(st.builds("{}: {}\n".format, _yaml_names, _yaml_values), max_size=4).map("".join)
_rules = st.sampled_from(["---\n", "--- \t\n", "---\r\n", "...\n", "---", "----\n", " ---\n", "---x\n", ""])
_pieces = st.lists(_rules | _yaml_lines | st.text(max_size=6), max_size=6).map("".join)
_front = st.builds("---\n{}---\n{}".format, _yaml_lines, st.text(max_size=6))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


markdown = st.builds(
    lambda mark, data: mark + data,
    st.sampled_from([b"", b"", MARK]),
    _front.map(_bytes)
    | _pieces.map(_bytes)
    | st.binary(max_size=40)
    | st.builds(bytes.__add__, _front.map(_bytes), st.binary(max_size=4)),
)  # fmt: skip
"""Any Markdown memory: with front matter, with what looks like some, and of any bytes."""

_memory = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("content", "created_at", "tags", "project", "source", "x"), _words | values)
    | {"tags": st.lists(_texts | values, max_size=4)},
)  # fmt: skip
json_memories = st.builds(
    lambda mark, data: mark + data,
    st.sampled_from([b"", b"", MARK]),
    _json_text(_memory) | _json_text(values) | _bad | st.binary(max_size=12),
)
"""Any JSON memory: an object with the described members or others, another value, and what is no JSON."""
