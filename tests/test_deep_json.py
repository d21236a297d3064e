"""JSON as deep as is still JSON is read, written down and compared like any other."""

from __future__ import annotations

import pytest

from validator.census.cells import DEEPEST, decode_json
from validator.workbench.encoding import json_digest


def nested(levels: int, inner: str) -> str:
    return '{"a":[' * (levels // 2) + inner + "]}" * (levels // 2)


@pytest.mark.parametrize("inner", ["1.0", '"\\ud800"'])
def test_the_deepest_json_is_decoded_and_digested(inner: str) -> None:
    found = decode_json(nested(DEEPEST, inner))
    assert found.kind == "object"
    assert json_digest(found.value) is not None


def test_one_level_more_is_malformed() -> None:
    assert decode_json(nested(DEEPEST + 2, "1")).kind == "malformed"
