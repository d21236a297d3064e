"""``validator check``: the main job."""

from __future__ import annotations

import sys

import click

from validator.cli._checking import Wanted, checked, checking_options
from validator.cli._options import fail
from validator.cli._outputs import Outputs


@click.command(
    epilog="Example:  validator check captures/0.19.0-edit-review --json",
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@checking_options
@click.option("--all-findings", is_flag=True, help="List every finding, not only examples; needs the format jsonl.")
def command(wanted: Wanted, outputs: Outputs, all_findings: bool) -> None:
    """Replay captures through a converter and judge it.

    TARGET is a capture folder, a folder of captures, a bare store (state.db) or a home. Without a TARGET: the
    captures that ship with the project.
    """
    if all_findings and not outputs.has("jsonl"):
        fail("--all-findings: only the format jsonl lists them all; add --format jsonl")
    with checked(wanted, all_findings) as done:
        done.show(wanted, outputs)
        sys.exit(done.report["exit"])
