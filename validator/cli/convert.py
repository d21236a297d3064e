"""``validator convert``: the built-in converter, run as any converter is run."""

from __future__ import annotations

import sys

import click

from validator.cli._options import fail, faults


@click.command(epilog="Example:  validator convert state.db --namespace 7c0c2d1e-… | head")
@click.argument("source", required=False, metavar="[SOURCE]")
@click.option("--source", "source_option", metavar="PATH", help="The source, as the converter protocol gives it.")
@click.option("--format", "format_", metavar="FORMAT", help="The source's format.  [default: by what SOURCE is]")
@click.option("--snapshot", metavar="sha256:…", help="Position of current state; computed from the files without it.")
@click.option("--namespace", metavar="VALUE", help="The installation's namespace, for a store that has none.")
@click.option("--after", metavar="POSITION", help="Only transcript records beyond this position.")
def command(
    source: str | None,
    source_option: str | None,
    format_: str | None,
    snapshot: str | None,
    namespace: str | None,
    after: str | None,
) -> None:
    """Write the built-in converter's record stream of SOURCE to standard output."""
    target = source or source_option
    if target is None:
        fail("name a SOURCE: a store such as state.db, or a home")
        return
    if source and source_option:
        fail("give the source once: as SOURCE or with --source")
    with faults():
        from validator.conversion import converted

        try:
            sys.stdout.buffer.writelines(converted(target, format_, snapshot, namespace, after))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)
