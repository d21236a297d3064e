"""``validator capture``: captures are made and verified."""

from __future__ import annotations

import re
import sys
from datetime import date
from typing import Any

import click

from validator.cli._options import as_json, fail, faults, write

UNUSABLE = 3


@click.group()
def command() -> None:
    """Make a capture of a live store or home, and verify captures."""


@command.command(
    epilog="Example:  validator capture new ~/.hermes captures/mine --package hermes-agent --version 0.19.0"
)
@click.argument("source", metavar="SOURCE")
@click.argument("dest", metavar="DEST")
@click.option("--installation", metavar="VALUE", help="The installation's persisted namespace.")
@click.option("--continues", metavar="CAPTURE", help="Go on with the namespace of this capture.")
@click.option("--include", multiple=True, metavar="PATTERN", help="Take these files too, such as config.yaml.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave these files out.")
@click.option("--package", metavar="NAME", help="The distribution that wrote it.")
@click.option("--version", "version_", metavar="VERSION", help="The version that wrote it.")
@click.option("--revision", metavar="TEXT", help="The exact build: a commit, or the digest of a wheel.")
@click.option("--date", "date_", metavar="YYYY-MM-DD", help="The day of the capture.  [default: today]")
@click.option("--by", type=click.Choice(["agent", "driver", "constructed"]), default="agent", show_default=True)
@click.option("--scenario", metavar="NAME", help="The name of what was done.")
@click.option("--about", metavar="SENTENCE", help="What was done.")
@click.option("--through", metavar="TEXT", help="The program's entrance that was used.")
@click.option("--scope", metavar="SENTENCE", help="What the capture speaks for.")
@click.option("--limitations", metavar="SENTENCE", help="What it does not show.")
@click.option("--descriptor", metavar="NAME", help="Producer name, alias or path of the descriptor.")
def new(
    source: str, dest: str, installation: str | None, continues: str | None, include: tuple[str, ...],
    exclude: tuple[str, ...], date_: str | None, by: str, descriptor: str | None, version_: str | None, **texts: Any,
) -> None:  # fmt: skip
    """Make a capture of SOURCE, a live store or home, in the new folder DEST.

    The files are copied in one committed state, while the agent may go on. Only what the descriptor's formats describe
    is taken; what is left out is listed in the manifest.
    """
    if date_ is not None and not _is_date(date_):
        fail(f"--date {date_!r} is no date; write YYYY-MM-DD")
    made = {name: texts.pop(name) for name in ("scenario", "about", "through")}
    fields = {**texts, "version": version_, "date": date_, "made": {k: v for k, v in made.items() if v} | {"by": by}}
    with faults():
        from validator.capture import CaptureError
        from validator.descriptor import load
        from validator.snapshots import Request, take

        try:
            manifest = take(Request(source, dest, fields, installation, continues, include, exclude), load(descriptor))
        except CaptureError as error:
            fail(str(error), UNUSABLE)
            return
    size = sum(entry["bytes"] for entry in manifest["files"])
    click.echo(f"{manifest['id']}: {len(manifest['files'])} files, {size} bytes, {len(manifest['omitted'])} left out")


def _is_date(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


@command.command(epilog="Example:  validator capture verify captures")
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...")
@click.option("--json", "json_", is_flag=True, help="Write the result as JSON.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
def verify(captures: tuple[str, ...], json_: bool, output: str | None) -> None:
    """Hold the files of captures against their manifests: every size, every digest, nothing missing, nothing more.

    Exit code 0 when all are whole; 3 when one is not.
    """
    with faults():
        from validator.capture import CaptureError, TargetError, find
        from validator.capture import verify as verify_files
        from validator.descriptor import load

        entries: list[dict[str, Any]] = []
        for capture in find(captures, load()):
            if capture.manifest is None and capture.problem is None:
                raise TargetError(f"{capture.id}: not a capture (no capture.json); make one with validator capture new")
            problem = capture.problem
            if capture.manifest is not None:
                try:
                    verify_files(capture.folder, capture.manifest)
                except CaptureError as error:
                    problem = str(error)
            entries.append({"capture": capture.id, "whole": problem is None, "problem": problem})
    whole = all(entry["whole"] for entry in entries)
    if json_:
        write(as_json({"schema": "0.1", "whole": whole, "captures": entries}), output)
    else:
        lines = [f"{entry['capture']}: {entry['problem'] or 'whole'}\n" for entry in entries]
        write("".join(lines), output)
    sys.exit(0 if whole else UNUSABLE)
