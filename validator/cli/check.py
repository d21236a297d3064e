"""``validator check``: the main job."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, faults, replay_options, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.replay import Options



@click.command(
    epilog="Example:  validator check captures/0.19.0-edit-review --json",
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@replay_options
@click.option("--json", "json_", is_flag=True, help="Write the report as JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--fail-on", type=click.Choice(["error", "notice"]), default="error", show_default=True)
def command(
    targets: tuple[str, ...],
    descriptor: str | None,
    options: Callable[[], Options],
    json_: bool,
    output: str | None,
    fail_on: str,
) -> None:
    """Replay captures through a converter and judge it.

    TARGET is a capture folder, a folder of captures, a bare store (state.db) or a home. Without a TARGET: the
    captures that ship with the project.
    """
    with faults():
        from validator.check import check
        from validator.verdict import WRONG_USAGE

        progress = Progress()
        how = replace(options(), progress=progress.lines)
        try:
            report = check(targets, descriptor, how, fail_on, progress.captures)
        finally:
            progress.close()
    for entry in report["captures"]:
        if entry["verdict"] == WRONG_USAGE:
            click.echo(f"validator: {entry['message']}", err=True)
    if json_:
        text = as_json(report)
    else:
        from validator.replay.feed import engine_name
        from validator.report.table import render

        text = render(report, engine_name(how.engine))
    write(text, output)
    sys.exit(report["exit"])
