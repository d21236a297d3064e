"""Text as Markdown: a reader of Markdown sees the text, and nothing that the text might have made of itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from validator.evidence.markdown import cell, code, fenced, prose

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PLAIN = st.text().filter(lambda text: "`" not in text)


def blocks(source: str) -> list[str]:
    return [token.type for token in READER.parse(source)]


def inline(source: str) -> list[Token]:
    """What stands in the one item of the one list that a source makes."""
    tokens = READER.parse(f"- {source}")
    assert [token.type for token in tokens] == [
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close",
        "bullet_list_close",
    ]  # fmt: skip
    return list(tokens[3].children or [])


def shown(text: str) -> str:
    """The text as it should be seen: on one line, with what cannot be printed spelled out."""
    flat = " ".join(text.split())
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in flat)


HOSTILE = [
    "# heading", "- item", "+ item", "1. item", "12) item", "> quote", "---", "===", "<!-- x -->",
    "<script>alert(1)</script>", "[text](https://evil.example)", "![image](x)", "**bold** _em_ ~~gone~~", "a | b",
    "&lt; &#60;", "back\\slash",
    "https://evil.example and www.evil.example", "line\nbreak  \nhard", "\x1b[2J\x07", "\u202etxt.exe", "{{ x }}",
    "\tcode",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_seen_as_it_is(text: str) -> None:
    tokens = inline(prose(text))
    assert {token.type for token in tokens} <= {"text", "text_special"}
    assert "".join(token.content for token in tokens) == shown(text)


@given(PLAIN.filter(lambda text: text.strip()))
def test_any_text_is_seen_as_it_is(text: str) -> None:
    if shown(text):
        assert "".join(token.content for token in inline(prose(text))) == shown(text)


@given(st.text())
def test_any_text_with_backticks_makes_text_and_code_and_nothing_else(text: str) -> None:
    if shown(text):
        assert {token.type for token in inline(prose(text))} <= {"text", "text_special", "code_inline"}


def test_the_code_spans_of_a_sentence_are_kept() -> None:
    tokens = inline(prose("The id is `sessions.id`, `a*b` and `<c>`."))
    assert [token.content for token in tokens if token.type == "code_inline"] == ["sessions.id", "a*b", "<c>"]


@given(st.text(min_size=1).filter(lambda text: shown(text).strip("` ")))
def test_any_text_fits_a_code_span(text: str) -> None:
    [token] = inline(code(text))
    assert (token.type, token.content) == ("code_inline", shown(text))


@given(st.text(min_size=1).filter(lambda text: shown(text).strip("`\\| ")))
def test_any_text_fits_a_cell(text: str) -> None:
    types = blocks(f"| a | b |\n|---|---|\n| {cell(text)} | x |")
    assert types.count("td_open") == 2


@given(st.recursive(st.text(), lambda below: st.lists(below) | st.dictionaries(st.text(), below)))
def test_json_in_a_fenced_block_says_what_it_said(value: object) -> None:
    for indent in (None, 2, "\t"):
        [block] = READER.parse(fenced(json.dumps(value, ensure_ascii=False, indent=indent), "json"))
        assert json.loads(block.content) == value


@given(st.text())
def test_no_text_leaves_a_fenced_block(text: str) -> None:
    assert blocks(fenced(text, "json")) == ["fence"]
