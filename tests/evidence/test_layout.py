"""The layout of a JSON document: one value is changed, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.evidence.layout import Layout, LayoutError

INDENTED = """{
  "evidence": [
    {
      "a": 1
    }
  ],
  "few": [0, 2],
  "tall": [
    0,
    2
  ],
  "none": [],
  "odd" :  {"x":[ 1 ,2 ]}
}
"""


def test_an_item_is_written_as_its_neighbours_are() -> None:
    text = Layout(INDENTED).appended("/evidence", {"a": 2, "b": [True]}).text
    assert text == INDENTED.replace(
        '      "a": 1\n    }\n  ],',
        '      "a": 1\n    },\n    {\n      "a": 2,\n      "b": [\n        true\n      ]\n    }\n  ],',
    )


def test_a_compact_list_stays_compact() -> None:
    assert Layout(INDENTED).appended("/few", 7).text == INDENTED.replace("[0, 2]", "[0, 2, 7]")


def test_a_tall_list_stays_tall() -> None:
    assert Layout(INDENTED).appended("/tall", 7).text == INDENTED.replace("    2\n  ],\n", "    2,\n    7\n  ],\n")


def test_an_odd_list_keeps_its_oddness() -> None:
    assert Layout(INDENTED).appended("/odd/x", 3).text == INDENTED.replace("[ 1 ,2 ]", "[ 1 ,2 ,3 ]")


def test_an_empty_list_is_filled_as_the_document_is_indented() -> None:
    assert Layout(INDENTED).appended("/none", 7).text == INDENTED.replace('"none": []', '"none": [\n    7\n  ]')


def test_a_document_on_one_line_stays_on_one_line() -> None:
    assert Layout('{"a":[1],"b":[]}').appended("/a", 2).appended("/b", {"c": 1}).text == '{"a":[1,2],"b":[{"c":1}]}'


def test_tabs_and_line_ends_are_kept() -> None:
    text = '{\r\n\t"a": [\r\n\t\t{\r\n\t\t\t"b": 1\r\n\t\t}\r\n\t]\r\n}'
    added = Layout(text).appended("/a", {"b": 2}).text
    assert added == '{\r\n\t"a": [\r\n\t\t{\r\n\t\t\t"b": 1\r\n\t\t},\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t]\r\n}'


@pytest.mark.parametrize(("text", "written"), [('["é"]', '["é", "ü"]'), ('["\\u00e9"]', '["\\u00e9", "\\u00fc"]')])
def test_text_is_escaped_as_the_document_escapes_it(text: str, written: str) -> None:
    assert Layout(text).appended("", "ü").text == written


def test_a_value_is_replaced_at_its_place() -> None:
    text = Layout(INDENTED).replaced("/evidence/0", {"z": None}).text
    assert text == INDENTED.replace('"a": 1', '"z": null')


def test_a_name_with_slash_and_tilde_is_found() -> None:
    assert Layout('{"a/b~c": [1]}').appended("/a~1b~0c", 2).value == {"a/b~c": [1, 2]}


def test_a_member_that_stands_twice_is_named() -> None:
    assert Layout('{"a": {"b": 1, "b": 2}}').repeated == ["/a/b"]


@pytest.mark.parametrize("text", ["", "{", "[1,]", "[NaN]", "[1] 2", "[" * 500 + "]" * 500, "[" * 100_000])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(LayoutError):
        Layout(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
ITEMS = st.dictionaries(st.text(), VALUES, min_size=1, max_size=4)


@given(st.lists(VALUES), VALUES, INDENTS, st.booleans())
def test_any_list_gets_any_item_and_all_else_stays(
    items: list[Any], item: Any, indent: int | str | None, ascii_only: bool
) -> None:
    layout = Layout(json.dumps({"before": 1, "items": items, "after": items}, indent=indent, ensure_ascii=ascii_only))
    added = layout.appended("/items", item)
    assert added.value == {"before": 1, "items": [*items, item], "after": items}
    old, new = layout.node("/items"), added.node("/items")
    assert added.text[: new.start] == layout.text[: old.start]
    assert added.text[new.end :] == layout.text[old.end :]


@given(st.lists(ITEMS), ITEMS, INDENTS)
def test_a_list_of_items_becomes_what_json_would_write(
    items: list[Any], item: Any, indent: int | str | None
) -> None:
    def written(value: Any) -> str:
        return json.dumps({"items": value}, indent=indent, ensure_ascii=False)

    if "\\u" not in written(items):  # which would look like a document that is written in ASCII
        assert Layout(written(items)).appended("/items", item).text == written([*items, item])
