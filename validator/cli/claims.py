"""``validator claims``: the claim catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, bench_options, faults, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.replay import Options


@click.command(epilog="Example:  validator claims --json")
@click.argument("captures", nargs=-1, metavar="[CAPTURE]...")
@bench_options
@click.option("--json", "json_", is_flag=True, help="Write JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    captures: tuple[str, ...],
    descriptor: str | None,
    options: Callable[[], Options],
    json_: bool,
    output: str | None,
) -> None:
    """List the claims: whether each is enforced, which captures exercise it, and how many of its mutants it kills.

    Without a CAPTURE: those that ship with the project, and in a checkout the constructed ones.
    """
    with faults():
        from validator.catalogue import catalogue

        progress = Progress()
        try:
            document, unusable = catalogue(captures, descriptor, options(), progress.captures)
        finally:
            progress.close()
    for capture, reason in unusable:
        click.echo(f"validator: {capture}: not used: {reason}", err=True)
    if json_:
        write(as_json(document), output)
    else:
        from validator.report.catalogue import render_claims

        write(render_claims(document), output)
