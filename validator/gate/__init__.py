"""The gate: a check held against a committed baseline, fact by fact; anything that differs fails.

What got worse is a regression. What got better is a stale baseline: it would let the gain be lost again unnoticed.
Hands on a document (schema ``gate``); a baseline is written on request only.
"""

from __future__ import annotations

from validator.gate.baseline import GateError, facts, read, write
from validator.gate.differ import Difference, differences, document

__all__ = ["Difference", "GateError", "differences", "document", "facts", "read", "write"]
