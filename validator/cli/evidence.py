"""``validator evidence``: what a descriptor rests on, added, checked and published."""

from __future__ import annotations

import click

from validator.cli._options import as_json, faults, write


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Add evidence to a descriptor, hold it against a fresh replay, and publish it.

    Example:  validator evidence add com.nousresearch.hermes reports/observations/hermes-agent-0.19.0.json
    """


@command.command(epilog="Example:  validator evidence add com.nousresearch.hermes observation.json --replace")
@click.argument("descriptor", metavar="DESCRIPTOR")
@click.argument("observations", nargs=-1, required=True, metavar="OBSERVATION...")
@click.option("--replace", is_flag=True, help="Supersede the older item of the same version, at its index.")
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="FORMAT",
    help="A format that the items are about, where neither converter nor scope says it; repeatable.",
)
@click.option("--json", "json_", is_flag=True, help="Write JSON: what became of each item.")
def add(
    descriptor: str, observations: tuple[str, ...], replace: bool, formats: tuple[str, ...], json_: bool
) -> None:
    """Add observations, or other evidence items, to a descriptor.

    An item goes to the end of the evidence, so that every index stays what it is, and what it supports cites it.
    An item that is there already is not added again. Refused: errors, gaps, no records, no limitations, no converter.
    """
    with faults():
        from validator.evidence.add import add as add_items

        steps, changed = add_items(descriptor, observations, replace=replace, formats=formats)
    if json_:
        write(as_json({"added": "0.1", "changed": changed, "items": [step.entry() for step in steps]}), None)
        return
    for step in steps:
        cited = [*step.formats, *(f"mapping {index}" for index in step.mappings)]
        told = f", now cited by {', '.join(cited)}" if cited else ""
        click.echo(f"evidence {step.index}: {step.did}: {step.name}{told}")
