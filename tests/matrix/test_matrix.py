"""What the matrix says of each version and claim, held against what is known of the releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from validator.matrix.markdown import render as as_markdown
from validator.schemas import errors

CAPTURES = Path(__file__).parents[2] / "captures"


def status(document: dict[str, Any], claim: str, version: str) -> str:
    (cell,) = [c for c in document["cells"] if (c["claim"], c["version"]) == (claim, version)]
    found: str = cell["status"]
    return found


def test_the_document_satisfies_its_schema(shipped: dict[str, Any], lossy: dict[str, Any]) -> None:
    assert list(errors("matrix", shipped)) == []
    assert list(errors("matrix", lossy)) == []


def test_there_is_a_cell_for_every_version_and_claim_in_order(shipped: dict[str, Any]) -> None:
    assert [(c["claim"], c["package"], c["version"]) for c in shipped["cells"]] == [
        (claim["claim"], version["package"], version["version"])
        for claim in shipped["claims"]
        for version in shipped["versions"]
    ]


def test_versions_are_those_of_the_manifests_the_oldest_layout_first(shipped: dict[str, Any]) -> None:
    manifests = [json.loads(path.read_text(encoding="utf-8")) for path in CAPTURES.glob("*/capture.json")]
    assert {(v["package"], v["version"]) for v in shipped["versions"]} == {
        (m["package"], m["version"]) for m in manifests
    }
    assert sorted(id_ for v in shipped["versions"] for id_ in v["captures"]) == sorted(m["id"] for m in manifests)
    assert [v["layout"] for v in shipped["versions"]] == sorted(v["layout"] for v in shipped["versions"])


# A column's first release is that of the table of measured facts.
@pytest.mark.parametrize(
    ("claim", "lacks", "before", "first"),
    [
        ("context.observed", "messages.observed", "0.14.0", "0.15.0"),
        ("context.platform-message", "messages.platform_message_id", "0.14.0", "0.15.0"),
        ("context.archived", "messages.active", "0.15.2", "0.17.0"),
        ("destinations.thread-id", "sessions.thread_id", "0.17.0", "0.18.0"),
        ("destinations.origin", "sessions.origin_json", "0.18.0", "0.18.2"),
        ("usage.dimensions", "session_model_usage", "0.18.2", "0.19.0"),
        ("context.api-content", "messages.api_content", "0.18.2", "0.19.0"),
        ("usage.instructions", "sessions.system_prompt_hash", "0.19.0", "0.20.4.1"),
        ("context.summary", "messages._compressed_summary", "0.20.1.2", "0.22.2.post1"),
    ],
)
def test_a_claim_is_not_applicable_before_its_column_came(
    shipped: dict[str, Any], claim: str, lacks: str, before: str, first: str
) -> None:
    assert status(shipped, claim, before) == "not applicable"
    assert lacks in next(c for c in shipped["cells"] if (c["claim"], c["version"]) == (claim, before))["lacks"]
    assert status(shipped, claim, first) in ("holds", "not exercised")


def test_what_no_release_stores_is_applicable_nowhere(shipped: dict[str, Any]) -> None:
    assert {status(shipped, "usage.receipt", v["version"]) for v in shipped["versions"]} == {"not applicable"}


@pytest.mark.parametrize("claim", ["standard.content", "standard.session", "standard.counts", "usage.summary"])
def test_a_claim_that_also_reads_later_columns_applies_to_the_oldest(shipped: dict[str, Any], claim: str) -> None:
    assert status(shipped, claim, "0.13.0") == "holds"


def test_sums_and_violations_are_those_of_the_report(lossy: dict[str, Any]) -> None:
    target = [str(CAPTURES / "0.13.0-branch")]
    (capture,) = [c for c in lossy["captures"] if c["capture"] == "0.13.0-branch"]
    # 18 units become records, of which the converter leaves out the tenth; two more rows are context.
    assert capture["conservation"]["lost"] == capture["counts"]["errors"] == 1
    assert status(lossy, "mapping.conservation", "0.13.0") == "violated"
    assert [f["claim"] for f in capture["findings"]] == ["mapping.conservation"]
    assert json.loads(run("check", *target, "--json").out)["captures"][0]["conservation"]["lost"] == 0


def test_the_timeline_has_every_column_of_the_shape(shipped: dict[str, Any]) -> None:
    path = CAPTURES.parent / "descriptors" / "com.nousresearch.hermes" / "formats" / "hermes-state-sqlite.json"
    shape = json.loads(path.read_text(encoding="utf-8"))
    (history,) = shipped["timeline"]
    assert {(t["table"], c["column"], c["since"]) for t in history["tables"] for c in t["columns"]} == {
        (t["name"], c["name"], c["since"]) for t in shape["tables"] for c in t["columns"]
    }


def test_markdown_has_a_line_for_every_claim_and_capture(shipped: dict[str, Any]) -> None:
    lines = as_markdown(shipped).splitlines()
    assert sum(line.startswith("| ") and ("✓" in line or "·" in line or "–" in line) for line in lines) >= len(
        shipped["claims"]
    )
    for capture in shipped["captures"]:
        assert any(line.startswith("| " + capture["capture"]) for line in lines)


def test_a_hostile_name_cannot_break_a_table(lossy: dict[str, Any]) -> None:
    hostile = json.loads(json.dumps(lossy))
    hostile["captures"][0]["findings"][0]["found"] = "a | b\n# <script>[x](y)`"
    text = as_markdown(hostile)
    assert "<script>" not in text
    assert "\n# &lt;" not in text
    assert "a \\| b" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "pdf"], "--format 'pdf': there are markdown, json, html"),
        (["--format", "json", "--format", "html"], "two formats would go to one place"),
        (["--write", "nowhere"], "--write nowhere: no such folder"),
        (["nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_wrong_usage_is_said_in_one_line(arguments: list[str], message: str) -> None:
    done = run("matrix", *arguments)
    assert (done.code, message in done.err, done.err.count("\n")) == (2, True, 1), done.err


def test_formats_go_to_files(tmp_path: Path) -> None:
    capture = str(CAPTURES / "0.19.0-text")
    done = run("matrix", capture, "--format", f"html={tmp_path / 'a.html'}", "--format", f"json={tmp_path / 'a.json'}")
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["totals"]["captures"] == 1


def test_a_capture_that_cannot_be_read_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "capture.json").write_text("{}", encoding="utf-8")
    done = run("matrix", str(tmp_path / "broken"), "--json")
    document = json.loads(done.out)
    assert done.code == 3
    assert list(errors("matrix", document)) == []
    assert {cell["status"] for cell in document["cells"]} == {"not judged"}
