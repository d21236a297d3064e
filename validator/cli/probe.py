"""``validator probe``: a release is run in isolation, and what it wrote is checked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, bench_options, fail, faults, write

if TYPE_CHECKING:
    from validator.replay import Options

NOT_RUN = 3


@click.command(epilog="Example:  validator probe hermes-agent==0.19.0 --captures probed --output probe.json")
@click.argument("release", metavar="PACKAGE==VERSION")
@bench_options
@click.option("--scenario", "names", multiple=True, metavar="NAME", help="Run only this scenario; repeatable.")
@click.option("--captures", metavar="FOLDER", help="Keep the captures in this new folder.")
@click.option("--report", metavar="FILE", help="Write the report on the captures, as JSON.")
@click.option("--json", "json_", is_flag=True, help="Write JSON (an evidence item is always JSON).")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def command(
    release: str,
    descriptor: str | None,
    options: Callable[[], Options],
    names: tuple[str, ...],
    captures: str | None,
    report: str | None,
    json_: bool,
    output: str | None,
) -> None:
    """Install a release, run it against a scripted model in isolation, and check what it wrote.

    Writes the probe evidence item. The release runs in namespaces of its own, where there is only loopback and nothing
    to write to but its own home; where those are not available nothing is run. Exit code 0: all conforms; 1: it does
    not; 3: it could not be run.
    """
    from validator.audit import UnreadableError
    from validator.capture import CaptureError
    from validator.probe.install import InstallError
    from validator.probe.isolation import IsolationError

    kept = Path(captures) if captures is not None else None
    if kept is not None and kept.exists():
        fail(f"--captures {captures}: is there already; name a folder that is not")
    with TemporaryDirectory(prefix="validator-probe-") as private, faults():
        from validator.descriptor import load
        from validator.probe import ProbeError, probe

        made = kept or Path(private) / "captures"
        made.mkdir(parents=True)
        try:
            found = probe(release, load(descriptor), options(), Path(private), made, names, _tell)
        except (IsolationError, ProbeError, InstallError, UnreadableError, CaptureError) as error:
            if kept is not None and not any(kept.iterdir()):
                kept.rmdir()
            fail(str(error), NOT_RUN)
            return
    if report is not None:
        write(as_json(found.report), report)
    if found.report["exit"]:
        for entry in found.report["captures"]:
            click.echo(f"validator: {entry['capture']}: {entry['verdict']}", err=True)
        sys.exit(found.report["exit"])
    write(as_json(found.item), output)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"validator: {text}", err=True)
