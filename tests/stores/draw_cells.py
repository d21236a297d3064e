"""Draws single cells for Hypothesis: what columns of a Hermes store hold when the world is unkind.

Each strategy begins with the ordinary, so that a failing store shrinks towards it.
"""

from __future__ import annotations

import json
import math

from hypothesis import strategies as st

from tests.stores.cells import BadText, Cell

Cells = st.SearchStrategy[Cell]

SESSIONS: list[Cell] = [
    "s",
    "S",
    "20261130_130524_9fddf4",
    "/",
    "..",
    "../../state.db",
    "a\0b",
    "",
    "x" * 300,
    "é",
    "e\u0301",
    'quote " and \\ and \n',
    BadText(b"s\xff"),
    b"s",
]
PROVIDER_IDS: list[object] = ["c1", "c2", "call:0", "", "ü", 7, None, ["c1"], True]
MARKERS = ["_branched_from", "_delegate_from", "_reset_from"]
UIDS = ["u1", "u2", "u3"]
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
# Seconds whose sixth decimal is a tie: the odd multiples of 1/128, which a double holds exactly.
TIES = st.integers(0, 2**30).map(lambda n: 1_750_000_000 + (2 * (n % 64) + 1) / 128)


def one_of(*cells: Cell) -> Cells:
    """One of the cells, the first being the simplest."""
    return st.sampled_from(cells)


def session_ids() -> Cells:
    """Ids as directory traversers, spoofers and damaged writers make them."""
    return st.one_of(st.sampled_from(SESSIONS), WORDS)


def texts() -> Cells:
    """What stands in a column for text: words, nothing, text that is none, other types."""
    return st.one_of(
        WORDS,
        one_of(None, "", "a\0b", "\ufeffx", BadText(b"ok \xe2\x9c"), BadText(b"\xed\xa0\xbd"), b"\0\xff", b""),
    )


def contents() -> Cells:
    """Message contents: as `texts`, the structured-content sentinel, well and badly formed, and its likes."""
    parts = '[{"type": "text", "text": "look"}]'
    return st.one_of(
        texts(),
        one_of(
            "\0json:" + parts,
            "\0json:[{",
            "\0json:",
            "\x01json:" + parts,
            "[Calling tool: x with arguments: {}]",
            "{not json",
            "[1,2,3]",
            "\0json:" + '["\\ud83d"]',
            "\0json:" + json.dumps(parts),
            "x" * 70_000,
        ),
    )


def times() -> Cells:
    """Timestamps: seconds, ties of rounding, the bounds of a time, and what is none."""
    return st.one_of(
        st.floats(1.7e9, 1.8e9),
        st.integers(0, 253_402_300_800),
        TIES,
        one_of(
            *(0, 0.0, -0.0, -1, -1e-9, 3.9e-310, 5.49e246, math.inf, -math.inf, 2**63 - 1, -(2**63)),
            *(
                253_402_300_799,
                253_402_300_799.0,
                253_402_300_799.5,
                253_402_300_800,
                253_402_300_798.9999999,
            ),
            *("t1", "", "1750000000", "2026-11-30T13:05:24", BadText(b"\xff"), b"\0", None),
        ),
    )


def flags() -> Cells:
    """Values of a flag: on, off, never set, and neither."""
    return one_of(1, 0, None, 2, -1, 0.0, 0.5, "0", "1", "x", "", b"\0", math.inf)


def numbers() -> Cells:
    """Counts and amounts: small, huge, negative, not finite, and no numbers."""
    return st.one_of(
        st.integers(0, 9),
        one_of(None, 0.0, 0.1, 1.5, -3, 2**53, 2**53 + 1, -(2**63), math.inf, -math.inf, "7", "many", b"\1"),
    )


def _named(call: dict[str, object]) -> st.SearchStrategy[object]:
    arguments: st.SearchStrategy[object] = st.sampled_from(
        [
            "{}",
            '{"k": 1}',
            '{"a":1}{"a":1}',
            '{"cut": "off',
            "",
            {"k": [1, None, 10**30]},
            [],
            7,
            None,
            1.0,
            True,
        ]
    )
    names = st.sampled_from(["t", "web_search", "", None, 3])
    nested = st.fixed_dictionaries({}, optional={"name": names, "arguments": arguments})
    flat = {"name": names, "arguments": arguments}
    functions: st.SearchStrategy[object] = st.one_of(nested, st.sampled_from([None, "t", []]))
    return st.fixed_dictionaries(
        {key: st.just(value) for key, value in call.items()},
        optional={"function": functions, "type": st.just("function"), "call_id": st.just("x"), **flat},
    )


def calls() -> st.SearchStrategy[object]:
    """One element of an array of calls: a call in either shape, or something that is none."""
    with_id = st.sampled_from(PROVIDER_IDS).flatmap(lambda provider: _named({"id": provider}))
    return st.one_of(with_id, with_id, _named({}), st.sampled_from([None, "c1", 1, [], {}, [{"id": "c1"}]]))


def _deep(depth: int) -> str:
    return '[{"id": "c1", "function": {"name": "t", "arguments": ' + "[" * depth + "]" * depth + "}}]"


GOOD_CALLS = '[{"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]'
BAD_CALLS: list[Cell] = [
    "[]",
    "null",
    "{}",
    '"x"',
    "5",
    "",
    "[",
    '[{"id": "c1",}]',
    '{"id": "c1", "function": {"name": "t", "arguments": "{}"}}',
    json.dumps(GOOD_CALLS),
    '[{"id": "c1", "id": "c2", "function": {"name": "t", "name": "u", "arguments": "{}"}}]',
    '[{"id": "\\ud83d", "function": {"name": "\\udc97", "arguments": {"\\ud800": "\\udfff"}}}]',
    '[{"id": "c1", "function": {"name": "t", "arguments": "{\\"q\\": \\"\\\\ud83d end\\"}"}}]',
    GOOD_CALLS + "\0",
    GOOD_CALLS[:40] + "\0" + GOOD_CALLS[40:],
    "\ufeff" + GOOD_CALLS,
    " \n" + GOOD_CALLS + "\t",
    '[{"id": "c1", "n": NaN}]',
    '[{"id": "c1", "n": -Infinity}]',
    '[{"id": "c1", "n": 1e400}]',
    '[{"id": "c1", "n": 123456789012345678901234567890, "x": -0.0}]',
    '[{"id": "c1", "n": "\x01"}]',
    BadText(b'[{"id": "c1\xff"}]'),
    GOOD_CALLS.encode(),
    b"\x80",
    *(_deep(depth) for depth in (1, 490, 497, 498, 499, 500, 501, 600)),
]


def tool_calls() -> Cells:
    """The JSON column of calls: arrays of calls mostly, every bad shape known, and deep ones."""
    arrays = st.lists(calls(), max_size=4)
    return st.one_of(
        st.none(),
        arrays.map(json.dumps),
        arrays.map(lambda array: json.dumps(array, ensure_ascii=False)),
        st.sampled_from(BAD_CALLS),
        st.integers(0, 99).map(lambda n: _deep(10_000) if n == 99 else GOOD_CALLS),
    )


def tool_call_uids() -> Cells:
    """The map from provider ids to occurrence ids, and what stands there instead."""
    uids = st.sampled_from([*UIDS, "", None, 5, ["u1"], "\ud83d"])
    maps = st.dictionaries(st.sampled_from(["c1", "c2", "call:0", "", "7", "ghost"]), uids, max_size=3)
    others = one_of(None, "[]", '"u1"', "null", "{", '{"c1": "u1", "c1": "u2"}', b"{}", '{"c1": NaN}', 5)
    return st.one_of(maps.map(json.dumps), others)


def objects(members: dict[str, st.SearchStrategy[object]]) -> Cells:
    """A JSON column that should hold an object with some of `members`, and what stands there instead."""
    good = st.fixed_dictionaries({}, optional=members).map(json.dumps)
    bad = one_of(
        *(
            None,
            "",
            "{}",
            "[1]",
            '"x"',
            '{"a":',
            "null",
            '{"a": NaN}',
            '{"a": 1, "a": 2}',
            '{"a": "\\ud83d"}',
        ),
        *("x", b"{}", BadText(b'{"a": "\xff"}'), 3, "[" * 600 + "]" * 600, json.dumps('{"a": 1}')),
    )
    return st.one_of(good, bad)


def model_configs() -> Cells:
    """`model_config` with lineage markers, most of which name a session id that is in use."""
    named = st.sampled_from([i for i in SESSIONS if isinstance(i, str)])
    marker = st.one_of(named, st.sampled_from(["ghost", None, 1, "", ["s"], "__orphaned__"]))
    markers = dict.fromkeys(MARKERS, marker)
    return objects({**markers, "temperature": st.just(0.5)})
