"""The converters that a replay can run: the built-in one, a command, or a Python entry point.

Each gives the lines of a record stream for a request. What goes wrong with it is ``ConverterFailed``, never a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from validator.converter import ConversionError, Request
from validator.converter import convert as convert_built_in
from validator.stream.command import Command
from validator.stream.outcome import Limits


class ConverterFailed(Exception):
    """A converter crashed or exceeded a limit; ``stderr`` is what it wrote there, bounded and harmless."""

    def __init__(self, message: str, stderr: str | None = None) -> None:
        super().__init__(message)
        self.stderr = stderr


class Converter(Protocol):
    """Gives the lines of a record stream for a request; ``folder`` is private to the run."""

    def lines(self, request: Request, folder: Path) -> Iterator[bytes]:
        """Yield LF-ended lines; raises ``ConverterFailed``, and ``ProtocolError`` for what is no line."""


class BuiltIn:
    """The converter that ships, in this process."""

    def lines(self, request: Request, folder: Path) -> Iterator[bytes]:
        """Yield the lines of the built-in converter."""
        try:
            yield from convert_built_in(request)
        except ConversionError as error:
            raise ConverterFailed(str(error)) from None


class External:
    """A command in any language, under limits, in an empty private directory."""

    def __init__(self, command: Command, limits: Limits) -> None:
        self.command, self.limits = command, limits

    def lines(self, request: Request, folder: Path) -> Iterator[bytes]:
        """Run the command and yield its lines as they come."""
        from validator.stream.process import request_arguments, start

        source = request.source.absolute()
        arguments = request_arguments(request.format, source, request.snapshot, request.namespace, request.after)
        names = {str(source): request.source.name, str(folder.absolute()): "<run>"}
        with start(self.command.argv, arguments, folder, self.limits, names) as run:
            yield from run
            outcome = run.wait()
        if outcome.failure is not None:
            raise ConverterFailed(f"it {outcome.failure}", outcome.stderr or None)


def choose(text: str | None, seconds: float, memory: int) -> Converter:
    """Return the converter that ``--converter`` names; without it, the built-in one.

    ``seconds`` is the wall-clock limit of a run, ``memory`` its limit in bytes. Raises ``CommandError``.
    """
    if text is None:
        return BuiltIn()
    from validator.stream.command import read_command

    return External(read_command(text), Limits(seconds=seconds, memory=memory))
