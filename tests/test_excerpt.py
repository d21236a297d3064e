"""What a converter writes to standard error is kept at both ends and does nothing to who reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.stream.excerpt import Excerpt, harmless


def excerpt(data: bytes, head: int = 8, tail: int = 8) -> str:
    kept = Excerpt(head, tail)
    for start in range(0, len(data), 3):
        kept.feed(data[start : start + 3])
    return kept.text({})


def test_what_fits_is_kept_whole() -> None:
    assert excerpt(b"0123456789abcdef") == "0123456789abcdef"


def test_of_a_longer_text_whole_lines_of_both_ends_are_kept() -> None:
    assert excerpt(b"one\ntwo\n" + b"x" * 100 + b"\nyes\nend\n", 8, 12) == "one\ntwo\n[101 bytes left out]\nyes\nend\n"
    assert excerpt(b"one\nthree\n" + b"x" * 100 + b"\nend\n", 8, 12) == "one\n[107 bytes left out]\nend\n"


def test_one_long_line_is_cut_where_the_bounds_are() -> None:
    assert excerpt(b"a" * 50 + b"b" * 50) == "aaaaaaaa\n[84 bytes left out]\nbbbbbbbb"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        (b"over\rwritten", "over\\rwritten"),
        (b"line\r\nline\n", "line\nline\n"),
        (b"tab\tstays", "tab\tstays"),
        (b"\x9b31m \xff \xc3\xa9", "\\x9b31m \\xff é"),
        ("\u009b31m \u202etxt \u2028 \ufeff".encode(), "\\x9b31m \\u202etxt \\u2028 \\ufeff"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        (b"nul\x00", "nul\\x00"),
    ],
)
def test_what_acts_on_a_terminal_is_spelled_out(data: bytes, text: str) -> None:
    assert harmless(data, {}) == text


def test_the_longer_path_is_replaced_before_the_one_it_lies_in() -> None:
    names = {"/a": "<a>", "/a/b": "<b>"}
    assert harmless(b"/a/b/c/d /a/c/d", names) == "<b>/c/d <a>/c/d"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('File "/home/ann/conv/a.py", line 3', 'File "…/a.py", line 3'),
        ("at f (file:///opt/x/convert.js:12:5)", "at f (…/convert.js:12:5)"),
        ("open:/tmp/a b", "open:…/a b"),
        ("see https://example.org/a/b/c and a/b/c, ./a/b, ~/a/b, 1/2/3", None),
        ("/x and / and //", None),
    ],
)
def test_of_an_absolute_path_only_the_last_part_is_left(data: str, text: str | None) -> None:
    assert harmless(data.encode(), {}) == (data if text is None else text)


@given(st.binary(max_size=300), st.integers(1, 40), st.integers(1, 40))
def test_the_excerpt_is_printable_and_bounded_whatever_was_written(data: bytes, head: int, tail: int) -> None:
    text = excerpt(data, head, tail)
    assert all(character in "\t\n" or character.isprintable() or character == "\u3000" or character.isspace()
               for character in text)  # fmt: skip
    assert "\x1b" not in text
    assert len(text) <= 10 * (head + tail) + 40
