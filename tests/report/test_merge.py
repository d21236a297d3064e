"""Shares of the captures are judged apart, and merged the report is that of the whole, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import run
from validator.shards import Shard, ShardError, parse

CAPTURES = Path(__file__).parents[2] / "captures"
SOME = [str(CAPTURES / name) for name in ("0.13.0-undo", "0.14.0-text", "0.15.1-text", "0.19.0-api", "0.19.0-text")]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_merged_shares_are_the_whole_byte_for_byte(count: int, tmp_path: Path) -> None:
    files = []
    for number in range(1, count + 1):
        files.append(str(tmp_path / f"{number}.json"))
        run("check", *SOME, "--shard", f"{number}/{count}", "--json", "--output", files[-1])
    whole = run("check", *SOME, "--json")
    merged = run("merge", *reversed(files), "--json")
    assert merged.out == whole.out
    assert merged.code == whole.code == 0
    captures = [capture for file in files for capture in json.loads(Path(file).read_text(encoding="utf-8"))["captures"]]
    assert len(captures) == len(SOME)


def test_reports_of_no_shares_are_put_one_after_the_other(tmp_path: Path) -> None:
    for number, target in enumerate(SOME[:2]):
        run("check", target, "--json", "--output", str(tmp_path / str(number)))
    assert run("merge", str(tmp_path / "0"), str(tmp_path / "1"), "--json").out == run("check", *SOME[:2], "--json").out


def test_the_gravest_verdict_decides_for_the_whole(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    run("check", SOME[0], "--json", "--output", str(tmp_path / "0"))
    assert run("check", str(tmp_path / "nothing"), "--json", "--output", str(tmp_path / "1")).code == 3
    assert run("merge", str(tmp_path / "0"), str(tmp_path / "1")).code == 3


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([1, 3], "share 2 of 3 is missing"),
        ([1, 2, 2, 3], "share 2 of 3 is there twice"),
    ],
)
def test_shares_that_are_not_one_whole_are_refused(shares: list[int], message: str, tmp_path: Path) -> None:
    files = []
    for place, number in enumerate(shares):
        files.append(str(tmp_path / str(place)))
        run("check", *SOME[:3], "--shard", f"{number}/3", "--json", "--output", files[-1])
    result = run("merge", *files)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("{}", "is no report"), ("[]", "is no report"), (None, "no such file")],
)
def test_what_is_no_report_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    result = run("merge", str(file))
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/999999", "١/٣"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ShardError):
        parse(text)


def test_shares_hold_every_item_once() -> None:
    items = list(range(11))
    shares = [Shard(number, 4).of(items) for number in range(1, 5)]
    assert sorted(item for share in shares for item in share) == items
    assert {len(share) for share in shares} == {2, 3}
