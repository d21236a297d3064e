"""Runs an external converter by the protocol and hands on the lines of its standard output while it runs.

A thread drains both pipes at once, at the converter's speed and not the reader's: standard output into a
spool file, which the reader follows and can read again, standard error into a bounded excerpt. The
converter is started, limited and ended by the supervisor (supervisor.py), so the end of a run never
waits for a pipe that some descendant keeps open.
"""

import contextlib
import fcntl
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from validator.converter import Request
from validator.stream import supervisor
from validator.stream.command import absolute_search
from validator.stream.excerpt import Excerpt
from validator.stream.lines import CHUNK, cut
from validator.stream.outcome import Limits, Outcome
from validator.stream.protocol import ProtocolError

PIPE = 1 << 20
"""Bytes that a converter can be ahead of the thread that drains its output; a system may allow fewer."""
STOP_PATIENCE = 1.2
"""Seconds between asking the supervisor to end a run and ending the supervisor."""


def request_arguments(request: Request) -> tuple[str, ...]:
    """The words that follow COMMAND."""
    words = ["--format", request.format, "--source", str(request.source.absolute()), "--snapshot", request.snapshot]
    if request.namespace is not None:
        words += ["--namespace", request.namespace]
    if request.after is not None:
        words += ["--after", request.after]
    return tuple(words)


def start(
    argv: Sequence[str],
    arguments: Sequence[str],
    workdir: Path,
    limits: Limits | None = None,
    names: Mapping[str, str] | None = None,
) -> "Run":
    """Starts COMMAND (`argv`, its first word an absolute path) with the request's `arguments`.

    `workdir` is an existing directory of the caller's; the spool, and during the run the converter's
    private directory, are made in it. `names` says how paths are to be called in the excerpt of standard
    error, as in `{"/tmp/x/state.db": "state.db"}`; the private directory, the caller's and the user's
    home have names already.
    """
    return Run(argv, arguments, workdir, limits or Limits(), names or {})


class Run:
    """A running converter: a context manager whose end is the end of the run; iterate it for the lines."""

    def __init__(
        self,
        argv: Sequence[str],
        arguments: Sequence[str],
        workdir: Path,
        limits: Limits,
        names: Mapping[str, str],
    ) -> None:
        self._limits = limits
        self._private = Path(tempfile.mkdtemp(prefix="converter-", dir=workdir)).absolute()
        descriptor, spool = tempfile.mkstemp(prefix="stream-", suffix=".jsonl", dir=workdir)
        self.spool = Path(spool)
        """The file that holds standard output as it came, up to the limit."""
        self._write_end = descriptor
        self._names = {str(self._private): "<private>", **_known_places(), **names}
        self._excerpt = Excerpt()
        self._size = 0
        self._reports: dict[str, Any] = {}
        self._timed_out = self._output_exceeded = self._cut_short = False
        self._stopping: float | None = None
        self._fault: BaseException | None = None
        self._outcome: Outcome | None = None
        self._changed = threading.Condition()
        self._started = time.monotonic()
        self._supervisor, self._status = self._launch([*argv, *arguments])
        self._pump = threading.Thread(target=self._drain_to_the_end, name="converter", daemon=True)
        self._pump.start()

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        return self.lines()

    def lines(self, offset: int = 0) -> Iterator[bytes]:
        """The lines from a byte offset on, each with its LF, as they come; again as often as wanted.

        After a run that failed, what stands behind the last LF is left out. Raises ProtocolError at
        a line beyond the limit, and at a last line without LF of a run that did not fail; OSError when
        the spool could not be written.
        """
        number, rest = yield from cut(self._chunks(offset), self._limits.line)
        if rest and self.wait().failure is None:
            raise ProtocolError(number + 1, "the last line does not end with a line feed")

    def wait(self) -> Outcome:
        """How the run ended, when it has; waits no longer than its limit allows."""
        with self._changed:
            self._changed.wait_for(lambda: self._outcome is not None)
        assert self._outcome is not None
        return self._outcome

    def close(self) -> None:
        """Ends the run if it goes on, and waits until every process of it is gone; the spool stays."""
        with self._changed:
            if self._outcome is None:
                self._cut_short = True
        self._stop()
        self._pump.join()

    # The reader's side

    def _chunks(self, offset: int) -> Iterator[bytes]:
        with self.spool.open("rb", buffering=0) as spool:
            spool.seek(offset)
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._size > spool.tell() or self._outcome is not None)
                chunk = spool.read(CHUNK)
                if not chunk:
                    if self._fault is not None:
                        raise self._fault
                    return
                yield chunk

    # The side of the converter

    def _launch(self, argv: Sequence[str]) -> tuple["subprocess.Popen[bytes]", int]:
        private = str(self._private)
        environment = {
            "PATH": absolute_search(Path.cwd()),
            "LANG": "C.UTF-8",
            "HOME": private,
            "TMPDIR": private,
        }
        order = {
            "argv": [_latin(word) for word in argv],
            "environment": {name: _latin(value) for name, value in environment.items()},
            "directory": _latin(private),
            "memory": self._limits.memory,
            "file": self._limits.output,
        }
        told, teller = os.pipe()
        script = [sys.executable, "-I", "-S", str(supervisor.__file__), json.dumps(order), str(teller)]
        try:
            process = subprocess.Popen(
                script,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=private,
                env=environment,
                pass_fds=(teller,),
                start_new_session=True,
            )
        except BaseException:
            os.close(told)
            self._tidy()
            raise
        finally:
            os.close(teller)
        if hasattr(fcntl, "F_SETPIPE_SZ") and process.stdout is not None:
            with contextlib.suppress(OSError):
                fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, PIPE)
        return process, told

    def _drain_to_the_end(self) -> None:
        """The thread: until the supervisor has reported the end, then what still lies in the pipes."""
        try:
            self._drain()
        except BaseException as fault:  # it must reach the reader, who would wait for ever
            self._fault = fault
        finally:
            self._finish()

    def _drain(self) -> None:
        assert self._supervisor.stdout is not None and self._supervisor.stderr is not None
        takers: dict[int, Callable[[bytes], None]] = {
            self._supervisor.stdout.fileno(): self._take_output,
            self._supervisor.stderr.fileno(): self._excerpt.feed,
            self._status: self._take_report,
        }
        with selectors.DefaultSelector() as ready:
            for pipe in takers:
                os.set_blocking(pipe, False)
                ready.register(pipe, selectors.EVENT_READ)
            # The end is the supervisor's last report, not the end of a pipe: others may hold a copy.
            while "exit" not in self._reports and self._supervisor.poll() is None:
                for key, _ in ready.select(self._until_next_look()):
                    if data := os.read(key.fd, CHUNK):
                        takers[key.fd](data)
                    else:
                        ready.unregister(key.fd)
        for pipe, take in takers.items():
            self._drain_rest(pipe, take)

    def _until_next_look(self) -> float:
        """Seconds to wait for data at most; ends what has gone on for too long."""
        now = time.monotonic()
        deadline = self._started + self._limits.seconds
        if now >= deadline and self._stopping is None:
            self._timed_out = True
            self._stop()
        if self._stopping is None:
            return min(deadline - now, 0.5)
        if now >= self._stopping + STOP_PATIENCE:
            self._end_by_force()
        return 0.05

    @staticmethod
    def _drain_rest(pipe: int, take: Callable[[bytes], None]) -> None:
        """What lay in a pipe at the end: no more than a pipe holds, in case something still writes."""
        for _ in range(64):
            try:
                data = os.read(pipe, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                return
            take(data)

    def _take_output(self, data: bytes) -> None:
        room = self._limits.output - self._size
        if len(data) > room:
            data = data[:room]
            self._output_exceeded = True
            self._stop()
        written = 0
        while written < len(data):
            written += os.write(self._write_end, data[written:])
        with self._changed:
            self._size += len(data)
            self._changed.notify_all()

    def _take_report(self, data: bytes) -> None:
        for report in data.splitlines():  # each was written at once
            self._reports.update(json.loads(report))

    def _stop(self) -> None:
        with self._changed:
            if self._stopping is None and self._outcome is None:
                self._stopping = time.monotonic()
                assert self._supervisor.stdin is not None
                # A byte, not only the end: a process forked meanwhile may hold a copy of the pipe.
                with contextlib.suppress(OSError):
                    os.write(self._supervisor.stdin.fileno(), b"x")

    def _end_by_force(self) -> None:
        self._supervisor.kill()
        if "started" in self._reports:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._reports["started"], signal.SIGKILL)

    def _finish(self) -> None:
        try:
            self._supervisor.wait(STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            self._end_by_force()
            self._supervisor.wait()
        self._tidy()
        with self._changed:
            for pipe in (self._supervisor.stdin, self._supervisor.stdout, self._supervisor.stderr):
                assert pipe is not None
                pipe.close()
            os.close(self._status)
            self._outcome = self._read_outcome()
            self._changed.notify_all()

    def _tidy(self) -> None:
        os.close(self._write_end)
        shutil.rmtree(self._private, ignore_errors=True)

    def _read_outcome(self) -> Outcome:
        reports, refused = self._reports, self._reports.get("refused")
        known = "exit" in reports and refused is None
        return Outcome(
            exit_code=reports["exit"] if known else None,
            signal=reports["signal"] if known else None if refused else signal.SIGKILL,
            timed_out=self._timed_out,
            output_exceeded=self._output_exceeded,
            cut_short=self._cut_short,
            not_started=os.strerror(refused) if refused else None,
            left=reports.get("left", 0),
            peak_memory=reports.get("peak"),
            output=self._size,
            stderr=self._excerpt.text(self._names),
            seconds=time.monotonic() - self._started,
            limits=self._limits,
        )


def _known_places() -> dict[str, str]:
    """Names for the places that tell about a person or a machine; the root directory is none."""
    # Not Path.home, which raises for a user without a home.
    places = {os.path.expanduser("~"): "~", str(Path.cwd()): "."}  # noqa: PTH111
    return {place: name for place, name in places.items() if len(place) > 1}


def _latin(text: str) -> str:
    """The bytes that the system would use for a text, spelled as Latin-1."""
    return os.fsencode(text).decode("latin-1")
