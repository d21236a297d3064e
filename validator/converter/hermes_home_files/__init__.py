"""The converter of `hermes-home-files`: turns the files of a Hermes home into their record stream.

The turns and tool lines of the session logs come first, file by file and line by line, then the memories and the
configuration as they are at the snapshot. It holds one line or one file at a time, follows no link, and knows the
files by itself: it shares nothing with the other stations.
"""

from __future__ import annotations

from collections.abc import Iterator

from validator.converter import NamespaceRequired, Request, SourceUnusable, WrongRequest

FORMAT = "hermes-home-files"
PRODUCER = "com.nousresearch.hermes"


def convert(request: Request) -> Iterator[bytes]:
    """The lines of the home's record stream; `ConversionError` before the first where there can be none.

    `request.source` is the home folder.
    """
    from validator.converter.hermes_home_files.run import Run

    if request.after is not None:
        raise WrongRequest("the lines of a home have no position that holds for all its sessions: leave --after out")
    if not request.source.is_dir():
        raise SourceUnusable(f"{request.source.name}: not a folder; name the home that holds memories/ and sessions/")
    if not request.namespace:
        raise NamespaceRequired(
            "the files of a home hold no namespace: give that of the home's store, or else the one that the "
            "installation keeps, with --namespace"
        )
    yield from Run(request.source, {"value": request.namespace, "basis": "installation"}, request.snapshot).lines()
