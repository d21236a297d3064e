"""Renders a report as annotations of GitHub Actions: an error or a warning for each claim that a capture violates.

A runner shows fifty annotations of a job at most; what is beyond that is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from validator.report.formats import View, by_claim, how_many, summary
from validator.report.table import found_text
from validator.report.visible import logged
from validator.verdict import CONFORMS

MOST = 50
"""Annotations that are written."""

EXAMPLES = 3
"""Findings that one annotation shows."""

LONGEST = 1000
"""Characters of one line of a message."""


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield the annotations, errors first, and a last one with the verdict."""
    errors = list(_annotations(report, view, "error"))
    warnings = list(_annotations(report, view, "warning"))
    annotations = errors + warnings
    yield from annotations[:MOST]
    totals = report["totals"]
    told = f"{report['verdict']} (exit {report['exit']}): {totals['captures']} captures, {totals['errors']} errors, "
    told += f"{totals['notices']} notices"
    if len(annotations) > MOST:
        told += f"; {len(annotations) - MOST} annotations more are not shown"
    yield _command("notice", None, "validator", told)


def _annotations(report: dict[str, Any], view: View, level: str) -> Iterator[str]:
    for number, entry in enumerate(report["captures"]):
        for claim, findings in by_claim(entry).items():
            if (findings[0]["level"] == "error") != (level == "error"):
                continue
            title = f"{entry['capture']}: {claim}: {how_many(findings)} violated"
            lines = [found_text(finding) for finding in findings[:EXAMPLES]]
            yield _command(level, view.file(number, entry, findings[0]["where"]["source"]), title, *lines)
        if level == "error" and entry["verdict"] != CONFORMS and not any(_is_error(f) for f in entry["findings"]):
            yield _command(level, view.file(number, entry), str(entry["capture"]), summary(entry))


def _is_error(finding: dict[str, Any]) -> bool:
    return bool(finding["level"] == "error")


def _command(level: str, file: str | None, title: str, *lines: str) -> str:
    """Write one workflow command; nothing in it can end it or start another."""
    named = {"file": file, "title": title}
    properties = ",".join(f"{name}={_property(text)}" for name, text in named.items() if text is not None)
    data = "%0A".join(_data(logged(line, LONGEST)) for line in lines)
    return f"::{level} {properties}::{data}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(logged(text, LONGEST)).replace(":", "%3A").replace(",", "%2C")
