"""Renders what became of the mutants as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

MOST_CAPTURES = 6
"""Captures that one line names; all are counted, and the JSON names all."""


def render(document: dict[str, Any]) -> str:
    """Return ``mutate``'s document as text: a row for each claim, then what went unnoticed, then the sums."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    heads = ["claim", "mutants", "killed", "agent", "driver", "constructed", "noticed also by"]
    yield tabulate([_row(entry) for entry in document["claims"]], headers=heads, disable_numparse=[0, 6])
    for entry in document["claims"]:
        if entry["violated"]:
            yield f"{entry['claim']}: does not hold without any mutant on {some(entry['violated'])}"
    for entry in document["claims"]:
        for mutant in entry["mutants"]:
            if mutant["state"] == "killed" and mutant["silent"]:
                yield f"{entry['claim']}: {mutant['mutant']}: silent on {some(mutant['silent'])}"
    for skipped in document["unusable"]:
        yield f"{skipped['capture']}: not used: {skipped['reason']}"
    for name, what in (("survived", "survived"), ("not_applied", "changed nothing anywhere")):
        for item in document[name]:
            yield f"{what}: {item['claim']}: {item['mutant']}"
    yield (
        f"{document['killed']} of {document['mutants']} mutants killed, {len(document['survived'])} survived, "
        f"{len(document['not_applied'])} not applied, on {document['captures']} captures"
    )


def _row(entry: dict[str, Any]) -> list[Any]:
    own = entry["claim"]
    others = sorted({name for mutant in entry["mutants"] for name in mutant["killed_by"]} - {own})
    killed = sum(mutant["state"] == "killed" for mutant in entry["mutants"])
    makers = (len(entry["exercised"][maker]) for maker in ("agent", "driver", "constructed"))
    return [own, len(entry["mutants"]), killed, *makers, ", ".join(others)]


def some(captures: list[str]) -> str:
    """Name the first captures of a list, and count the others."""
    more = len(captures) - MOST_CAPTURES
    return ", ".join(captures[:MOST_CAPTURES]) + (f" and {more} more" if more > 0 else "")
