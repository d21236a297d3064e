"""Where a report goes: to standard output in one format, and to files in others, all from the same report."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from validator.cli._options import LONGEST, fail

NAMES = ("table", "json", "jsonl", "markdown", "junit", "sarif", "github")
"""The formats; ``validator.report.formats`` says what each is."""

Command = Callable[..., Any]
Render = Callable[[str, bool], Iterable[str]]
"""Yields a report in a format; told whether it goes to a terminal that shows colours."""


@dataclass(frozen=True)
class Outputs:
    """The formats that are wanted, each with its file; None is standard output."""

    wanted: tuple[tuple[str, str | None], ...]

    def has(self, *names: str) -> bool:
        """Whether one of some formats is wanted."""
        return any(name in names for name, _ in self.wanted)

    def write(self, render: Render) -> None:
        """Write every output; the file of one that cannot be written ends the run."""
        for name, file in self.wanted:
            if file is None:
                sys.stdout.writelines(render(name, _colors()))
                sys.stdout.flush()
                continue
            try:
                with Path(file).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                    stream.writelines(render(name, False))
            except OSError as error:
                fail(f"{file}: cannot be written: {error.strerror}; name another file")


def output_options(function: Command) -> Command:
    """Add the options that say where a report goes; the verb takes ``outputs``, a function that returns them."""
    options = (
        click.option(
            "--format",
            "formats",
            multiple=True,
            metavar="NAME[=FILE]",
            help=f"Write the report as {', '.join(NAMES)}; with =FILE to a file, beside what goes to standard output; "
            "repeatable.  [default: table]",
        ),
        click.option("--json", "json_", is_flag=True, help="Write the report as JSON: short for --format json."),
        click.option("--output", metavar="FILE", help="Write to a file instead of standard output."),
    )

    @functools.wraps(function)
    def with_outputs(*, formats: tuple[str, ...], json_: bool, output: str | None, **others: Any) -> Any:
        source = click.get_current_context().get_parameter_source("formats")
        if json_ and source is click.core.ParameterSource.DEFAULT_MAP:  # what was configured gives way
            formats = tuple(text for text in formats if "=" in text)
        return function(outputs=lambda quiet=False: choose(formats, json_, output, quiet), **others)

    command: Command = with_outputs
    for option in reversed(options):
        command = option(command)
    return command


def choose(formats: Iterable[str], json_: bool, output: str | None, quiet: bool = False) -> Outputs:
    """Read the options; ``quiet`` leaves out the table that nobody asked for.

    Outputs that cannot be had together end the run.
    """
    named = [*(["json"] if json_ else []), *formats]
    split = [(name, file if separator else None) for name, separator, file in (text.partition("=") for text in named)]
    for name, file in split:
        if name not in NAMES:
            fail(f"--format {name[:LONGEST]!r}: there is no such format; there are {', '.join(NAMES)}")
        if file == "":
            fail(f"--format {name}=: the file has no name; write {name}=FILE")
    shown = list(dict.fromkeys(name for name, file in split if file is None))
    if len(shown) > 1:
        fail(f"{' and '.join(shown)}: one format goes to standard output; write the others as NAME=FILE")
    if not shown and not (quiet and output is None):
        shown = ["table"]
    first = None if output == "-" else output
    wanted = [*((name, first) for name in shown), *((name, file) for name, file in split if file is not None)]
    files = [file for _, file in wanted if file is not None]
    for file in files:
        if files.count(file) > 1:
            fail(f"{file}: two formats cannot go to one file; give each its own")
        if not Path(file).absolute().parent.is_dir():
            fail(f"{file}: there is no such folder to write to; make it, or name another file")
    return Outputs(tuple(wanted))


def _colors() -> bool:
    """Whether standard output is a terminal whose user has not asked for no colours."""
    import os

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
