"""``validator capture``: captures are made, verified, redacted and minimized."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validator.cli._options import as_json, fail, faults, replay_options, write

if TYPE_CHECKING:
    from validator.capture import Capture
    from validator.replay import Options

UNUSABLE = 3


@click.group()
def command() -> None:
    """Make captures of live stores and homes; verify, redact and minimize captures."""


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
@click.option("--by", type=click.Choice(["agent", "driver", "constructed"]), default="agent", show_default=True,
              help="Who made the files.")  # fmt: skip
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


def _one(target: str, descriptor: str | None) -> Capture:
    """Return the one capture that a target names."""
    from validator.capture import TargetError, find
    from validator.descriptor import load

    found = find([target], load(descriptor))
    if len(found) != 1:
        raise TargetError(f"{target}: a folder of captures; name one of them")
    return found[0]


@command.command(epilog="Example:  validator capture redact captures/mine captures/mine-redacted")
@click.argument("capture", metavar="CAPTURE")
@click.argument("dest", metavar="DEST")
@click.option("--descriptor", metavar="NAME", help="Producer name, alias or path of the descriptor.")
def redact(capture: str, dest: str, descriptor: str | None) -> None:
    """Make DEST from CAPTURE, its text replaced by filler of the same shape.

    Equal texts stay equal and different ones different, so that what joins still joins; numbers, states and names of
    columns and members stay. The filler's key is kept nowhere.
    """
    with faults():
        from validator.capture import CaptureError
        from validator.descriptor import load
        from validator.rewriting import redact as make

        try:
            manifest = make(_one(capture, descriptor), Path(dest), load(descriptor))
        except CaptureError as error:
            fail(str(error), UNUSABLE)
            return
    click.echo(
        f"{manifest['id']}: text of {len(manifest['withheld'])} columns and files replaced; read it before sharing it"
    )


@command.command(
    epilog="Example:  validator capture minimize captures/mine small --converter ./convert --claim links.fork"
)
@click.argument("capture", metavar="CAPTURE")
@click.argument("dest", metavar="DEST")
@replay_options
@click.option("--claim", metavar="ID", help="The claim to be violated still.  [default: the first that is]")
@click.option("--tries", type=click.IntRange(min=1), default=1000, show_default=True, help="Replays at most.")
def minimize(
    capture: str, dest: str, options: Callable[[], Options], descriptor: str | None, claim: str | None, tries: int
) -> None:
    """Make DEST from CAPTURE: the fewest rows and files with which the converter still violates the claim."""
    with faults():
        from validator.capture import CaptureError
        from validator.descriptor import load
        from validator.rewriting import minimize as make

        try:
            made = make(_one(capture, descriptor), Path(dest), load(descriptor), options(), claim, tries)
        except CaptureError as error:
            fail(str(error), UNUSABLE)
            return
    rest = "" if made.finished else "; the tries are used up, it may be smaller still"
    sizes = f"{made.after} of {made.before} rows and files show {made.claim}"
    click.echo(f"{made.manifest['id']}: {sizes} ({made.tries} tries){rest}")
