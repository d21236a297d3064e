"""Says what a run of an external converter may take and how it ended: data for verdict and report."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one run may take."""

    seconds: float = 60.0
    """Wall-clock time, from start to the end of the command."""
    memory: int | None = 2 << 30
    """Bytes of address space of each process; None: no limit."""
    output: int = 4 << 30
    """Bytes of standard output, and of any one file that the converter writes."""
    line: int = 256 << 20
    """Bytes of one line, its line feed included."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    exit_code: int | None
    """None when it was ended by a signal or never started."""
    signal: int | None
    timed_out: bool
    output_exceeded: bool
    cut_short: bool
    """The reader wanted no more lines and the run was ended for it."""
    not_started: str | None
    """Why the system refused to start the command."""
    left: int
    """Processes that could not be ended in time."""
    peak_memory: int | None
    """Resident bytes of the largest of its processes that have ended; None: not known."""
    output: int
    """Bytes of standard output that were kept."""
    stderr: str
    """Beginning and end of standard error, harmless; it never decides anything."""
    seconds: float
    """Wall-clock time; not for reports, which hold no duration."""
    limits: Limits

    @property
    def failure(self) -> str | None:
        """What went wrong, as the predicate of a sentence about the converter; None after an exit with 0."""
        if self.not_started is not None:
            return f"could not be started: {self.not_started}"
        if self.timed_out:
            return f"was ended after its limit of {self.limits.seconds:g} seconds"
        if self.output_exceeded:
            return f"was ended at its limit of {self.limits.output} bytes of output"
        if self.cut_short:
            return "was ended because its output was not the record stream"
        if self.signal is not None:
            return f"was ended by signal {_signal_name(self.signal)}{self._memory_hint()}"
        if self.exit_code != 0:
            return f"exited with status {self.exit_code}{self._memory_hint()}"
        return None

    def _memory_hint(self) -> str:
        """Which process failed for want of memory is not recorded anywhere; a peak near the limit tells."""
        if not self.limits.memory or not self.peak_memory or self.peak_memory < 0.75 * self.limits.memory:
            return ""
        return f", having used {self.peak_memory >> 20} of the {self.limits.memory >> 20} MiB that it may"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
