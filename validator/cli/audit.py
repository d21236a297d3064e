"""``validator audit``: what a version of the producer changes."""

from __future__ import annotations

import sys

import click

from validator.cli._options import as_json, fail, faults, write

NOTHING_NEW, DRIFT, UNREADABLE = 0, 1, 3


@click.command(epilog="Example:  validator audit hermes-agent==0.19.0 --since 0.18.2")
@click.argument("target", metavar="TARGET")
@click.option("--since", metavar="VERSION", help="Compare with this older version (or path) instead of the shape.")
@click.option("--descriptor", metavar="NAME", help="Producer name, alias or path of the descriptor.")
@click.option("--write", "write_", is_flag=True, help="Write what is new into the shape; review the diff.")
@click.option("--json", "json_", is_flag=True, help="Write the audit as JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    target: str, since: str | None, descriptor: str | None, write_: bool, json_: bool, output: str | None
) -> None:
    """Tell what TARGET changes against the native shape, with the claims each change touches.

    TARGET is a store, a home, a capture, a source tree, a wheel or sdist, or a release such as hermes-agent==0.19.0, of
    which the wheel is fetched. Nothing of it is run. Exit code 0: nothing new; 1: drift; 3: it cannot be read.
    """
    if write_ and since:
        fail("--write compares with the shape; leave --since out")
    with faults():
        from validator.audit import UnreadableError, as_document, audit
        from validator.descriptor import load

        known = load(descriptor)
        try:
            found = audit(target, known, since)
        except UnreadableError as error:
            fail(str(error), UNREADABLE)
            return
    if json_:
        text = as_json(as_document(found))
    else:
        from validator.audit.table import render

        text = render(found)
    write(text, output)
    if write_:
        from validator.audit.write import update

        for line in update(known, found):
            click.echo(line, err=True)
    sys.exit(UNREADABLE if found.damaged else DRIFT if found.drift else NOTHING_NEW)
