"""Talks to a program in a pseudo-terminal: waits for its prompt, types lines, and waits until it rests.

A line counts as taken when its words come back as an echo; it is typed again when they do not, because a program
that is still starting throws input away.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from validator.probe.plan import Line

REST = 2.5
"""Seconds without output after which a program rests."""
LINE_SECONDS = 90.0
START_SECONDS = 120.0
CLEAR = b"\x15"
"""The key that empties the input line."""

_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]|\r")
_WHERE = b"\x1b[6n"
"""A program's question where the cursor is."""


class Talk:
    """A program in a terminal of its own."""

    def __init__(self, argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(argv[0], list(argv), dict(environment))
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._output = bytearray()
        self.open = True

    def seen(self, since: int = 0) -> str:
        """Return the output as a person reads it."""
        return _CONTROL.sub(b"", bytes(self._output[since:])).decode("utf-8", "replace")

    def wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Take output until something is the case, or the time is over."""
        deadline = time.monotonic() + seconds
        while self.open and time.monotonic() < deadline:
            if done():
                return True
            self._take(0.2)
        return done()

    def rest(self, done: Callable[[], bool], seconds: float) -> bool:
        """Take output until something is the case and the program rests."""
        quiet = [time.monotonic(), float(len(self._output))]

        def still() -> bool:
            if len(self._output) != quiet[1]:
                quiet[:] = [time.monotonic(), float(len(self._output))]
            return done() and time.monotonic() - quiet[0] >= REST

        return self.wait(still, seconds)

    def type(self, line: Line) -> bool:
        """Type a line and send it off; whether its echo was seen."""
        word = max(re.findall(r"\w+", line.text), key=len)
        for _ in range(3):
            if line.clear:
                # On its own, or the program shows only how the new text differs from the old.
                self._write(CLEAR)
                self.wait(lambda: False, 1)
            before = len(self._output)
            self._write(line.text.encode("utf-8"))
            if self.wait(lambda since=before: word in self.seen(since), 4):  # type: ignore[misc]
                break
        else:
            return False
        self.wait(lambda: False, 0.4)
        self._write(b"\r")
        return True

    def end(self, words: Sequence[str]) -> int | None:
        """Leave the program with its own words, and end it if it stays; returns its exit code."""
        for word in words:
            self._write(word.encode("utf-8"))
            self.wait(lambda: False, 0.5)
            self._write(b"\r")
        self.wait(lambda: not self.open, 20)
        for number in (signal.SIGTERM, signal.SIGKILL):
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                break
            os.kill(self.pid, number)
            time.sleep(1)
        else:
            done, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._terminal, data)

    def _take(self, seconds: float) -> None:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return
        try:
            data = os.read(self._terminal, 2**16)
        except OSError:  # the other end is closed
            data = b""
        if not data:
            self.open = False
            return
        self._output += data
        for _ in range(data.count(_WHERE)):
            self._write(b"\x1b[1;1R")
