"""``validator matrix``: versions against claims, over all captures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validator.cli._options import as_json, fail, faults, replay_options, write
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.matrix import Document
    from validator.replay import Options

FORMATS = {"markdown": "matrix.md", "json": "matrix.json", "html": "matrix.html"}


@click.command(epilog="Example:  validator matrix --format html=matrix.html")
@click.argument("targets", nargs=-1, metavar="[CAPTURE]...")
@replay_options
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    help="markdown, json or html, to a file or to standard output; repeatable.  [default: markdown]",
)
@click.option("--json", "json_", is_flag=True, help="The same as --format json.")
@click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--write", "folder", metavar="FOLDER", help="Write matrix.md, matrix.json and matrix.html there.")
def command(
    targets: tuple[str, ...],
    options: Callable[[], Options],
    descriptor: str | None,
    formats: tuple[str, ...],
    json_: bool,
    output: str | None,
    folder: str | None,
) -> None:
    """Hold versions of the producer against claims, over all captures: which hold, which nobody exercised, and which
    came later.

    Without a CAPTURE: those that ship with the project. The exit code is that of check.
    """
    wanted = _wanted((*formats, *(["json"] if json_ else [])), output, folder)
    with faults():
        from validator.matrix import matrix
        from validator.verdict import EXIT

        progress = Progress()
        how = replace(options(), progress=progress.lines)
        try:
            document = matrix(targets, descriptor, how, progress.captures)
        finally:
            progress.close()
    for name, place in wanted:
        write(_rendered(name, document), place)
    sys.exit(EXIT[document["verdict"]])


def _wanted(formats: tuple[str, ...], output: str | None, folder: str | None) -> list[tuple[str, str | None]]:
    """Return the formats to write, each with its file; None for standard output."""
    wanted: list[tuple[str, str | None]] = []
    for text in formats or (() if folder else ("markdown",)):
        name, _, file = text.partition("=")
        if name not in FORMATS:
            fail(f"--format {text!r}: there are {', '.join(FORMATS)}")
        wanted.append((name, file or output))
    if folder is not None:
        if not Path(folder).is_dir():
            fail(f"--write {folder}: no such folder; make it first")
        wanted.extend((name, str(Path(folder) / file)) for name, file in FORMATS.items())
    places = [place for _, place in wanted]
    if len(set(places)) != len(places):
        fail("two formats would go to one place; give each its own with --format NAME=FILE")
    return wanted


def _rendered(name: str, document: Document) -> str:
    if name == "json":
        return as_json(document)
    if name == "html":
        from validator.matrix.page import render

        return render(document)
    from validator.matrix.markdown import render as as_markdown

    return as_markdown(document)
