"""``validator mutate``: can every claim fail?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, bench_options, faults, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.replay import Options


@click.command(epilog="Example:  validator mutate captures tests/constructed")
@click.argument("captures", nargs=-1, metavar="[CAPTURE]...")
@bench_options
@click.option("--json", "json_", is_flag=True, help="Write JSON: every mutant, and which claims noticed it.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    captures: tuple[str, ...],
    descriptor: str | None,
    options: Callable[[], Options],
    json_: bool,
    output: str | None,
) -> None:
    """Break the built-in converter's records in every way the claims know, and see that each is noticed.

    Without a CAPTURE: those that ship with the project, and in a checkout the constructed ones. Exit 0 when every
    mutant is killed, 1 when one survived or changed nothing anywhere.
    """
    with faults():
        from validator.mutation import document, mutate

        progress = Progress()
        try:
            result = document(mutate(captures, descriptor, options(), progress.captures))
        finally:
            progress.close()
    if json_:
        write(as_json(result), output)
    else:
        from validator.report.mutants import render

        write(render(result), output)
    sys.exit(1 if result["survived"] or result["not_applied"] else 0)
