"""jsonschema and jsonschema-rs give one verdict: on the examples, and on examples that chance has spoilt."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schemas.examples import examples
from validator import schemas

EXAMPLES = examples()

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 1.0, 0.5, -0.0, 1e308, 2**53 + 1, 2**63, -(2**64), 10**30]),
    st.text(max_size=5),
    # What the schemas' patterns and enumerations ask for, and what comes near.
    st.sampled_from(["AA==", "AAA=", "A", "AAAA", "Infinity", "9007199254740993", "-0", "record", "end"]),
    st.sampled_from(["2026-11-30", "2026-11-30T13:05:24.000001Z", "0" * 64, "home/a", "..", "a\u2028"]),
)
TAGGED = st.builds(
    lambda tag, value: {tag: value}, st.sampled_from(["$text", "$blob", "$real", "$int", "$ref"]), LEAVES
)
VALUES = st.recursive(
    st.one_of(LEAVES, TAGGED),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "key", "type", "source"]), inner, max_size=3),
    ),
    max_leaves=5,
)
MEMBERS = st.one_of(
    st.text(max_size=3),
    st.sampled_from(["line", "key", "table", "author", "root", "links", "part", "pointer", "label", "exit"]),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) below the value."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    return [
        place
        for key, below in items
        for place in [(value, key), *(places(below) if isinstance(below, dict | list) else [])]
    ]


@st.composite
def spoilt(draw: st.DrawFn, name: str) -> Any:
    """An example of the schema after one to three changes."""
    instance = json.loads(json.dumps(draw(st.sampled_from(EXAMPLES[name]))))
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from(places(instance) or [(instance, None)]))
        value = holder[key] if key is not None else None
        match draw(st.sampled_from(["put", "drop", "add", "tag", "line end", "stretch"])):
            case "put" if key is not None:
                holder[key] = draw(VALUES)
            case "drop" if key is not None:
                del holder[key]
            case "add" if isinstance(value, dict):
                value[draw(MEMBERS)] = draw(VALUES)
            case "add" if isinstance(value, list):
                value.append(draw(VALUES))
            case "tag" if isinstance(value, str):
                holder[key] = {"$text": base64.b64encode(value.encode("utf-8", "replace")).decode("ascii")}
            case "line end" if isinstance(value, str):
                holder[key] = value + draw(st.sampled_from(["\n", "\r", "\u2028", "\x00", " "]))
            case "stretch" if isinstance(value, str):
                holder[key] = value * 201
            case _:
                if isinstance(instance, dict):
                    instance[draw(MEMBERS)] = draw(VALUES)
    return instance


def verdicts(name: str, instance: Any) -> tuple[bool, bool]:
    fast = schemas.fast_validator_for(name)
    assert fast is not None
    return schemas.validator_for(name).is_valid(instance), fast.is_valid(instance)


@settings(max_examples=1500, deadline=None)
@given(line=spoilt("record-stream"))
def test_the_engines_agree_on_a_spoilt_line(line: Any) -> None:
    slow, fast = verdicts("record-stream", line)
    assert slow == fast
    assert slow == (schemas.errors("record-stream", line) == [])


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - {"record-stream"}))
def test_the_engines_agree_on_a_spoilt_document(name: str) -> None:
    @settings(max_examples=150, deadline=None)
    @given(instance=spoilt(name))
    def agree(instance: Any) -> None:
        slow, fast = verdicts(name, instance)
        assert slow == fast
        assert slow == (schemas.errors(name, instance) == [])

    agree()


@settings(max_examples=300, deadline=None)
@given(value=VALUES)
def test_the_engines_agree_on_anything_at_all(value: Any) -> None:
    for name in schemas.names():
        slow, fast = verdicts(name, value)
        assert slow == fast


RECORD = EXAMPLES["record-stream"][4]


@pytest.mark.parametrize("tag", ["$text", "$blob"])
def test_fifteen_megabytes_of_base64_are_as_valid_as_four_characters(tag: str) -> None:
    row = {"cell": {tag: "AAAA" * 5_000_000}}
    record = {**RECORD, "native": {"record": {"table": "messages", "row": row}}}
    assert verdicts("record-stream", record) == (True, True)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("role", {"$blob": "AAAA\n"}),
        ("role", {"$int": "9007199254740993\n"}),
        ("time", "2026-11-30T13:05:24.000001Z\n"),
    ],
)
def test_a_line_end_behind_the_value_is_invalid_to_both(place: str, value: Any) -> None:
    assert verdicts("record-stream", {**RECORD, place: value}) == (False, False)


def test_arguments_nested_500_deep_are_valid_to_both() -> None:
    deep: Any = "end"
    for _ in range(500):
        deep = [deep]
    record = {**RECORD, "toolCalls": [{"occurrence": "14/0", "arguments": deep}]}
    assert verdicts("record-stream", record) == (True, True)


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**64), 10**30])
def test_an_integer_beyond_64_bits_is_valid_to_both_where_any_number_is(number: int) -> None:
    assert verdicts("record-stream", {**RECORD, "input": number}) == (True, True)
