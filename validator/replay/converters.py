"""The converters that a replay can run: the built-in one, a command, or a Python entry point.

Each gives the lines of a record stream for a request. What goes wrong with it is ``ConverterFailed``, never a finding.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from validator.converter import ConversionError, Request
from validator.converter import convert as convert_built_in
from validator.stream.command import Command
from validator.stream.outcome import Limits

if TYPE_CHECKING:
    from validator.stream.process import Run


class ConverterFailed(Exception):
    """A converter crashed or exceeded a limit."""


class Lines(Protocol):
    """The lines of one run; a generator of lines is one."""

    def __iter__(self) -> Iterator[bytes]:
        """Go through the LF-ended lines; raises ``ConverterFailed``, and ``ProtocolError`` for what is no line."""

    def close(self) -> str | None:
        """End the run; returns its log, if it has one."""


class Converter(Protocol):
    """Gives the lines of a record stream for a request; ``folder`` is private to the run."""

    def lines(self, request: Request, folder: Path) -> Lines:
        """Start a run."""


class BuiltIn:
    """The converter that ships, in this process."""

    def lines(self, request: Request, folder: Path) -> Generator[bytes, None, None]:
        """Yield the lines of the built-in converter."""
        try:
            yield from convert_built_in(request)
        except ConversionError as error:
            raise ConverterFailed(str(error)) from None


class External:
    """A command in any language, under limits, in an empty private directory."""

    def __init__(self, command: Command, limits: Limits) -> None:
        self.command, self.limits = command, limits

    def lines(self, request: Request, folder: Path) -> Lines:
        """Start the command."""
        from validator.stream.process import request_arguments, start

        names = {str(request.source.absolute()): request.source.name, str(folder.absolute()): "<run>"}
        return CommandLines(start(self.command.argv, request_arguments(request), folder, self.limits, names))


class CommandLines:
    """The lines of a command as they come; their end is the end of its run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.spool = run.spool
        """The file that keeps the lines."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines; raises ``ConverterFailed`` behind the last where the command did not end well."""
        yield from self._run.lines()
        failure = self._run.wait().failure
        if failure is not None:
            raise ConverterFailed(f"it {failure}")

    def close(self) -> str | None:
        """End the command, whatever it does; returns what it wrote to standard error, bounded and harmless."""
        self._run.close()
        return self._run.wait().stderr or None


def choose(text: str | None, seconds: float, memory: int, directory: Path | None = None) -> Converter:
    """Return the converter that ``--converter`` names; without it, the built-in one.

    ``seconds`` is the wall-clock limit of a run, ``memory`` its limit in bytes; relative paths in the command start in
    ``directory``, or in the current one. Raises ``CommandError``.
    """
    if text is None:
        return BuiltIn()
    from validator.stream.command import read_command

    return External(read_command(text, directory), Limits(seconds=seconds, memory=memory))
