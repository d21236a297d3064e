"""JSON in cells is decoded strictly, and what is wrong with a cell is noted by its code."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
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


def by_python(text: str) -> Any:
    """The value by the rules alone, MALFORMED where they refuse it: the standard library, and a count of levels."""

    def refused(constant: str) -> float:
        raise ValueError(constant)

    def finite(digits: str) -> float:
        return float(digits) if isfinite(float(digits)) else refused(digits)

    try:
        value = json.loads(text, parse_constant=refused, parse_float=finite)
    except ValueError:
        return MALFORMED
    return replaced(value) if levels(value) <= 500 else MALFORMED


def replaced(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [replaced(element) for element in value]
    if isinstance(value, dict):
        return {replaced(key): replaced(element) for key, element in value.items()}
    return value


def levels(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max((levels(element) for element in inner), default=0)


NUMBERS = [
    *(
        "0",
        "-0",
        "-0.0",
        "0e5",
        "-0e-5",
        "1.5",
        "1E5",
        "1e+5",
        "01",
        "1.",
        ".5",
        "-",
        "+1",
        "1e",
        "1e400",
        "-1e400",
        "1e-400",
    ),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"),
    *("18446744073709551615", "18446744073709551616", "1234567890123456789012", "1234567890123456789.5", "1" * 400),
    *("0.1234567890123456789", "2.2250738585072011e-308", "4.9e-324", "1.7976931348623159e308", "1" * 5000, "١", "1_0"),
]
STRINGS = [
    *(
        '""',
        '"a"',
        '"\\u0041"',
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '"\\uDE00x"',
        '"\\ude00\\ud83d"',
        '"\\u00"',
        '"\\u+0041"',
    ),
    *(
        '"\\u00e9"',
        '"é\U0001f600"',
        '"\\\\ud83d"',
        '"\\/\\b\\f\\n\\r\\t"',
        '"\\x"',
        '"\\"',
        '"\n"',
        '"\t"',
        '"\x7f"',
        '"\0"',
        '"\\u0000"',
    ),
    *('"1234567890123456789"', '"[{"', "'a'", '"a', '"\u2028"', '"\ufffe"'),
]
SPACES = ["", " ", "\n", "\r\t ", "\x0b", "\x0c", "\xa0", "\u2028", "\ufeff", "\0"]
WORDS = ["null", "true", "false", "NaN", "Infinity", "-Infinity", "nan", "None", "True", "nul"]
TOKENS = st.sampled_from([*NUMBERS, *STRINGS, *WORDS]) | st.floats().map(repr) | st.integers().map(str)


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    space = st.sampled_from(["", "", "", *SPACES])
    spaced = st.builds("{}{}{}".format, space, inner, space)
    key = st.sampled_from(['"a"', '"a"', '"b"', *STRINGS])
    comma = st.sampled_from([",", ",", ",", ",,", ""])
    lists = st.builds(lambda comma, parts: f"[{comma.join(parts)}]", comma, st.lists(spaced, max_size=4))
    pairs = st.lists(st.builds("{}:{}".format, key, spaced), max_size=4)
    return lists | st.builds(lambda comma, parts: f"{{{comma.join(parts)}}}", comma, pairs)


TEXTS = st.builds("{}{}{}".format, st.sampled_from(SPACES), st.recursive(TOKENS, containers), st.sampled_from(SPACES))


@settings(max_examples=1000)
@given(TEXTS | st.text(alphabet='[]{}",:0123456789.eE+-\\utrnld \n', max_size=30))
def test_every_text_is_read_as_the_rules_say(text: str) -> None:
    # The representation tells 1 from 1.0 and 0.0 from -0.0, and has the keys in their order.
    assert repr(decoded(text)[0]) == repr(by_python(text))


@pytest.mark.parametrize("text", [*NUMBERS, *STRINGS, *WORDS])
@pytest.mark.parametrize("around", ["{}", '{{"a": {}}}', "[{},{}]", "\ufeff{}", "\x0b{}", "{}\xa0", " {}\n", "{}{{"])
def test_each_hard_text_is_read_as_the_rules_say(text: str, around: str) -> None:
    text = around.replace("{}", text).replace("{{", "{").replace("}}", "}")
    assert repr(decoded(text)[0]) == repr(by_python(text))


@pytest.mark.parametrize("depth", [1, 250, 499, 500, 501, 600])
@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"[[{":', "}"), ('["{{",', "]")])
def test_levels_are_counted_outside_strings(left: str, right: str, depth: int) -> None:
    text = left * depth + "1" + right * depth
    value, levels = decoded(text)[0], 0
    assert (value is MALFORMED) == (depth > 500)
    while value is not MALFORMED and value != 1:
        value, levels = value["[[{"] if isinstance(value, dict) else value[-1], levels + 1
    assert levels == (depth if depth <= 500 else 0)


def test_a_text_that_holds_json_is_not_decoded_again() -> None:
    assert decoded('"[{\\"id\\": 1}]"') == ('[{"id": 1}]', ["double-encoded-json"])
    assert decoded('"plain words"') == ("plain words", [])
    assert decoded('"7"') == ("7", [])
