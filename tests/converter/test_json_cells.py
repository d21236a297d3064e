"""JSON in cells is decoded strictly, and what is wrong with a cell is noted by its code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.converter.hermes_state_sqlite.json_cells import MALFORMED, decode


def decoded(cell: object) -> tuple[Any, list[str]]:
    notes: list[str] = []
    return decode(cell, notes.append), notes


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES.filter(lambda value: not isinstance(value, str)))
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert decoded(json.dumps(value)) == (value, [])


@pytest.mark.parametrize(
    "cell",
    [
        *("", " ", "{", "[1,]", "nul", "NaN", "-Infinity", '{"a": NaN}', "1e999", "[-1e400]", "\ufeff[]", '"\n"'),
        *("[]\0", "'a'", "01", "[" * 501 + "]" * 501, '{"a":' * 501 + "1" + "}" * 501, "9" * 5000),
        *(b"[]", b"", 5, 1.5, {"$text": "/w=="}, '["\udcff"]'),
    ],
)
def test_what_is_no_json_is_malformed(cell: object) -> None:
    assert decoded(cell) == (MALFORMED, ["malformed-json"])


def test_five_hundred_levels_are_json_and_brackets_in_strings_are_none() -> None:
    deep: Any = decoded("[" * 500 + "]" * 500)[0]
    for _ in range(499):
        (deep,) = deep
    assert deep == []
    text = json.dumps(["[{" * 1000, '"[', "\\"])
    assert decoded(text) == (["[{" * 1000, '"[', "\\"], [])


def test_the_last_of_duplicate_keys_counts_and_integers_are_exact() -> None:
    assert decoded('{"a": 1, "a": 123456789012345678901234567890}')[0] == {"a": 123456789012345678901234567890}


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('"\\ud83d"', "\ufffd"),
        ('"\\uDE00\\ud83d x"', "\ufffd\ufffd x"),
        ('{"\\ud800": ["\\udfff", {"k": "\\ud800"}]}', {"\ufffd": ["\ufffd", {"k": "\ufffd"}]}),
    ],
)
def test_each_lone_surrogate_becomes_one_replacement(cell: str, value: Any) -> None:
    assert decoded(cell) == (value, ["lone-surrogate"])


def test_a_pair_and_an_escaped_backslash_are_no_lone_surrogates() -> None:
    assert decoded('["\\ud83d\\ude00", "\\\\ud83d"]') == (["\U0001f600", "\\ud83d"], [])


def test_a_text_that_holds_json_is_not_decoded_again() -> None:
    assert decoded('"[{\\"id\\": 1}]"') == ('[{"id": 1}]', ["double-encoded-json"])
    assert decoded('"plain words"') == ("plain words", [])
    assert decoded('"7"') == ("7", [])
