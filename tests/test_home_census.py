"""The census of a home's files: lines and front matter read from bytes, and what is noted of them."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest

from validator.census import text
from validator.census.facets import instant, kebab_case
from validator.census.text import front_matter, raw_lines
from validator.converter.hermes_home_files import memories as converter

MIB = 2**20


def numbered(data: bytes, largest: int = MIB) -> list[tuple[int, int, bytes | None]]:
    return [(line.number, line.offset, line.data) for line in raw_lines(io.BytesIO(data), largest)]


def test_only_a_line_feed_ends_a_line_and_blank_lines_count_for_numbers_only() -> None:
    data = "{}\r\n\n \t\r\n\u2028\u0085\x0b\x0c\n[]".encode()
    assert numbered(data) == [(1, 0, b"{}\r"), (4, 9, "\u2028\u0085\x0b\x0c".encode()), (5, 17, b"[]")]


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\r\n", b"\xef\xbb\xbf\n"])
def test_a_log_of_blank_lines_has_no_unit(data: bytes) -> None:
    assert numbered(data) == []


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_lines_are_the_same_however_the_file_is_read(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    data = b"one\n\n" + b"x" * 40 + b"\nthree\r\n" + b"y" * 9
    whole = numbered(data, 30)
    monkeypatch.setattr(text, "_CHUNK", chunk)
    assert numbered(data, 30) == whole
    assert whole == [(1, 0, b"one"), (3, 5, None), (4, 46, b"three\r"), (5, 53, b"y" * 9)]


def test_a_line_that_is_too_long_is_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        left = 1000

        def read(self, size: int = -1) -> bytes:
            Endless.left -= 1
            return b"z" * MIB if Endless.left else b""

    assert numbered_of(Endless()) == [(1, 0, None)]


def numbered_of(file: io.RawIOBase) -> list[tuple[int, int, bytes | None]]:
    return [(line.number, line.offset, line.data) for line in raw_lines(file, MIB)]  # type: ignore[arg-type]


def test_front_matter_is_read_to_its_bound_and_not_beyond() -> None:
    room = 64 * 1024 - len("a: \n")
    fits, spills = (f"---\na: {'x' * size}\n---\nbody".encode() for size in (room, room + 1))
    assert front_matter(fits).fault is None
    assert front_matter(fits).text == b"body"
    assert front_matter(spills).fault == "no end within 65536 bytes"
    assert front_matter(spills).text == spills


def test_a_fault_in_front_matter_says_the_line_of_the_file() -> None:
    assert front_matter(b"---\na: 1\nb: [\n---\n").fault == "not YAML, line 4"


def test_aliases_are_followed_within_bounds_only() -> None:
    names = [chr(ord("a") + number) for number in range(12)]
    bomb = "a: &a [x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 3)}]\n" for before, name in pairwise(names)
    )
    assert front_matter(f"---\n{bomb}---\n".encode()).fault in (
        "too many aliases",
        "too large once its aliases are followed",
    )
    assert front_matter(b"---\na: &a [*a]\n---\n").fault == "nested too deep once its aliases are followed"
    assert front_matter(b"---\na: &a [x]\ntags: *a\n---\n").members["tags"] == ["x"]


def test_both_witnesses_call_the_same_characters_letters_and_digits() -> None:
    for number in range(0x110000):
        tag = f"a{chr(number)}B"
        assert kebab_case(tag) == converter.kebab_case(tag), hex(number)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-10T14:22:00." + "4" * 40 + "9Z", "2026-03-10T14:22:00.444444Z"),
        ("2026-03-10T14:22:00.0000005" + "0" * 40 + "1Z", "2026-03-10T14:22:00.000001Z"),
        ("2026-03-10T14:22:00.0000005" + "0" * 40 + "Z", "2026-03-10T14:22:00.000000Z"),
        ("0900-01-01T00:00:00Z", "0900-01-01T00:00:00.000000Z"),
        ("2026-03-10T14:22:00", None),
        (1750000000, None),
    ],
)
def test_an_instant_is_rounded_on_its_exact_digits(value: object, expected: str | None) -> None:
    assert instant(value) == expected
    assert converter.instant(value) == expected


def test_the_census_and_the_converter_share_no_code() -> None:
    package = Path(text.__file__).parent.parent
    for path in (package / "converter" / "hermes_home_files").glob("*.py"):
        imports = [
            line for line in path.read_text(encoding="utf-8").splitlines() if "validator." in line and "import" in line
        ]
        assert all("validator.converter" in line for line in imports), path
    for path in (package / "census").glob("*.py"):
        assert "validator.converter" not in path.read_text(encoding="utf-8"), path
