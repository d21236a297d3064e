"""Renders a report as JUnit XML: a suite for each capture, a test for its conversion and one for each claim.

Passes where the verdict does: every capture that does not conform has a failure or an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from validator.report.formats import View, by_claim, how_many, summary
from validator.report.table import found_text
from validator.report.visible import redacted
from validator.verdict import CONFORMS, DOES_NOT_CONFORM

VERDICT = "verdict"
"""The test that says how the capture as a whole fared."""

LONGEST = 1000

SKIPPED = ("not exercised", "not judged")
"""The states of a claim that was not put to the test."""


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield the document, suite by suite."""
    suites = [_suite(entry) for entry in report["captures"]]
    sums = {name: sum(counts[name] for counts, _ in suites) for name in ("tests", "failures", "errors")}
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name='validator', **sums)}>\n"
    for entry, (counts, cases) in zip(report["captures"], suites, strict=True):
        yield f"  <testsuite{_attributes(name=entry['capture'], **counts)}>\n"
        yield from cases
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _suite(entry: dict[str, Any]) -> tuple[dict[str, int], list[str]]:
    """Return a suite's counts and its tests."""
    groups = by_claim(entry)
    states = {claim["claim"]: claim["status"] for claim in entry["claims"]}
    states.update({claim: "violated" for claim in groups if claim not in states})
    outcomes = [_verdict(entry), *(_claim(entry, claim, states[claim], groups.get(claim, [])) for claim in states)]
    counts = {
        "tests": len(outcomes),
        "failures": sum(kind == "failure" for kind, _ in outcomes),
        "errors": sum(kind == "error" for kind, _ in outcomes),
        "skipped": sum(kind == "skipped" for kind, _ in outcomes),
    }
    return counts, [case for _, case in outcomes]


def _verdict(entry: dict[str, Any]) -> tuple[str, str]:
    """The test of the capture as a whole: what is wrong with no single claim, such as a converter that failed."""
    given = entry["verdict"]
    if given == CONFORMS:
        return "passed", _case(entry, VERDICT, None, "", "")
    kind = "failure" if given == DOES_NOT_CONFORM else "error"
    return kind, _case(entry, VERDICT, kind, summary(entry), "\n".join(entry.get("stderr", ())))


def _claim(entry: dict[str, Any], claim: str, status: str, findings: list[dict[str, Any]]) -> tuple[str, str]:
    if status in SKIPPED:
        return "skipped", _case(entry, claim, "skipped", status, "")
    if status != "violated":
        return "passed", _case(entry, claim, None, "", "")
    text = "\n".join(redacted(found_text(finding), LONGEST) for finding in findings)
    count = how_many(findings) if findings else 0
    if findings and findings[0]["level"] != "error" and entry["verdict"] != DOES_NOT_CONFORM:
        return "passed", _case(entry, claim, None, "", f"{count} violated, a notice:\n{text}")
    return "failure", _case(entry, claim, "failure", f"{count} violated", text)


def _case(entry: dict[str, Any], name: str, kind: str | None, message: str, text: str) -> str:
    """Write one test; ``text`` may have several lines, and stands in the output of a test that passes."""
    attributes = _attributes(name=name, classname=entry["capture"])
    body = "\n".join(escape(redacted(line, LONGEST)) for line in text.splitlines())
    if kind is None and not body:
        return f"    <testcase{attributes}/>\n"
    inner = f"<system-out>{body}</system-out>"
    if kind is not None:
        inner = f"<{kind}{_attributes(type=kind, message=message)}>{body}</{kind}>"
    return f"    <testcase{attributes}>{inner}</testcase>\n"


def _attributes(**values: Any) -> str:
    """Write attributes; what XML cannot hold has been spelled out."""
    return "".join(f" {name}={quoteattr(redacted(str(value), LONGEST))}" for name, value in values.items())
