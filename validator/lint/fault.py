"""A fault that the lint finds: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ERROR, NOTICE = "error", "notice"

CODES = frozenset(
    (  # one string: a list of this length would take a screen
        "not-json not-toml schema repeated-member unknown-member evidence-nowhere evidence-twice empty not-a-date "
        "revision-differs failed-evidence beyond-evidence alias-twice format-twice format-unknown no-shape shape-twice "
        "name-twice column-unknown table-unknown derived-too layout-unknown older-than-table no-position "
        "columns-differ line-unknown claim notice no-claim not-shown never-filled source-only "
        "no-captures capture-unread claims-not-read"
    ).split()
)
"""What kinds of faults there are; docs/evidence.md explains them."""


@dataclass(frozen=True)
class Fault:
    """One fault. Its place is a JSON Pointer into the file, or a claim's id in a file of claims."""

    file: str
    """Relative to the descriptor's folder."""
    place: str | None
    code: str
    message: str
    remedy: str
    level: str = ERROR
    of_claim: bool = False
    """Whether the place is a claim's id."""

    def __post_init__(self) -> None:
        """Hold the code against the list, so that none is left unexplained."""
        if self.code not in CODES:
            raise ValueError(f"no such code of the lint: {self.code}")

    def entry(self) -> dict[str, Any]:
        """Return the fault as the JSON output has it."""
        where = {} if self.place is None else {"claim" if self.of_claim else "pointer": self.place}
        said = {"level": self.level, "code": self.code, "file": self.file}
        return {**said, **where, "message": self.message, "remedy": self.remedy}
