"""Runs the command line in this process, and says what it printed and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from click.testing import CliRunner

from validator.cli import cli


@dataclass(frozen=True)
class Result:
    """What a run of the command line gave."""

    code: int
    out: str
    err: str


def run(*arguments: str) -> Result:
    """Run ``validator ARGUMENTS``; an exception that a user would see as a traceback is raised."""
    result = CliRunner().invoke(cli, list(arguments), prog_name="validator")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Result(result.exit_code, result.stdout, result.stderr)
