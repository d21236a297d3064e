"""Renders a report as Markdown, for the summary of a job or a pull request; of bounded size, however much was found.

Text of captures stands in code spans only, with its back-quotes and bars spelled out: no markup is read in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from validator.report.formats import View, by_claim, how_many
from validator.report.table import COUNTS, SUMS, exercised, place_text, value_text
from validator.report.visible import redacted
from validator.verdict import CONFORMS

MOST_CAPTURES = 200
"""Captures that the table lists, those that do not conform first."""

MOST_DETAILED = 40
"""Captures whose findings are listed."""

MOST_CLAIMS = 20
"""Violated claims that are listed for one capture."""

EXAMPLES = 3
"""Findings of one claim that are listed."""

MOST_NAMES = 100
"""Claims without a subject that are named."""


def pieces(report: dict[str, Any], view: View) -> Iterator[str]:
    """Yield the verdict, a row for each capture, what was found, and what was not exercised."""
    totals = report["totals"]
    yield f"# {_mark(report['verdict'])} {report['verdict']} (exit {report['exit']})\n\n"
    names = ("captures", "streams", "records", "errors", "notices", "gaps")
    told = ", ".join(f"{totals[name]} {name}" for name in names)
    yield f"{told}, {totals['unidentifiedSources']} unidentified sources. "
    yield f"{code(report['validator'])}, converter {code(report['converter'] or 'unknown')}.\n\n"
    yield from _captures(report)
    wrong = [entry for entry in report["captures"] if entry["verdict"] != CONFORMS or entry["findings"]]
    for entry in wrong[:MOST_DETAILED]:
        yield from _details(entry)
    if len(wrong) > MOST_DETAILED:
        yield f"{len(wrong) - MOST_DETAILED} captures more have something to tell; the other formats list them.\n\n"
    yield from _exercise(report)


def code(text: Any) -> str:
    """Return a text as a code span that ends where the text ends, in a table too."""
    shown = redacted(text if isinstance(text, str) else str(text))
    shown = shown.replace("`", "\\x60").replace("|", "\\x7c")
    return f"`{shown}`" if shown.strip() else "` `"


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield a table; the cells are finished Markdown."""
    yield f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
    for row in rows:
        yield f"| {' | '.join(str(cell) for cell in row)} |\n"
    yield "\n"


def _mark(verdict: str) -> str:
    return "✅" if verdict == CONFORMS else "❌"


def _captures(report: dict[str, Any]) -> Iterator[str]:
    ordered = sorted(report["captures"], key=lambda entry: entry["verdict"] == CONFORMS)
    shown = ordered[:MOST_CAPTURES]
    rows = (
        [
            code(entry["capture"]),
            entry["verdict"],
            *(entry["conservation"][name] for name in SUMS),
            *(entry["counts"][name] for name in COUNTS),
        ]
        for entry in shown
    )
    yield from table(["capture", "verdict", *SUMS, *COUNTS[:-1], "unidentified"], rows)
    if len(ordered) > len(shown):
        yield f"and {len(ordered) - len(shown)} captures more.\n\n"


def _details(entry: dict[str, Any]) -> Iterator[str]:
    yield f"## {code(entry['capture'])}: {entry['verdict']}\n\n"
    if "message" in entry:
        yield f"{code(entry['message'])}\n\n"
    groups = by_claim(entry)
    if not groups:
        return
    rows = []
    for claim, findings in list(groups.items())[:MOST_CLAIMS]:
        for finding in findings[:EXAMPLES]:
            first = finding is findings[0]
            rows.append(
                [
                    code(claim) if first else "",
                    how_many(findings) if first else "",
                    code(place_text(finding["where"])),
                    code(value_text(finding["expected"])),
                    code(value_text(finding["found"])),
                ]
            )
    yield from table(["claim", "violated", "for example", "expected", "found"], rows)
    if len(groups) > MOST_CLAIMS:
        yield f"and {len(groups) - MOST_CLAIMS} claims more.\n\n"


def _exercise(report: dict[str, Any]) -> Iterator[str]:
    count, silent = exercised(report)
    if not (count or silent):
        return
    named = ", ".join(code(name) for name in silent[:MOST_NAMES])
    more = f" and {len(silent) - MOST_NAMES} more" if len(silent) > MOST_NAMES else ""
    yield f"{count} claims exercised, {len(silent)} not exercised{': ' if named else ''}{named}{more}.\n"
