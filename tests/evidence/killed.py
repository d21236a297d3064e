"""Adds evidence in a process that is killed, at a point that the caller counts, with SIGKILL.

``python -m tests.evidence.killed FOLDER ITEM…`` forks a child for each point of a run of ``evidence add``: before each
line of the writer is executed, and in the middle of each write. For each it prints what the descriptor holds after the
child is dead: ``old``, ``new``, or what is wrong. Ends when a child was not killed, because it had no such point.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from validator.evidence import file as writer
from validator.evidence.add import add

POINTS = ("line", "write")


def main(folder: Path, items: list[str]) -> None:
    """Kill a run at each of its points, one after another."""
    old = (folder / "descriptor.json").read_bytes()
    new = _changed(folder, items)
    for kind in POINTS:
        number = 0
        while True:
            number += 1
            with tempfile.TemporaryDirectory() as place:
                copy = Path(place) / "descriptor"
                shutil.copytree(folder, copy)
                killed = _killed(copy, items, kind, number)
                print(kind, number, "killed" if killed else "ended", _holds(copy, old, new), _again(copy, items, new))
            if not killed:
                break


def _changed(folder: Path, items: list[str]) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "descriptor"
        shutil.copytree(folder, copy)
        add(str(copy), items)
        return (copy / "descriptor.json").read_bytes()


def _killed(folder: Path, items: list[str], kind: str, number: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            (_before_line if kind == "line" else _within_write)(number)
            add(str(folder), items)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _counter(number: int) -> Callable[[], bool]:
    rest = [number]

    def due() -> bool:
        rest[0] -= 1
        return rest[0] == 0

    return due


def _before_line(number: int) -> None:
    due = _counter(number)

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != writer.__file__:
            return None
        if event == "line" and due():
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def _within_write(number: int) -> None:
    """Kill after half of the bytes of one write."""
    due, write = _counter(number), os.write

    def half(handle: int, data: Any) -> int:
        if due():
            write(handle, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(handle, data)

    os.write = half


def _holds(folder: Path, old: bytes, new: bytes) -> str:
    data = (folder / "descriptor.json").read_bytes()
    return "old" if data == old else "new" if data == new else f"neither: {len(data)} bytes"


def _again(folder: Path, items: list[str], new: bytes) -> str:
    """Whether the next run does what the killed one should have done, and clears up after it."""
    add(str(folder), items)
    whole = (folder / "descriptor.json").read_bytes() == new
    return "recovers" if whole and not list(folder.glob(".*.new")) else "stays broken"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
