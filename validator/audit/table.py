"""Renders an audit for a terminal: the drift, what could not be read, and the sums."""

from __future__ import annotations

from tabulate import tabulate

from validator.audit import Audit
from validator.report.findings import redacted


def render(found: Audit) -> str:
    """Return the audit as text."""
    layout = next((layout.version for _, layout in found.target.layouts), None)
    version = f" {found.target.package or ''} {found.target.version or ''}".rstrip() if found.target.version else ""
    named = "" if found.target.name.endswith(f"=={found.target.version}") else version
    lines = [f"{redacted(found.target.name)}{redacted(named)}, layout {layout or 'unknown'}, against {found.against}"]
    if found.drift:
        rows = [
            [drift.level, drift.kind, drift.change, redacted(drift.name), redacted(drift.detail), _claims(drift.claims)]
            for drift in found.drift
        ]
        heads = ["class", "kind", "change", "name", "detail", "claims touched"]
        lines += ["", tabulate(rows, headers=heads, disable_numparse=True, maxcolwidths=[None, None, None, 40, 60, 50])]
    if found.unread:
        lines += ["", "not evaluated:", *(f"  {redacted(line)}" for line in found.unread)]
    counts = [f"{sum(d.level == level for d in found.drift)} {level}" for level in ("breaking", "semantic", "additive")]
    lines += ["", f"drift: {', '.join(counts)}" if found.drift else "nothing new"]
    return "\n".join(lines) + "\n"


def _claims(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else "-"
