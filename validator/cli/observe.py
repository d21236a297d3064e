"""``validator observe``: the observation of captures of one producer version."""

from __future__ import annotations

import sys

import click

from validator.cli._options import as_json, fail, faults, options_of, replay_options, write


@click.command(epilog="Example:  validator observe captures/0.19.0-edit-review captures/0.19.0-branch")
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...")
@replay_options
@click.option("--json", "json_", is_flag=True, help="Write JSON (an observation is always JSON).")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    captures: tuple[str, ...],
    descriptor: str | None,
    namespace: str | None,
    converter: str | None,
    timeout: float,
    memory: int,
    engine: str,
    json_: bool,
    output: str | None,
) -> None:
    """Write the observation (the evidence block) of captures of one package, version and revision."""
    with faults():
        from validator.check import observe

        block, report = observe(captures, descriptor, options_of(converter, timeout, memory, namespace, engine))
    if block is None:
        for entry in report["captures"]:
            if "observation" not in entry:
                reason = entry.get("message", entry["verdict"])
                click.echo(f"validator: {entry['capture']}: no observation: {reason}", err=True)
        sys.exit(report["exit"] or 3)
    write(as_json(block), output)
    if report["exit"]:
        fail(f"the verdict is {report['verdict']!r}; see validator check", report["exit"])
