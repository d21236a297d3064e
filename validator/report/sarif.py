"""Renders a report as SARIF 2.1.0: a rule for each claim that was judged, a result for each finding.

A capture that does not conform without a finding (unusable, a failed converter) is a notification of the run. Text of
captures is escaped where SARIF would read a link or a placeholder in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from validator import __version__
from validator.report.formats import View, summary
from validator.report.table import found_text
from validator.report.visible import json_text, redacted
from validator.verdict import CONFORMS, DOES_NOT_CONFORM

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

LEVELS = {"error": "error", "notice": "note"}

LONGEST = 1000


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield the log."""
    rules = sorted(
        {claim["claim"] for entry in report["captures"] for claim in entry["claims"]}
        | {finding["claim"] for entry in report["captures"] for finding in entry["findings"]}
    )
    driver = {"name": "validator", "semanticVersion": __version__, "rules": [{"id": rule} for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, view)],
        "results": [
            _result(finding, rules, entry, number, view)
            for number, entry in enumerate(report["captures"])
            for finding in entry["findings"]
        ],
        "columnKind": "unicodeCodePoints",
    }
    yield json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, 2) + "\n"


def message(text: str) -> dict[str, str]:
    """Return a message that shows a text as it stands: no link and no placeholder in it."""
    shown = redacted(text, LONGEST)
    for character, escaped in (("\\", "\\\\"), ("[", "\\["), ("]", "\\]"), ("{", "{{"), ("}", "}}")):
        shown = shown.replace(character, escaped)
    return {"text": shown}


def _invocation(report: dict[str, Any], view: View) -> dict[str, Any]:
    """Say how the run went: it was successful where every capture could be judged."""
    notifications = [
        {
            "level": "error",
            "message": message(f"{entry['capture']}: {summary(entry)}"),
            "locations": [{"physicalLocation": _file(view.file(number, entry))}],
        }
        for number, entry in enumerate(report["captures"])
        if entry["verdict"] != CONFORMS and not (entry["verdict"] == DOES_NOT_CONFORM and entry["findings"])
    ]
    return {
        "executionSuccessful": report["verdict"] in (CONFORMS, DOES_NOT_CONFORM),
        "exitCode": report["exit"],
        "toolExecutionNotifications": notifications,
    }


def _result(
    finding: dict[str, Any], rules: list[str], entry: dict[str, Any], number: int, view: View
) -> dict[str, Any]:
    where = finding["where"]
    physical = _file(view.file(number, entry, where["source"]))
    if "line" in where:
        physical["region"] = {"startLine": where["line"]}
    names = [str(entry["capture"]), str(where.get("table", "")), *(str(part) for part in where.get("key", ()))]
    logical = redacted("/".join(name for name in names if name), LONGEST)
    return {
        "ruleId": finding["claim"],
        "ruleIndex": rules.index(finding["claim"]),
        "level": LEVELS[finding["level"]],
        "message": message(f"{entry['capture']}: {found_text(finding)}"),
        "locations": [{"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": logical}]}],
    }


def _file(path: str) -> dict[str, Any]:
    return {"artifactLocation": {"uri": quote(redacted(path, LONGEST), safe="/")}}
