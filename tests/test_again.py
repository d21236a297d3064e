"""A converter that runs again writes the same bytes, and from a position on exactly the rest."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from validator.check import check
from validator.converter import Request, convert
from validator.replay import Options

CAPTURES = Path(__file__).parent.parent / "captures"
EDIT = CAPTURES / "0.19.0-edit-review"


class Altered:
    """The built-in converter, with a line of one of its runs altered."""

    def __init__(self, run: int, alter: Any) -> None:
        self.runs, self.run, self.alter = 0, run, alter

    def lines(self, request: Request, folder: Path) -> Iterator[bytes]:
        self.runs += 1
        lines = list(convert(request))
        yield from self.alter(lines) if self.runs == self.run else lines


def claim(report: dict[str, Any], name: str) -> dict[str, Any]:
    return dict(next(entry for entry in report["captures"][0]["claims"] if entry["claim"] == name))


def finding(converter: Altered, **options: bool) -> tuple[int, dict[str, Any]]:
    report = check([str(EDIT)], None, Options(converter, **options))  # type: ignore[arg-type]
    return report["exit"], report["captures"][0]["findings"][0]


def test_the_built_in_converter_repeats_itself_and_resumes_from_everywhere() -> None:
    result = run("check", str(EDIT), "--twice", "--resume", "--json")
    report = json.loads(result.out)
    assert result.code == 0
    # 14 messages: every second position, of eight at most.
    assert claim(report, "stream.resume") == {
        "claim": "stream.resume", "status": "holds", "subjects": 7, "violations": 0,
    }  # fmt: skip
    assert claim(report, "stream.deterministic")["subjects"] == 1


@pytest.mark.slow
def test_that_holds_for_every_shipped_capture() -> None:
    assert run("check", str(CAPTURES), "--twice", "--resume").code == 0


def test_a_second_run_with_other_bytes_is_found_with_its_line_and_byte() -> None:
    seen: list[bytes] = []

    def shouting(lines: list[bytes]) -> list[bytes]:
        seen.extend(lines)
        return [*lines[:2], lines[2].replace(b"user", b"USER", 1), *lines[3:]]

    code, found = finding(Altered(2, shouting), twice=True)
    assert (code, found["claim"], found["where"]["streamLine"]) == (1, "stream.deterministic", 3)
    assert found["found"] == f"another from byte {seen[2].index(b'user') + 1} on"


def test_without_the_options_a_converter_runs_once() -> None:
    converter = Altered(2, lambda lines: [])
    assert check([str(EDIT)], None, Options(converter))["exit"] == 0
    assert converter.runs == 1


def test_a_second_run_that_fails_is_a_failure_and_no_finding() -> None:
    report = check([str(EDIT)], None, Options(Altered(2, lambda lines: lines[:-1]), twice=True))
    assert report["exit"] == 4
    assert report["captures"][0]["findings"] == []
    assert "in the second run: the converter broke the protocol" in report["captures"][0]["message"]


def test_records_in_another_order_are_not_the_rest() -> None:
    def swapped(lines: list[bytes]) -> list[bytes]:
        at = [n for n, line in enumerate(lines) if b'"transcript"' in line][:2]
        lines[at[0]], lines[at[1]] = lines[at[1]], lines[at[0]]
        return lines

    code, found = finding(Altered(2, swapped), resume=True)
    assert (code, found["claim"], found["found"]) == (1, "stream.resume", "another order")
    assert found["expected"] == "the 14 records beyond position 2"


def test_a_missing_and_a_changed_record_are_counted() -> None:
    def changed(lines: list[bytes]) -> list[bytes]:
        at = [n for n, line in enumerate(lines) if b'"transcript"' in line]
        lines[at[0]] = lines[at[0]].replace(b'"replay":true', b'"replay":false')
        del lines[at[1]]
        end = json.loads(lines[-1])
        lines[-1] = json.dumps({**end, "records": end["records"] - 1}).encode() + b"\n"
        return lines

    _, found = finding(Altered(2, changed), resume=True)
    assert found["found"] == "2 of them missing, 1 others"


def test_a_converter_that_does_not_say_after_is_not_asked_to_resume() -> None:
    def silent(lines: list[bytes]) -> list[bytes]:
        begin = json.loads(lines[0])
        del begin["after"]
        return [json.dumps(begin).encode() + b"\n", *lines[1:]]

    converter = Altered(1, silent)
    report = check([str(EDIT)], None, Options(converter, resume=True))
    assert (report["exit"], converter.runs) == (0, 1)
    assert claim(report, "stream.resume")["status"] == "not exercised"
