"""Work on a large store in processes of its own: the built-in converter and the census run side by side.

The census writes the native tables into a workbench of its own, which is then attached; by its tables' names nothing
tells the two apart.
"""

from __future__ import annotations

import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

from validator.census import Store, StoreError
from validator.census.request import Request
from validator.descriptor import Descriptor
from validator.replay.converters import External
from validator.replay.runs import Run
from validator.stream.command import Command
from validator.stream.outcome import Limits

_PACKAGE = str(Path(__file__).resolve().parent.parent.parent)
_RUN = "import sys, runpy; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module(sys.argv.pop(1), run_name='__main__')"
_FOREVER = 10**9


def _module(name: str) -> tuple[str, ...]:
    """Return the words that run a module of this package in a new process, wherever the package is."""
    return sys.executable, "-c", _RUN, _PACKAGE, name


def built_in_apart() -> External:
    """Return the built-in converter as a command; its time and memory are not limited."""
    return External(Command("built-in", _module("validator.converter")), Limits(seconds=_FOREVER, memory=None))


class CensusApart:
    """A census that runs in a process of its own until it is attached."""

    def __init__(self, run: Run, store: Store, path: Path, descriptor: Descriptor, folder: Path) -> None:
        self._run = run
        self._bench = folder / "native.db"
        assert run.source_number is not None
        shapes = tuple(descriptor.shapes)
        request = Request(run.shape, shapes, path, self._bench, run.number, run.source_number, store.log)
        self._process = subprocess.Popen(
            _module("validator.census"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(pickle.dumps(request))
        self._process.stdin.close()
        self._process.stdin = None

    def attach(self, bench: sqlite3.Connection) -> None:
        """Wait for the census and attach its workbench; raises ``StoreError`` where it failed."""
        _, log = self._process.communicate()
        if self._process.returncode:
            lines = log.decode("utf-8", "replace").strip().splitlines() or ["it ended without a word"]
            raise StoreError(f"the census failed: {lines[-1]}")
        bench.execute("ATTACH ? AS native", (str(self._bench),))

    def close(self) -> None:
        """End the census, whatever it does."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
