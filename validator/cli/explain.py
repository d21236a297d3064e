"""``validator explain``: one claim in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, bench_options, faults, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.replay import Options


@click.command(epilog="Example:  validator explain links.fork")
@click.argument("claim", metavar="ID")
@click.argument("captures", nargs=-1, metavar="[CAPTURE]...")
@bench_options
@click.option("--json", "json_", is_flag=True, help="Write JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    claim: str,
    captures: tuple[str, ...],
    descriptor: str | None,
    options: Callable[[], Options],
    json_: bool,
    output: str | None,
) -> None:
    """Show one claim in full: its sentence and where it comes from, its SQL, its mutants, what exercises it.

    The example finding is made by breaking a capture's records with one of the mutants.
    """
    with faults():
        from validator.catalogue import explanation

        progress = Progress()
        try:
            document = explanation(claim, captures, descriptor, options(), progress.captures)
        finally:
            progress.close()
    if json_:
        write(as_json(document), output)
    else:
        from validator.report.catalogue import render_explanation

        write(render_explanation(document), output)
