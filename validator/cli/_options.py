"""Options that several verbs share, and how the faults of a run become messages and exit codes."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from validator.replay import Options

WRONG_USAGE = 2

LONGEST = 4000
"""Characters of a message."""


_CONVERTER_OPTIONS = (
    click.option("--converter", metavar="COMMAND", help="The converter to judge."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="How long one run of a converter may take.",
    ),
    click.option(
        "--memory",
        type=click.IntRange(min=16),
        default=2048,
        show_default=True,
        metavar="MIB",
        help="How much memory each process of a converter may use.",
    ),
    click.option("--twice", is_flag=True, help="Run the converter twice: the bytes must be the same."),
    click.option("--resume", is_flag=True, help="Run it from positions on: exactly the rest must come."),
)

_BENCH_OPTIONS = (
    click.option("--descriptor", metavar="NAME", help="Producer name, alias or path of the descriptor."),
    click.option(
        "--namespace",
        multiple=True,
        metavar="[SOURCE=]VALUE",
        help="The installation's namespace, for a store that holds none; repeatable, one for each SOURCE.",
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="FORMAT",
        help="Replay sources of this format only, for a converter that knows no other; repeatable.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["auto", "rust", "python"]),
        default="auto",
        show_default=True,
        help="Schema engine for the lines.",
    ),
)

Command = Callable[..., Any]


def replay_options(function: Command) -> Command:
    """Add the options of every verb that judges a converter; it takes them as ``options`` (see ``bench_options``)."""
    return _gathered(function, (*_BENCH_OPTIONS, *_CONVERTER_OPTIONS))


def bench_options(function: Command) -> Command:
    """Add the options of every verb that replays captures with the built-in converter.

    The verb's function takes ``descriptor``, and ``options``: a function without arguments that returns how to replay,
    or raises the errors of wrong usage.
    """
    return _gathered(function, _BENCH_OPTIONS)


def _gathered(function: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    @functools.wraps(function)
    def with_options(
        *, namespace: tuple[str, ...], engine: str, converter: str | None = None, timeout: float = 0, memory: int = 0,
        only: tuple[str, ...] = (), twice: bool = False, resume: bool = False, **others: Any,
    ) -> Any:  # fmt: skip
        start = _start_of("converter")

        def read() -> Options:
            from validator.replay import Options
            from validator.replay.converters import choose

            chosen = choose(converter, timeout, memory * 2**20, start)
            formats = frozenset(only)
            return Options(chosen, _namespaces(namespace), engine, only=formats, twice=twice, resume=resume)

        return function(options=read, **others)

    command: Command = with_options
    for option in reversed(options):
        command = option(command)
    return command


def _start_of(parameter: str) -> Path | None:
    """Return where an option's relative paths start, if it was configured: in the folder of the configuration."""
    context = click.get_current_context()
    configured = context.get_parameter_source(parameter) is click.core.ParameterSource.DEFAULT_MAP
    return context.obj.folder if configured and context.obj is not None else None


def _namespaces(given: tuple[str, ...]) -> dict[str | None, str]:
    """Read ``VALUE`` and ``SOURCE=VALUE``: a namespace by the store that it is for, None for any."""
    from validator.replay import NamespaceError

    found: dict[str | None, str] = {}
    for text in given:
        source, separator, value = text.rpartition("=")
        name = source if separator else None
        if not value:
            raise NamespaceError(f"--namespace {text!r} is empty; write the installation's persisted namespace")
        if name in found:
            raise NamespaceError(f"--namespace {text!r}: given twice for the same store; give it once")
        found[name] = value
    return found


@contextmanager
def faults() -> Iterator[None]:
    """Turn wrong usage and wrong configuration into one line on standard error and exit code 2."""
    from validator.capture import TargetError
    from validator.claims import NotRestoredError, UnknownClaimError
    from validator.converter import ConversionError
    from validator.descriptor import DescriptorError
    from validator.evidence import EvidenceError
    from validator.gate import GateError
    from validator.jobs import JobsError
    from validator.observation import ObservationError
    from validator.replay import NamespaceError
    from validator.report.merge import MergeError
    from validator.shards import ShardError
    from validator.stream import CommandError

    wrong_usage = (TargetError, NamespaceError, ObservationError, ConversionError, CommandError, UnknownClaimError)
    wrong_together = (JobsError, ShardError, MergeError, GateError)
    try:
        yield
    except (*wrong_usage, *wrong_together, EvidenceError, DescriptorError, NotRestoredError) as error:
        fail(str(error))


def fail(message: str, code: int = WRONG_USAGE) -> None:
    """Print one line on standard error and leave."""
    tell(message)
    sys.exit(code)


def tell(message: str) -> None:
    """Print one line on standard error; text of captures in it steers nothing."""
    from validator.report.visible import logged

    click.echo(f"validator: {logged(message, LONGEST)}", err=True)


def write(text: str, output: str | None) -> None:
    """Write a finished document to a file, or to standard output."""
    if output is None or output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        fail(f"{output}: cannot be written: {error.strerror}; choose another --output")


def as_json(document: Any) -> str:
    """Return a document as the JSON that every verb prints: two spaces, LF at the end, no escapes that need not be."""
    from validator.report.visible import json_text

    return json_text(document, 2) + "\n"
