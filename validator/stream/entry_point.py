"""Finds the converters that installed Python packages offer, and runs one by the protocol of a command.

A package offers one under the entry point group `validator.converters`: an object that is called with a
Request and returns an iterable of lines (bytes, each with its LF). It runs in a process of its own, this
module's `main`, so that it has the limits, the directory and the environment of any other command.
"""

import json
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from validator.converter import Request
from validator.stream import CommandError

GROUP = "validator.converters"

_BOOT = "import sys; sys.path[:] = {path}; from validator.stream.entry_point import main; main({name!a})"


def load_entry_point(name: str) -> Callable[[Request], Iterable[bytes]]:
    """The converter of that name; raises CommandError when none, or more than one, can be loaded."""
    point = _find(name)
    try:
        converter = point.load()
    except Exception as fault:  # a stranger's module may raise anything
        raise CommandError(
            f"--converter: entry point {name!r} ({point.value}) cannot be loaded: "
            f"{type(fault).__name__}: {str(fault)[:200]}"
        ) from fault
    if not callable(converter):
        raise CommandError(f"--converter: entry point {name!r} ({point.value}) is not callable")
    return converter  # type: ignore[no-any-return]


def entry_point_argv(name: str) -> tuple[str, ...]:
    """The command that runs the converter of that name; raises CommandError when there is none.

    The module is not loaded here: what it does on import is done in its own process.
    """
    _find(name)
    path = json.dumps([str(Path.cwd() / entry) for entry in sys.path])  # "" is where the validator runs
    return sys.executable, "-I", "-c", _BOOT.format(path=path, name=name)


def main(name: str) -> None:
    """Answers one request, given as the protocol's command line, with the lines of the converter `name`."""
    from validator.converter.arguments import request_from

    request = request_from(f"entry-point:{name}", sys.argv[1:])
    try:
        converter = load_entry_point(name)
    except CommandError as fault:
        sys.exit(str(fault))
    for line in converter(request):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _find(name: str) -> EntryPoint:
    points = entry_points(group=GROUP)
    # A package may be seen twice, installed and in its own folder: the same value is the same thing.
    found = {point.value: point for point in points if point.name == name}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise CommandError(f"--converter: {len(found)} packages offer an entry point {name!r}: {sorted(found)}")
    offered = ", ".join(sorted({point.name for point in points})) or "none"
    raise CommandError(f"--converter: no package offers an entry point {name[:200]!r}; installed: {offered}")
