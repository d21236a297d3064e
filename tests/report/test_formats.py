"""Every format shows the same report; none can be steered by what a capture or a converter holds."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.report.hostile import HOSTILE, hostile, report
from validator import schemas
from validator.report.formats import FORMATS, View, render
from validator.verdict import CONFORMS, EXIT

HERE = Path(__file__).parent
SARIF = json.loads((HERE / "sarif-2.1.0-part.json").read_text(encoding="utf-8"))

hostile_texts = pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))


def text_of(name: str, document: dict[str, Any], view: View | None = None) -> str:
    return "".join(render(name, document, view))


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What a runner of GitHub Actions makes of an output: every line that it obeys."""
    found = []
    for line in text.split("\n"):
        assert "##[" not in line and "##vso[" not in line.lower()
        if not line.lstrip().startswith("::"):
            continue
        match = re.fullmatch(r"::([a-z-]+)(?: ([^:]*))?::(.*)", line)
        assert match is not None, line[:200]
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        found.append((match[1], {name: unescaped(value) for name, value in pairs}, unescaped(match[3])))
    return found


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


@pytest.mark.parametrize("name", FORMATS)
@hostile_texts
def test_nothing_invisible_reaches_the_output(name: str, text: str) -> None:
    shown = text_of(name, hostile(text))
    shown.encode("utf-8")
    steering = {c for c in set(shown) if unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp")}
    assert steering <= {"\n"}


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("json", "jsonl")])
def test_a_long_text_is_cut(name: str) -> None:
    assert len(text_of(name, hostile(HOSTILE["ten million characters"]))) < 200_000


@hostile_texts
def test_the_table_gives_a_runner_no_command(text: str) -> None:
    assert commands(text_of("table", hostile(text))) == []


@hostile_texts
def test_the_table_keeps_its_lines(text: str) -> None:
    document = hostile(text)
    logged = len(text.rstrip().splitlines())
    plain = text_of("table", hostile("x"))
    assert text_of("table", document).count("\n") == plain.count("\n") - 1 + logged


@hostile_texts
def test_an_annotation_holds_its_text_and_is_one_command(text: str) -> None:
    found = commands(text_of("github", hostile(text)))
    assert [level for level, _, _ in found] == [level for level, _, _ in commands(text_of("github", hostile("x")))]
    for _, properties, _ in found:
        assert set(properties) <= {"file", "title"}


def test_annotations_name_the_file_from_the_current_folder() -> None:
    view = View(places=["captures/one/home"])
    files = {properties.get("file") for _, properties, _ in commands(text_of("github", report(), view))}
    assert "captures/one/home/state.db" in files


def test_annotations_beyond_what_a_runner_shows_are_counted() -> None:
    document = report()
    document["captures"] = document["captures"] * 60
    found = commands(text_of("github", document))
    assert len(found) == 51
    assert found[-1][0] == "notice"
    assert "annotations more are not shown" in found[-1][2]


@hostile_texts
def test_json_reads_back_as_the_report(text: str) -> None:
    document = hostile(text)
    assert json.loads(text_of("json", document)) == document


@hostile_texts
def test_every_line_of_json_lines_is_one_item(text: str) -> None:
    document = hostile(text)
    items = [json.loads(line) for line in text_of("jsonl", document).splitlines()]
    entry = document["captures"][0]
    listed = [{**item} for item in items if item["line"] == "finding"]
    for item in listed:
        del item["line"], item["capture"]
    assert listed == entry["findings"]
    expected = 2 + len(entry["claims"]) + len(entry["findings"]) + len(entry["notices"])
    assert len(items) == expected


def test_json_lines_hold_to_their_schema() -> None:
    for line in text_of("jsonl", report()).splitlines():
        assert schemas.errors("report-line", json.loads(line)) == []


@hostile_texts
def test_sarif_is_valid_and_holds_a_result_for_each_finding(text: str) -> None:
    document = hostile(text)
    log = json.loads(text_of("sarif", document))
    jsonschema.Draft202012Validator(SARIF).validate(log)
    (run,) = log["runs"]
    assert [result["ruleId"] for result in run["results"]] == [f["claim"] for f in document["captures"][0]["findings"]]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@hostile_texts
def test_a_sarif_message_holds_no_link_and_no_placeholder(text: str) -> None:
    for result in json.loads(text_of("sarif", hostile(text)))["runs"][0]["results"]:
        message = result["message"]["text"]
        rest = message.replace("\\\\", "").replace("\\[", "").replace("\\]", "")
        assert not set(rest) & set("[]\\")
        assert not set(rest.replace("{{", "").replace("}}", "")) & set("{}")


def test_a_capture_that_could_not_be_judged_is_a_notification_in_sarif() -> None:
    document = report("converter failed")
    document["captures"][0]["findings"] = []
    (run,) = json.loads(text_of("sarif", document))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 1


@pytest.mark.parametrize("verdict", EXIT)
@hostile_texts
def test_junit_fails_where_the_verdict_does(text: str, verdict: str) -> None:
    root = ElementTree.fromstring(text_of("junit", hostile(text, report(verdict))))
    suite = root.find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert (cases["verdict"].find("failure") is None and cases["verdict"].find("error") is None) == (
        verdict == CONFORMS
    )
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert int(suite.get(attribute, "")) == len(suite.findall(f"testcase/{kind}"))
    assert int(suite.get("tests", "")) == len(suite.findall("testcase"))


@hostile_texts
def test_junit_satisfies_the_public_schema(text: str) -> None:
    xmlschema = pytest.importorskip("xmlschema", reason="not exercised: xmlschema is not installed")
    xmlschema.XMLSchema(HERE / "junit-10.xsd").validate(text_of("junit", hostile(text)))


def rendered(text: str) -> str:
    """The page that a reader of Markdown makes, raw HTML let through and links made of addresses, as a hub would."""
    markdown = pytest.importorskip("markdown_it", reason="not exercised: markdown-it-py is not installed")
    return str(markdown.MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


@hostile_texts
def test_markdown_holds_text_as_code_and_nothing_else(text: str) -> None:
    page, plain = (
        ElementTree.fromstring(f"<page>{rendered(text_of('markdown', hostile(one)))}</page>") for one in (text, "x")
    )
    assert [element.tag for element in page.iter()] == [element.tag for element in plain.iter()]
    assert {element.tag for element in page.iter()}.isdisjoint({"a", "script", "img", "em", "strong"})


@hostile_texts
def test_a_row_of_a_markdown_table_has_as_many_cells_as_its_head(text: str) -> None:
    for block in re.split(r"\n\n", text_of("markdown", hostile(text))):
        rows = [line for line in block.split("\n") if line.startswith("|")]
        assert len({line.count("|") for line in rows}) <= 1


def test_markdown_is_of_bounded_size() -> None:
    document = hostile(HOSTILE["ten million characters"])
    document["captures"][0]["findings"] *= 500
    document["captures"] *= 5000
    assert len(text_of("markdown", document).encode()) < 1_000_000


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert text_of(name, report()) == text_of(name, report())


@pytest.mark.parametrize("verdict", EXIT)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_the_verdict(name: str, verdict: str) -> None:
    shown = text_of(name, report(verdict))
    if name == "junit":
        assert 'name="verdict"' in shown
    elif name == "sarif":
        assert json.loads(shown)["runs"][0]["invocations"][0]["exitCode"] == EXIT[verdict]
    else:
        assert verdict in shown


def test_a_terminal_gets_colours_only_if_it_shows_them() -> None:
    assert "\x1b" not in text_of("table", report())
    assert "\x1b[31m" in text_of("table", report(), View(color=True))
