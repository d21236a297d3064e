"""``validator observe``: the observation of captures of one producer version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validator.cli._options import as_json, fail, faults, replay_options, write

if TYPE_CHECKING:
    from validator.replay import Options



@click.command(epilog="Example:  validator observe captures/0.19.0-edit-review captures/0.19.0-branch")
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...")
@replay_options
@click.option("--json", "json_", is_flag=True, help="Write JSON (an observation is always JSON).")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--by-version", metavar="FOLDER", help="Write one file for each package and version into a folder.")
def command(
    captures: tuple[str, ...],
    descriptor: str | None,
    options: Callable[[], Options],
    json_: bool,
    output: str | None,
    by_version: str | None,
) -> None:
    """Write the observation (the evidence block) of captures of one package, version and revision.

    With --by-version, captures may be of several versions: each gets an observation of its own.
    """
    with faults():
        from validator.check import observe, observe_by_version

        how = options()
        if by_version is not None:
            _write_all(observe_by_version(captures, descriptor, how), by_version)
            return
        block, report = observe(captures, descriptor, how)
    if block is None:
        for entry in report["captures"]:
            if "observation" not in entry:
                reason = entry.get("message", entry["verdict"])
                click.echo(f"validator: {entry['capture']}: no observation: {reason}", err=True)
        sys.exit(report["exit"] or 3)
    write(as_json(block), output)
    if report["exit"]:
        fail(f"the verdict is {report['verdict']!r}; see validator check", report["exit"])


def _write_all(observations: dict[str, tuple[dict[str, Any] | None, dict[str, Any]]], folder: str) -> None:
    """Write each observation to its file; leave with the gravest exit code when some could not be made."""
    gravest = 0
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, (block, report) in observations.items():
        if block is None:
            click.echo(f"validator: {name}: no observation: {report['verdict']}", err=True)
        else:
            write(as_json(block), str(Path(folder) / f"{name}.json"))
        gravest = max(gravest, report["exit"])
    sys.exit(gravest)
