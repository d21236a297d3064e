"""Renders the claim catalogue, and one claim in full, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

from validator.report.findings import redacted
from validator.report.mutants import some
from validator.report.table import found_text

WIDTH = 100

ENFORCED = {True: "yes", False: "no", None: "not tried"}


def render_claims(document: dict[str, Any]) -> str:
    """Return the catalogue as a table, one row for each claim."""
    heads = ["claim", "level", "enforced", "agent", "driver", "constructed", "mutants", "killed"]
    rows = [
        [
            entry["claim"],
            entry["level"],
            ENFORCED[entry["enforced"]],
            len(entry["captures"]),
            len(entry["driver"]),
            entry["constructed"],
            len(entry["mutants"]),
            "not run" if entry["killed"] is None else entry["killed"],
        ]
        for entry in document["claims"]
    ]
    enforced = sum(entry["enforced"] is True for entry in document["claims"])
    idle = [
        entry["claim"]
        for entry in document["claims"]
        if not (entry["captures"] or entry["driver"] or entry["constructed"])
    ]
    lines = [tabulate(rows, headers=heads, disable_numparse=[0, 1, 2])]
    if idle:
        lines.append(f"not exercised: {', '.join(idle)}")
    lines.append(f"{enforced} of {len(rows)} claims enforced; agent, driver, constructed: captures that hold a subject")
    return "\n".join(lines) + "\n"


def render_explanation(entry: dict[str, Any]) -> str:
    """Return one claim in full."""
    return "\n".join(_explained(entry)) + "\n"


def _explained(entry: dict[str, Any]) -> Iterator[str]:
    yield f"{entry['claim']}  ({entry['level']}; {entry['file']})"
    yield ""
    yield textwrap.fill(entry["statement"], WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield ""
    if entry["source"]:
        yield f"From: {entry['source']}"
    for item in entry["evidence"]:
        known = (str(item[name]) for name in ("label", "version", "revision", "scope") if name in item)
        yield f"Evidence {item['index']}: {', '.join(known)}"
    yield f"Formats: {', '.join(entry['formats'])}"
    if entry["note"]:
        yield textwrap.fill(f"Note: {' '.join(entry['note'].split())}", WIDTH, subsequent_indent="  ")
    yield f"Enforced: {ENFORCED[entry['enforced']]}"
    for maker, captures in entry["exercised"].items():
        yield f"Exercised by {maker} captures: " + (some(captures) if captures else "none")
    yield from ("", "What it applies to:", textwrap.indent(entry["subjects"], "    "))
    yield from ("", "What violates it:", textwrap.indent(entry["violations"], "    "))
    yield from ("", "Mutants:")
    for mutant in entry["mutants"]:
        yield f"  {mutant['mutant']}: {mutant['state']}"
        for statement in mutant.get("sql", ()):
            yield textwrap.indent(textwrap.dedent(statement), "    ")
        if "lines" in mutant:
            told = ", ".join(f"{name} = {value!r}" for name, value in mutant["where"].items())
            yield f"    the edit {mutant['lines']} of the lines" + (f" where {told}" if told else "")
    yield from ("", *_example(entry["example"]))
    if entry["remedy"]:
        remedy = " ".join(entry["remedy"].split())
        yield from ("", textwrap.fill(f"What to do: {remedy}", WIDTH, subsequent_indent="  "))


def _example(example: dict[str, Any] | None) -> Iterator[str]:
    if example is None:
        yield "No example: no capture at hand holds a subject on which a mutant is noticed."
        return
    yield f"An example, made by the mutant {redacted(example['mutant'])!r} on the capture {example['capture']}:"
    yield f"  {found_text(example)}"
