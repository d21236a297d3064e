"""Runs a function in a child process with limits, so that hostile input can cost no more than that child.

The child gets no input but its memory as it was, and hands back one JSON document.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any

SECONDS = 600.0
CPU_SECONDS = 120
MEMORY = 6 * 2**30
"""Bytes of address space."""
MOST_OUTPUT = 64 * 2**20


class ChildError(Exception):
    """The child did not finish: it crashed, or went beyond a limit."""


def in_child(function: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """Return what a function returns, a JSON document; raises ``ChildError``."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run(function, writer)
    os.close(writer)
    try:
        output = _drain(reader, time.monotonic() + seconds)
    except ChildError:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(reader)
        _, status = os.waitpid(child, 0)
    if status != 0 or not output:
        raise ChildError("it could not be read within the limits on time and memory")
    return json.loads(output)


def _run(function: Callable[[], Any], writer: int) -> None:
    """Be the child: it leaves without any clean-up of its parent's."""
    code = 1
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Whatever the child says besides its document is nobody's business.
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        data = json.dumps(function()).encode("ascii")
        view = memoryview(data)
        while view:
            view = view[os.write(writer, view) :]
        code = 0
    except BaseException:
        code = 1
    finally:
        os._exit(code)


def _drain(reader: int, deadline: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            raise ChildError("it took too long")
        piece = os.read(reader, 2**16)
        if not piece:
            return b"".join(pieces)
        size += len(piece)
        if size > MOST_OUTPUT:
            raise ChildError("it gives too much")
        pieces.append(piece)
