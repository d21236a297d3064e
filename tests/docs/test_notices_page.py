"""docs/notices.md: one section for each code of the catalogue, and examples that are real ones."""

import json

import jsonschema
import pytest

from tests.docs.fences import fences, page, sections
from validator import schemas
from validator.notices import CATALOGUE, CODES, NoticeCode

SECTIONS = sections(page("notices.md"))
NOTICE = jsonschema.Draft202012Validator(
    {"$ref": "https://validator.invalid/schemas/report.json#/$defs/notice"}, registry=schemas.registry()
)

# The contract's table, row by row.
CONTRACT = {
    "session id": ["orphan-session"],
    "table": ["unknown-table"],
    "column": ["unknown-column"],
    "role": ["unknown-role"],
    "cell": [
        "not-a-time",
        "not-utf8",
        "malformed-json",
        "lone-surrogate",
        "double-encoded-json",
        "duplicate-json-key",
        "sentinel-not-json",
    ],
    "stream": ["time-not-monotonic"],
    "session, replay state and provider id": ["repeated-call-id"],
    "array element": ["not-a-call"],
    "call": ["call-without-result"],
    "result": ["result-without-call", "uid-without-call"],
    "session": ["dangling-parent", "missing-instructions", "session-only-in-file", "session-differs"],
    "cycle": ["parent-cycle"],
    "derived table": ["derived-damaged"],
    "store": ["uncommitted-frames", "stale-wal"],
    "file": ["bom", "bad-front-matter"],
    "key": ["undescribed-key"],
    "memory": ["unresolved-source"],
    "home": ["logging-differs"],
}


def test_the_catalogue_is_the_contract_s() -> None:
    assert {entry.code: entry.one_for_each for entry in CATALOGUE} == {
        code: unit for unit, codes in CONTRACT.items() for code in codes
    }


def test_no_code_stands_twice() -> None:
    assert len(CATALOGUE) == len(CODES)


def test_a_report_admits_the_catalogue_s_codes_and_no_other() -> None:
    code = schemas.schema("report")["$defs"]["notice"]["properties"]["code"]
    assert code["enum"] == [entry.code for entry in CATALOGUE]


def test_the_page_has_the_catalogue_s_codes_in_its_order() -> None:
    assert list(SECTIONS) == [entry.code for entry in CATALOGUE]


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.code)
def test_a_section_opens_with_what_the_catalogue_says(entry: NoticeCode) -> None:
    opening = SECTIONS[entry.code].strip().splitlines()[0]
    assert opening == f"{entry.says} One for each {entry.one_for_each}."


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.code)
def test_a_section_has_one_example_and_says_what_to_do(entry: NoticeCode) -> None:
    section = SECTIONS[entry.code]
    [example] = fences(section, "json")
    notice = json.loads(example)
    NOTICE.validate(notice)
    assert notice["code"] == entry.code
    assert "\nWhat to do: " in section
