"""Writes the page of a descriptor, in Markdown: what it says, on what evidence, and what was observed.

The sentences are the statements of the claims, so that prose and checks cannot drift. Which claim stands where is data
(``page.json`` beside the descriptor); a claim that it does not name stands where its section usually does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from validator import claims as claims_station
from validator.claims import Claim
from validator.descriptor import Descriptor, checked
from validator.evidence.markdown import cell, code, fenced, prose
from validator.evidence.scope import patterns
from validator.observation import COUNTS

PAGE = "README.md"
PARTS = "page.json"

SECTIONS = ("identity", "positions", "destinations", "native", "links", "usage", "unassigned", "losses")

HEADINGS = {
    "identity": "Identity",
    "positions": "Position basis",
    "destinations": "Destinations",
    "native": "{alias}: native facts without a standard field",
    "links": "Links",
    "usage": "Usage",
    "unassigned": "Lane and unassigned facts",
    "losses": "Losses",
}

USUAL = {
    "identity": "identity",
    "context": "identity",
    "position": "positions",
    "destinations": "native",
    "links": "links",
    "entity": "links",
    "usage": "usage",
    "unassigned": "unassigned",
}
"""Where the claims of a section usually stand; those of any other among the destinations."""


@dataclass
class Part:
    """Claims under one title."""

    section: str
    title: str
    claims: list[Claim] = field(default_factory=list)


def page(descriptor: Descriptor) -> str:
    """Return the page of a descriptor."""
    parts = _parts(descriptor)
    blocks = list(_head(descriptor))
    for section in SECTIONS:
        blocks.append(f"## {prose(HEADINGS[section].format(alias=_short(descriptor)))}")
        blocks.extend(_FACTS[section](descriptor) if section in _FACTS else ())
        blocks.extend(_part(part) for part in parts if part.section == section)
    blocks.extend(_evidence(descriptor))
    text = (descriptor.folder / "descriptor.json").read_text(encoding="utf-8")
    blocks.extend(("## The descriptor", fenced(text, "json")))
    return "\n\n".join(blocks) + "\n"


def _short(descriptor: Descriptor) -> str:
    return descriptor.aliases[0] if descriptor.aliases else descriptor.name


def _parts(descriptor: Descriptor) -> list[Part]:
    """Put each claim into the first part that names it, or into the usual one."""
    path = descriptor.folder / PARTS
    listed = checked(path, "page")["parts"] if path.is_file() else []
    parts = [Part(item["section"], item["title"]) for item in listed]
    left = {claim.id: claim for claim in claims_station.load(descriptor)}
    for part, item in zip(parts, listed, strict=True):
        for pattern in item["claims"]:
            for name in [name for name in left if fnmatchcase(name, pattern)]:
                part.claims.append(left.pop(name))
    for name, claim in left.items():
        section = name.partition(".")[0]
        title = section.replace("-", " ").capitalize()
        usual = USUAL.get(section, "destinations")
        same = [part for part in parts if (part.section, part.title) == (usual, title)]
        if not same:
            parts.append(Part(usual, title))
        (same or parts)[-1].claims.append(claim)
    return [part for part in parts if part.claims]


def _part(part: Part) -> str:
    lines = [f"- **{prose(part.title)}**"]
    for claim in part.claims:
        lines.append(f"  - {prose(claim.statement)} ({code(claim.id)}{_cites(claim.evidence)})")
    return "\n".join(lines)


def _cites(evidence: Sequence[int]) -> str:
    return f"; evidence {ranges(evidence)}" if evidence else ""


def ranges(numbers: Sequence[int]) -> str:
    """Return numbers sorted, three or more in a row as a range: ``0, 2–14``."""
    rows: list[list[int]] = []
    for number in sorted(set(numbers)):
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return ", ".join(f"{row[0]}–{row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows)


def _head(descriptor: Descriptor) -> Iterator[str]:
    yield f"# {prose(_short(descriptor))}"
    yield (
        f"The sessions of {code(descriptor.name)}: what its native formats hold, and what may be claimed of it. "
        "This page is written by `validator evidence page` from the descriptor and from the statements of its claims, "
        "which `validator check` decides on every capture; after each statement stand the claim's id and the numbers "
        "of the evidence that it rests on."
    )


def _identity(descriptor: Descriptor) -> Iterator[str]:
    aliases = ", ".join(code(alias) for alias in descriptor.aliases) or "none"
    lines = [f"- Name: {code(descriptor.name)}; short aliases: {aliases}."]
    for entry in descriptor.document["formats"]:
        shape = next((shape for shape in descriptor.shapes if shape.format == entry["id"]), None)
        files = ", ".join(code(pattern) for pattern in patterns(shape)) if shape else "no native shape"
        lines.append(f"- Native format: {code(entry['id'])} ({files}){_cites(entry['evidence'])}.")
    lines.append(f"- Namespace: {prose(descriptor.document['namespace']['rule'])}.")
    yield "\n".join(lines)


def _positions(descriptor: Descriptor) -> Iterator[str]:
    rows = ["| family | basis | boundary |", "|---|---|---|"]
    for entry in descriptor.document["positions"]:
        rows.append("| " + " | ".join(cell(entry[name]) for name in ("family", "basis", "boundary")) + " |")
    yield "\n".join(rows)


def _destinations(descriptor: Descriptor) -> Iterator[str]:
    lines = [
        f"- {prose(entry['native'])}: to {prose(entry['destination'])}, for {prose(entry['scope'])}"
        f"{_cites(entry['evidence'])}."
        for entry in descriptor.document["mappings"]
    ]
    if lines:
        yield "\n".join(lines)


def _native(descriptor: Descriptor) -> Iterator[str]:
    lines = []
    for name, entry in descriptor.document["destinations"].items():
        kind = entry["schema"].get("type") if isinstance(entry["schema"], dict) else None
        admitted = f"of type {code(str(kind))}" if kind else "of any type"
        lines.append(f"- {code(f'{_short(descriptor)}.{name}')}: JSON {admitted}{_cites(entry['evidence'])}.")
    if lines:
        yield "\n".join(lines)


def _losses(descriptor: Descriptor) -> Iterator[str]:
    lines = []
    for shape in descriptor.shapes:
        for table in shape.tables:
            if table.kind == "context":
                lines.append(f"- Not converted: {code(table.name)}, {prose(table.reason or 'without a reason')}.")
        for pattern, reason in shape.derived:
            lines.append(f"- Not converted: {code(pattern)}, {prose(reason)}.")
        documented = [table.name for table in shape.tables if not isinstance(table.since, int)]
        if documented:
            names = ", ".join(code(name) for name in documented)
            lines.append(f"- Known from the producer's source only, and in no capture: {names}.")
        for kind in shape.kinds:
            if kind.alone is not None:
                names = ", ".join(code(pattern) for pattern in kind.patterns)
                lines.append(f"- Not converted where it is alone: {names}, {prose(kind.alone)}.")
    for rule in descriptor.file_rules:
        if rule.status == "excluded":
            lines.append(f"- Excluded file: {code(rule.pattern)}, {prose(rule.reason)}.")
    if lines:
        yield "\n".join(lines)


_FACTS = {
    "identity": _identity,
    "positions": _positions,
    "destinations": _destinations,
    "native": _native,
    "losses": _losses,
}
"""What a section says before its claims, from the descriptor itself."""


def _evidence(descriptor: Descriptor) -> Iterator[str]:
    items = list(enumerate(descriptor.document["evidence"]))
    yield "## Evidence"
    lines = []
    for index, item in items:
        what = item.get("version") or item.get("revision")
        rest = f"observed {item['date']}" if item["label"] == "observed" else prose(item["scope"])
        lines.append(f"- {index}: {code(item['label'])}, {code(what)}: {rest}")
    yield "\n".join(lines) or "None."
    observed = [(index, item) for index, item in items if item["label"] == "observed"]
    for date in sorted({item["date"] for _, item in observed}):
        yield f"## Observations from {prose(date)}"
        yield from _observations([(index, item) for index, item in observed if item["date"] == date])


def _observations(items: list[tuple[int, dict[str, Any]]]) -> Iterator[str]:
    heads = ["evidence", "version", *COUNTS[:-1], "unidentified sources"]
    rows = ["| " + " | ".join(heads) + " |", "|---" * 2 + "|---:" * len(COUNTS) + "|"]
    for index, item in items:
        counts = " | ".join(str(item["validation"][name]) for name in COUNTS)
        rows.append(f"| {index} | {cell(item['version'].partition('; source ')[0])} | {counts} |")
    yield "\n".join(rows)
    for index, item in items:
        yield "\n".join(
            [
                f"- **Evidence {index}**: {code(item['version'])}",
                f"  - Scope: {prose(item['scope'])}",
                f"  - Limitations: {prose(item['limitations'])}",
                f"  - Made with {code(item['validator'])} and {code(item['converter'])}"
                f" on revision {code(item['revision'])}.",
            ]
        )


def stands(descriptor: Descriptor, text: str) -> bool:
    """Whether the page beside a descriptor is this one, to the byte."""
    path = descriptor.folder / PAGE
    return path.is_file() and path.read_bytes() == text.encode("utf-8")
