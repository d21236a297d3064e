"""docs/evidence.md: it names the commands, the labels and the codes that there are, and no other."""

import re

from tests.docs.fences import page, sections
from validator import schemas
from validator.cli.evidence import command
from validator.lint.fault import CODES

TEXT = page("evidence.md")


def test_every_command_of_evidence_is_explained() -> None:
    assert set(re.findall(r"\bevidence ([a-z]+)\b(?= [\[A-Zc-]|`)", TEXT)) == set(command.commands)


def test_the_labels_are_the_schema_s() -> None:
    labels = re.findall(r"^\| `([a-z]+)` \|", sections(TEXT)["Items"], flags=re.MULTILINE)
    assert labels == schemas.schema("descriptor")["$defs"]["evidence"]["properties"]["label"]["enum"]


def test_the_statuses_are_the_schema_s() -> None:
    statuses = re.findall(r"^- \*([a-z ]+)\*:", sections(TEXT)["Checking"], flags=re.MULTILINE)
    known = schemas.schema("evidence-check")["properties"]["items"]["items"]["properties"]["status"]["enum"]
    assert set(statuses) == set(known)


def test_the_codes_are_those_of_the_lint() -> None:
    rows = re.findall(r"^\| (`.*?) \|", sections(TEXT)["The lint"], flags=re.MULTILINE)
    told = [code for row in rows for code in re.findall(r"`([a-z-]+)`", row)]
    assert sorted(told) == sorted(CODES)
    assert schemas.schema("lint")["$defs"]["fault"]["properties"]["code"]["enum"] == told
