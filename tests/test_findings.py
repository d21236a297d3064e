"""What a finding shows of a value: enough to find it, nothing that is somebody's."""

from __future__ import annotations

import pytest

from validator.report.findings import redacted, shown


@pytest.mark.parametrize("path", ["/home/ann/project", "~/x", "C:\\Users\\ann", "\\\\server\\share", "file:///x"])
def test_a_path_is_shown_by_its_length(path: str) -> None:
    assert shown(path) == f"a path of {len(path)} characters"


def test_content_is_shown_by_its_digest() -> None:
    assert shown(bytes(16)) == "content with digest 00000000000000000000000000000000"


def test_a_short_json_value_is_shown_and_a_long_one_by_its_length() -> None:
    assert shown(b'=["python","async"]') == '["python","async"]'
    assert shown(b'={"command":"' + 80 * b"x" + b'"}') == "a JSON value of 94 characters"


def test_a_value_is_cut_at_200_characters_and_cannot_steer_a_terminal() -> None:
    assert len(redacted("x" * 1000)) == 200
    assert redacted("a\x1b[31m\u202eb") == "a\\x1b[31m\\u202eb"


@pytest.mark.parametrize("value", [None, 0, 12, 1.5, "user"])
def test_plain_values_are_shown_as_they_are(value: object) -> None:
    assert shown(value) == value


@pytest.mark.parametrize("first", [b"{", b"=", b"#"])
def test_a_digest_is_shown_as_one_whatever_bytes_it_has(first: bytes) -> None:
    digest = first + bytes(range(65, 80))
    assert shown(digest) == f"content with digest {digest.hex()}"
