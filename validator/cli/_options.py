"""Options that several verbs share, and how the faults of a run become messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from validator.replay import Options

WRONG_USAGE = 2


def replay_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every verb that judges a converter: those of ``bench_options``, the converter, its limits."""
    for option in reversed(
        [
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
        ]
    ):
        function = option(function)
    return bench_options(function)


def bench_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every verb that replays captures, with the built-in converter or another."""
    for option in reversed(
        [
            click.option("--descriptor", metavar="NAME", help="Producer name, alias or path of the descriptor."),
            click.option("--namespace", metavar="VALUE", help="The installation's namespace, for a store without one."),
            click.option(
                "--engine",
                type=click.Choice(["auto", "rust", "python"]),
                default="auto",
                show_default=True,
                help="Schema engine for the lines.",
            ),
        ]
    ):
        function = option(function)
    return function


@contextmanager
def faults() -> Iterator[None]:
    """Turn wrong usage and wrong configuration into one line on standard error and exit code 2."""
    from validator.capture import TargetError
    from validator.converter import ConversionError
    from validator.descriptor import DescriptorError
    from validator.observation import ObservationError
    from validator.replay import NamespaceError
    from validator.stream.command import CommandError

    try:
        yield
    except (TargetError, DescriptorError, NamespaceError, ObservationError, ConversionError, CommandError) as error:
        fail(str(error))


def options_of(converter: str | None, timeout: float, memory: int, namespace: str | None, engine: str) -> Options:
    """Return how to replay, as the command line says."""
    from validator.replay import Options
    from validator.replay.converters import choose

    return Options(choose(converter, timeout, memory * 2**20), namespace, engine)


def fail(message: str, code: int = WRONG_USAGE) -> None:
    """Print one line on standard error and leave."""
    click.echo(f"validator: {message}", err=True)
    sys.exit(code)


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
    import json

    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
