"""Runs one converter under its limits and, when it ends or must stop, ends everything it started.

A script of its own, run in a small process between the validator and the converter, for three reasons:
limits can be set after the fork without the risks of doing that inside a program with threads; orphans
of the converter, those in a session of their own too, become children of this process (on Linux) and can
be found; and when the validator itself is killed, its end of standard input closes and the converter
ends with it.

Standard input: one byte, or its end, means "stop now". Standard output and error are the converter's. On
the descriptor named by the second argument: one JSON object a line, `{"started": PID}` or
`{"refused": ERRNO}`, then `{"exit": CODE or null, "signal": NUMBER or null, "peak": BYTES, "left": N}`.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
SET_PARENT_DEATH_SIGNAL = 1
SWEEP_SECONDS = 0.7
"""How long to go on killing what is left; with the caller's own patience it stays under its two seconds."""


def main(order_text: str, status: int) -> None:
    """Runs `{"argv": […], "environment": {…}, "directory": …, "memory": N, "file": N}` to its end.

    Texts are the bytes the system uses, spelled as Latin-1, so that no locale can change them.
    """
    order = json.loads(order_text)
    os.set_inheritable(status, False)
    _prctl(SET_CHILD_SUBREAPER, 1)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    converter, refused = _launch(order)
    _say(status, {"refused": refused} if refused else {"started": converter})
    ended = _wait(converter, woken)
    left, late = _sweep(converter)
    code = os.waitstatus_to_exitcode(late.get(converter, 9) if ended is None else ended)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    outcome = {"exit": code if code >= 0 else None, "signal": -code if code < 0 else None}
    _say(status, outcome | {"peak": peak, "left": left})


def _launch(order: dict[str, Any]) -> tuple[int, int]:
    """Starts the converter; its process id, and the error number of a refusal or 0."""
    told, teller = os.pipe()  # closed by a successful exec
    converter = os.fork()
    if converter == 0:
        try:
            _become(order)
        except OSError as refusal:
            os.write(teller, str(refusal.errno or 0).encode())
        finally:
            os._exit(127)
    os.close(teller)
    with os.fdopen(told, "rb") as answer:
        return converter, int(answer.read() or b"0")


def _become(order: dict[str, Any]) -> None:
    os.setsid()
    _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    # The last three are ignored where the validator itself runs in the background.
    ignored = (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, order["file"])
    os.chdir(_bytes(order["directory"]))
    argv = [_bytes(word) for word in order["argv"]]
    environment = {_bytes(name): _bytes(value) for name, value in order["environment"].items()}
    if order["memory"]:  # last: from here on this process itself has no more than that
        _limit(resource.RLIMIT_AS, order["memory"])
    os.execve(argv[0], argv, environment)


def _limit(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _wait(converter: int, woken: int) -> int | None:
    """The wait status of the converter, or None when the caller said to stop."""
    while True:
        statuses = dict(_reap())
        if converter in statuses:
            return statuses[converter]
        ready, _, _ = select.select([0, woken], [], [])
        if 0 in ready:
            return None
        os.read(woken, 512)


def _sweep(converter: int) -> tuple[int, dict[int, int]]:
    """Kills every descendant (elsewhere than on Linux: the group), until none is left or the time is up.

    How many still ran at the end, and the wait statuses of those that ended meanwhile.
    """
    ended: dict[int, int] = {}
    patience = time.monotonic() + SWEEP_SECONDS
    while True:
        living = _descendants(os.getpid()) if sys.platform == "linux" else [-converter]
        for process in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        ended.update(_reap())
        if not living or time.monotonic() > patience:
            return len(living), ended
        time.sleep(0.002)


def _reap() -> Iterator[tuple[int, int]]:
    """Process id and wait status of each child that has ended."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        yield process, status


def _descendants(ancestor: int) -> list[int]:
    """Every process below this one; orphans are below it too, as it adopts them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # The name, in parentheses, may itself hold spaces and parentheses.
            fields = entry.read_bytes().rpartition(b")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found: list[int] = []
    ahead = children.get(ancestor, [])
    while ahead:
        process = ahead.pop()
        found.append(process)
        ahead.extend(children.get(process, []))
    return found


def _prctl(option: int, value: int) -> None:
    """Asks Linux for a property of this process; elsewhere there is none to ask for."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _say(status: int, report: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(status, json.dumps(report).encode() + b"\n")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
