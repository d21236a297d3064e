"""The page of a descriptor: its sections, its sentences, its observations, and nothing that a text makes of itself."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.claims.descriptors import ROLE, descriptor_with
from tests.commandline import run
from tests.evidence.items import OBSERVED, descriptor, document, saved
from validator import claims, schemas
from validator.descriptor import load

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

SECTIONS = [
    "Identity",
    "Position basis",
    "Destinations",
    "hermes: native facts without a standard field",
    "Links",
    "Usage",
    "Lane and unassigned facts",
    "Losses",
    "Evidence",
]
"""Those of the page that the descriptor was given with, in its order; the observations come after them."""


def written(folder: Path | str) -> str:
    result = run("evidence", "page", str(folder))
    assert result.code == 0
    return result.out


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, flags=re.MULTILINE)


def under(text: str, heading: str) -> str:
    """What stands under a heading."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def test_the_sections_are_those_of_the_example_in_its_order() -> None:
    dates = sorted({item["date"] for item in load().document["evidence"] if item["label"] == "observed"})
    expected = [*SECTIONS, *(f"Observations from {date}" for date in dates), "The descriptor"]
    assert headings(written(load().name)) == expected


def test_every_statement_stands_there_once() -> None:
    text = written(load().name)
    for claim in claims.load(load()):
        assert text.count(f"(`{claim.id}`") == 1, claim.id


def test_the_data_beside_the_descriptor_says_where_a_claim_stands(tmp_path: Path) -> None:
    folder = Path(descriptor_with(tmp_path, test=ROLE))
    part = {"section": "usage", "title": "A title", "claims": ["test.*"]}
    (folder / "page.json").write_text(json.dumps({"page": "0.1", "parts": [part]}), encoding="utf-8")
    usage = under(written(folder), "Usage")
    assert "- **A title**\n  - The role is the stored role. (`test.role`; evidence 0)" in usage


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("identity.role", "Identity"),
        ("context.role", "Identity"),
        ("links.role", "Links"),
        ("unassigned.role", "Lane and unassigned facts"),
        ("moods.role", "Destinations"),
    ],
)
def test_a_claim_that_the_data_does_not_name_stands_in_its_usual_place(
    tmp_path: Path, name: str, heading: str
) -> None:
    folder = Path(descriptor_with(tmp_path, test=ROLE.replace("test.role", name)))
    (folder / "page.json").unlink(missing_ok=True)
    assert f"(`{name}`; evidence 0)" in under(written(folder), heading)


def test_data_that_is_wrong_is_wrong_configuration(tmp_path: Path) -> None:
    folder = Path(descriptor_with(tmp_path, test=ROLE))
    (folder / "page.json").write_text('{"page": "0.1"}', encoding="utf-8")
    assert run("evidence", "page", str(folder)).code == 2


def test_an_observation_stands_under_its_date_with_its_counts(tmp_path: Path) -> None:
    folder = descriptor(tmp_path)
    index = len(document(folder)["evidence"])
    run("evidence", "add", str(folder), saved(tmp_path, OBSERVED))
    text = under(written(folder), "Observations from 2026-12-01")
    assert f"| {index} | `9.9.9` | 1 | 3 | 0 | 0 | 0 | 0 |" in text
    assert f"- **Evidence {index}**: `9.9.9; source commit:abc`" in text
    assert "  - Limitations: One run only." in text


def test_a_table_that_no_capture_has_is_said_to_be_known_from_the_source_only() -> None:
    text = under(written(load().name), "Losses")
    [line] = [line for line in text.splitlines() if "source only" in line]
    assert "`worker_receipts`" in line


def test_the_descriptor_s_own_text_stands_at_the_end() -> None:
    [block] = re.findall(r"```json\n(.*)\n```\n\Z", written(load().name), flags=re.DOTALL)
    assert json.loads(block) == load().document


HOSTILE = "<img src=x onerror=alert(1)> [a](https://evil.example) ``` \n# x\n\n- y | z \x1b[2J \u202e `"


def test_hostile_text_makes_no_markup(tmp_path: Path) -> None:
    claim = ROLE.replace("The role is the stored role.", "<b>x</b> [l](http://e)")
    folder = Path(descriptor_with(tmp_path, test=claim))
    value = document(folder)
    for item in value["evidence"]:
        for name in {"scope", "limitations", "version", "revision"} & item.keys():
            item[name] = HOSTILE
    for mapping in value["mappings"]:
        mapping.update(native=HOSTILE, destination=HOSTILE, scope=HOSTILE)
    (folder / "descriptor.json").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    sources = {"sources": "0.1", "rules": [{"pattern": HOSTILE, "status": "excluded", "reason": HOSTILE}]}
    (folder / "sources.json").write_text(json.dumps(sources), encoding="utf-8")
    text = written(folder)
    types = set()
    for token in READER.parse(text):
        types.add(token.type)
        types.update(child.type for child in token.children or ())
    assert types <= {
        "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "text_special",
        "code_inline", "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "strong_open",
        "strong_close", "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close",
        "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close", "fence",
    }  # fmt: skip
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert headings(text)[: len(SECTIONS)] == SECTIONS


def test_a_producer_without_claims_shapes_or_aliases_has_a_page(tmp_path: Path) -> None:
    other = {
        "name": "org.example.agent",
        "aliases": [],
        "namespace": {"rule": "native-global"},
        "positions": [{"family": "transcript", "basis": "line", "boundary": "line"}],
        "formats": [{"id": "example-log", "evidence": [0]}],
        "evidence": [{"label": "source", "revision": "commit:abc", "scope": "log"}],
        "destinations": {},
        "mappings": [],
    }
    assert schemas.errors("descriptor", other) == []
    (tmp_path / "descriptor.json").write_text(json.dumps(other), encoding="utf-8")
    assert headings(written(tmp_path)) == [
        heading.replace("hermes", "org.example.agent") for heading in SECTIONS
    ] + ["The descriptor"]  # fmt: skip


def test_the_check_says_whether_the_page_stands(tmp_path: Path) -> None:
    folder = Path(descriptor_with(tmp_path, test=ROLE))
    (folder / "README.md").unlink(missing_ok=True)
    assert run("evidence", "page", str(folder), "--check").code == 1
    assert run("evidence", "page", str(folder), "--write").code == 0
    assert run("evidence", "page", str(folder), "--check").code == 0
    (folder / "README.md").write_text("another", encoding="utf-8")
    result = run("evidence", "page", str(folder), "--check")
    assert (result.code, "evidence page --write" in result.err) == (1, True)


def test_the_page_is_the_same_every_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        shutil.copytree(load().folder, folder)
    assert written(first) == written(second)
