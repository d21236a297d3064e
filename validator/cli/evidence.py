"""``validator evidence``: what a descriptor rests on, added, checked and published."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from validator.cli._options import Command, as_json, fail, faults, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.replay import Options


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


def captures_option(function: Command) -> Command:
    """Add the option that says which captures are replayed."""
    option = click.option(
        "--captures",
        multiple=True,
        metavar="PATH",
        help="Captures to replay: a capture folder or a folder of them; repeatable. Without it: those that ship.",
    )
    decorated: Command = option(function)
    return decorated


@command.command(epilog="Example:  validator evidence check com.nousresearch.hermes --json")
@click.argument("descriptor", required=False, metavar="[DESCRIPTOR]")
@captures_option
@click.option("--json", "json_", is_flag=True, help="Write JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def check(descriptor: str | None, captures: tuple[str, ...], json_: bool, output: str | None) -> None:
    """Replay captures and hold the descriptor's observations against what they give now.

    Exit 0 when every observation that the captures can reproduce is what a fresh replay gives, 1 when one differs, 3
    when none could be reproduced or a capture is unusable, 4 when the converter failed.
    """
    with faults():
        from validator.descriptor import load
        from validator.evidence.check import check as check_items

        known = load(descriptor)
        document = _replaying(lambda options, tell: check_items(known, captures, options, tell))
    if json_:
        write(as_json(document), output)
    else:
        from validator.report.evidence import render

        write(render(document), output)
    sys.exit(document["exit"])


@command.command(epilog="Example:  validator evidence provenance com.nousresearch.hermes --in-toto")
@click.argument("descriptor", required=False, metavar="[DESCRIPTOR]")
@captures_option
@click.option("--in-toto", is_flag=True, help="Write an in-toto statement (test-result) instead of the side file.")
@click.option("--write", "in_place", is_flag=True, help="Write the side file beside the descriptor.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def provenance(
    descriptor: str | None, captures: tuple[str, ...], in_toto: bool, in_place: bool, output: str | None
) -> None:
    """Say what the observations are made from: digests of captures, descriptor, claims, converters and validator.

    The side file also says what each capture counts, so that `evidence check` can tell what changed.
    """
    if in_place and (in_toto or output):
        raise click.UsageError("--write puts the side file beside the descriptor; leave --in-toto and --output out")
    with faults():
        from validator.descriptor import load
        from validator.evidence import provenance as station
        from validator.evidence.file import exclusive, replace_file
        from validator.evidence.fresh import replayed

        known = load(descriptor)
        runs = _replaying(lambda options, tell: replayed(known, captures, options, tell))
        text = as_json((station.statement if in_toto else station.provenance)(known, runs))
        if in_place:
            with exclusive(known.folder):
                replace_file(known.folder / station.SIDE_FILE, text.encode("utf-8"))
        else:
            write(text, output)


def _replaying(run: Callable[[Options, Callable[[int, int], None]], Any]) -> Any:
    """Run what replays captures with the built-in converter, and show how far it is."""
    from validator.replay import Options
    from validator.replay.converters import choose

    progress = Progress()
    try:
        return run(Options(choose(None, TIMEOUT, MEMORY), progress=progress.lines), progress.captures)
    finally:
        progress.close()


TIMEOUT = 60.0
"""Seconds that one run of the converter may take."""

MEMORY = 2**31
"""Bytes that it may use."""


@command.command(epilog="Example:  validator evidence page com.nousresearch.hermes --check")
@click.argument("descriptor", required=False, metavar="[DESCRIPTOR]")
@click.option("--write", "in_place", is_flag=True, help="Write the page beside the descriptor.")
@click.option("--check", "compare", is_flag=True, help="Fail when the page beside the descriptor is another.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def page(descriptor: str | None, in_place: bool, compare: bool, output: str | None) -> None:
    """Write the descriptor's page, in Markdown: what it says, on what evidence, and what was observed.

    With --check: exit 0 when the page beside the descriptor is the one that would be written, 1 when it is not.
    """
    if in_place + compare + (output is not None) > 1:
        raise click.UsageError("give one of --write, --check and --output")
    with faults():
        from validator.descriptor import load
        from validator.evidence.file import exclusive, replace_file
        from validator.evidence.page import PAGE, stands
        from validator.evidence.page import page as page_of

        known = load(descriptor)
        text = page_of(known)
        if compare:
            if not stands(known, text):
                fail(f"{known.name}/{PAGE}: is not what would be written now; write it with evidence page --write", 1)
        elif in_place:
            with exclusive(known.folder):
                replace_file(known.folder / PAGE, text.encode("utf-8"))
        else:
            write(text, output)
