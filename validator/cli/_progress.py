"""Progress on a terminal, for work that takes longer than a second: how far it is, how fast, how long still."""

from __future__ import annotations

import sys
import time

AFTER = 1.0
"""Seconds before anything is shown."""

EVERY = 0.2
"""Seconds between two looks."""


class Progress:
    """Counts captures and record lines, and shows them on standard error if that is a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._started = time.monotonic()
        self._last = self._started
        self._width = 0
        self._captures = self._total = self._lines = 0

    def captures(self, done: int, total: int) -> None:
        """So many captures are done."""
        self._captures, self._total = done, total
        self._show()

    def lines(self, count: int) -> None:
        """So many lines more were read."""
        self._lines += count
        self._show()

    def _show(self) -> None:
        now = time.monotonic()
        if not self._shown or now - self._started < AFTER or now - self._last < EVERY:
            return
        self._last = now
        taken = now - self._started
        text = f"{self._captures} of {self._total} captures, {self._lines:,} records"
        text += f", {self._lines / taken:,.0f} a second"
        if self._captures:
            text += f", {taken / self._captures * (self._total - self._captures):.0f} s left"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Wipe what was shown."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
