"""``validator lint``: descriptors, native shapes, claims and evidence, against their schemas and each other."""

from __future__ import annotations

import sys

import click

from validator.cli._options import as_json, faults, write


@click.command(epilog="Example:  validator lint descriptors/com.nousresearch.hermes --strict")
@click.argument("descriptors", nargs=-1, metavar="[DESCRIPTOR]...")
@click.option(
    "--captures",
    multiple=True,
    metavar="PATH",
    help="Captures in which to look for what the shapes describe; repeatable. Without it: those that ship.",
)
@click.option("--strict", is_flag=True, help="Make an error of a table or column that no capture has.")
@click.option("--json", "json_", is_flag=True, help="Write JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    descriptors: tuple[str, ...], captures: tuple[str, ...], strict: bool, json_: bool, output: str | None
) -> None:
    """Hold descriptors, their native shapes, claims and evidence against their schemas and each other.

    DESCRIPTOR is a producer's name, an alias, or the path of a descriptor's folder. Without one: all that ship. Exit 0
    when there is no error, 1 when there is one, 2 for a DESCRIPTOR that is none.
    """
    with faults():
        from validator.lint import lint

        document = lint(descriptors, captures, strict=strict)
    if json_:
        write(as_json(document), output)
    else:
        from validator.report.faults import render

        write(render(document), output)
    sys.exit(document["exit"])
