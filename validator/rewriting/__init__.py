"""Rewriting captures: the same capture with its text replaced, or with no more units than a finding needs.

``redact`` and ``minimize`` each make a new capture from one that exists; the old one is never touched.
"""

from __future__ import annotations

from validator.rewriting.minimize import Minimized, minimize
from validator.rewriting.redact import redact

__all__ = ["Minimized", "minimize", "redact"]
