"""A fault that the lint finds: where it is, what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ERROR, NOTICE = "error", "notice"


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

    def entry(self) -> dict[str, Any]:
        """Return the fault as the JSON output has it."""
        where = {} if self.place is None else {"claim" if self.of_claim else "pointer": self.place}
        said = {"level": self.level, "code": self.code, "file": self.file}
        return {**said, **where, "message": self.message, "remedy": self.remedy}
