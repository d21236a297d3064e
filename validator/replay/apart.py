"""Work on a large store in processes of its own: the built-in converter, and the native side with all it can tell.

The census writes the native tables into a workbench of its own, which is then attached; by its tables' names nothing
tells the two apart. What is asked about native tables only is answered there too, while records are still read.
"""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from validator.capture import CaptureError
from validator.census import StoreError
from validator.claims.native import TAKEN, WRONG
from validator.claims.native import Request as NativeRequest
from validator.converter import Request
from validator.descriptor import DescriptorError
from validator.replay.converters import ConverterFailed
from validator.stream.lines import CHUNK, cut
from validator.stream.process import request_arguments

PAUSE = 0.005
"""Seconds between two looks for more lines."""

_PACKAGE = str(Path(__file__).resolve().parent.parent.parent)
_RUN = """
import os, runpy, sys, threading
threading.Thread(target=lambda: os.read(0, 1) or os._exit(9), daemon=True).start()
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__")
"""
"""Runs a module of this package, wherever that is, and ends with whoever began it, since standard input then ends."""


def _begun(name: str, *words: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Run a module of this package in a new process, which lasts no longer than this one."""
    return subprocess.Popen([sys.executable, "-c", _RUN, _PACKAGE, name, *words], stdin=subprocess.PIPE, **streams)


def _close(process: subprocess.Popen[bytes]) -> None:
    """End a process, whatever it does."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


class BuiltInApart:
    """The built-in converter in a process of its own, which writes its lines straight into the file that keeps them."""

    def lines(self, request: Request, folder: Path) -> LinesApart:
        """Start it."""
        return LinesApart(request, folder)


class LinesApart:
    """The lines of the built-in converter as they come."""

    def __init__(self, request: Request, folder: Path) -> None:
        self.spool = folder / "stream.jsonl"
        """The file that keeps the lines."""
        self._log = folder / "converter.log"
        with self.spool.open("wb") as out, self._log.open("wb") as log:
            environment = {**os.environ, "TMPDIR": str(folder.absolute())}
            words = request_arguments(request)
            self._process = _begun("validator.converter", *words, stdout=out, stderr=log, env=environment)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines; raises ``ConverterFailed`` behind the last where it did not end well."""
        _, rest = yield from cut(self._pieces(), sys.maxsize)
        if self._process.wait():
            reason = self._log.read_text("utf-8", "replace").strip().splitlines() or ["it ended without a word"]
            raise ConverterFailed(reason[-1])
        if rest:
            yield rest

    def _pieces(self) -> Iterator[bytes]:
        with self.spool.open("rb", buffering=0) as kept:
            while True:
                ended = self.ended
                piece = kept.read(CHUNK)
                if piece:
                    yield piece
                elif ended:
                    return
                else:
                    time.sleep(PAUSE)

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it, whatever it does."""
        _close(self._process)


class NativeApart:
    """The native side of a large store: what is done in a process of its own, until it is attached."""

    def __init__(self, request: NativeRequest) -> None:
        self._workbench, self._noted = request.workbench, request.noted
        asked = request.workbench.with_name("request.pickle")
        asked.write_bytes(pickle.dumps(request))
        self.process = _begun("validator.claims.native", str(asked), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def attach(self, bench: sqlite3.Connection) -> None:
        """Wait until the census is taken, and attach its workbench; raises ``StoreError`` where it failed."""
        assert self.process.stdout is not None
        taken = self.process.stdout.readline() == TAKEN
        bench.execute("ATTACH ? AS native", (str(self._workbench),))
        if not taken:
            self._end()

    def answers(self, bench: sqlite3.Connection) -> dict[str, int]:
        """Write down what was noticed, and return how many subjects each claim has, as far as it told.

        Raises ``DescriptorError`` where a query failed, and ``CaptureError`` where it did not come so far.
        """
        try:
            subjects: dict[str, int] = json.loads(self._end())
        except StoreError as error:
            raise CaptureError(str(error)) from None
        bench.execute("ATTACH ? AS noted", (str(self._noted),))
        bench.execute("INSERT INTO native.native_notice SELECT * FROM noted.notice ORDER BY rowid")
        bench.execute("DETACH noted")
        return subjects

    def _end(self) -> bytes:
        """Wait for its end, and return the rest of what it wrote."""
        assert self.process.stdout is not None and self.process.stderr is not None
        told, log = self.process.stdout.read(), self.process.stderr.read()
        if self.process.wait() == 0:
            return told
        lines = log.decode("utf-8", "replace").strip().splitlines() or ["it ended without a word"]
        if self.process.returncode == WRONG:
            raise DescriptorError("\n".join(lines))
        raise StoreError(f"the census failed: {lines[-1]}")

    def close(self) -> None:
        """End it, whatever it does."""
        _close(self.process)
