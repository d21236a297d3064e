"""``validator merge``: one report from the reports of several shards or machines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from validator.cli._options import faults
from validator.cli._outputs import output_options

if TYPE_CHECKING:
    from validator.cli._outputs import Outputs


@click.command(epilog="Example:  validator merge shard-1.json shard-2.json shard-3.json --format markdown")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@output_options
def command(reports: tuple[str, ...], outputs: Callable[[], Outputs]) -> None:
    """Make one report from the reports (check --json) of several shards or machines.

    The reports of the shards of one run, in any order, give the report of the whole, byte for byte. Other reports
    are put one after the other. The exit code is that of the whole.
    """
    wanted = outputs()
    with faults():
        from validator.report.formats import View, render
        from validator.report.merge import merge

        report = merge(reports)
    wanted.write(lambda name, color: render(name, report, View(color=color)))
    sys.exit(report["exit"])
