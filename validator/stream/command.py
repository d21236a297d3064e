"""Reads what `--converter` names, a command or an entry point, and hands on an argv to run anywhere."""

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from validator.stream import CommandError

ENTRY_POINT_PREFIX = "entry-point:"


@dataclass(frozen=True)
class Command:
    """A converter that can be started from any directory."""

    text: str
    """As the user wrote it; this, not argv, is what a report may show."""
    argv: tuple[str, ...]
    """The words to run; the first is an absolute path."""


def read_command(text: str, directory: Path | None = None, search: str | None = None) -> Command:
    """The command that `text` names: `entry-point:NAME`, or a program and its arguments.

    `directory` is where relative paths start (default: the current one), `search` the PATH (default: the
    environment's). Raises CommandError.
    """
    if text.startswith(ENTRY_POINT_PREFIX):
        from validator.stream.entry_point import entry_point_argv

        return Command(text, entry_point_argv(text.removeprefix(ENTRY_POINT_PREFIX)))
    return Command(text, resolve_argv(split_command(text), directory or Path.cwd(), search))


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command line by the quoting rules of a POSIX shell; nothing else of a shell is done.

    Raises CommandError when there is no word or a quotation is not closed.
    """
    if "\0" in text:
        raise CommandError("--converter: a command cannot hold a NUL character")
    try:
        words = tuple(shlex.split(text))
    except ValueError as fault:
        raise CommandError(f"--converter: {fault} in: {text[:200]}") from None
    if not words or not words[0]:
        raise CommandError(
            "--converter: the command is empty; write the program and its arguments, as in 'node convert.js'"
        )
    return words


def resolve_argv(words: tuple[str, ...], directory: Path, search: str | None = None) -> tuple[str, ...]:
    """The words with every path made absolute, because the converter runs in another, empty directory.

    The program: with a slash it is a path from `directory`, without one it is looked up in PATH. Any
    other word is made absolute if it names something that exists from `directory`: a regular file, or,
    when the word holds a slash, a directory too (so that `python -m package` is left alone beside a
    folder `package`). All other words stay as they are; `--option=file` is one of them. Raises
    CommandError when there is no such program.
    """
    return _program(words[0], directory, search), *(_argument(word, directory) for word in words[1:])


def absolute_search(directory: Path) -> str:
    """PATH with its relative entries made absolute; an empty entry is `directory`, as in a shell."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(str(directory / entry) for entry in entries)


def _program(word: str, directory: Path, search: str | None) -> str:
    if "/" in word:
        path = directory / word
        if not path.is_file():
            raise CommandError(f"--converter: there is no program {word[:200]!r}")
        if not os.access(path, os.X_OK):
            raise CommandError(
                f"--converter: {word[:200]!r} is not executable; make it so, or name its interpreter"
                " before it, as in 'python3 convert.py'"
            )
        return _absolute(path)
    found = shutil.which(word, path=search or absolute_search(directory))
    if found is None:
        hint = f"; for the file beside you write ./{word[:200]}" if (directory / word).is_file() else ""
        raise CommandError(f"--converter: there is no program {word[:200]!r} in PATH{hint}")
    return _absolute(directory / found)


def _argument(word: str, directory: Path) -> str:
    if not word or word.startswith("-"):
        return word
    path = directory / word
    try:
        names_something = path.is_file() or ("/" in word and path.is_dir())
    except OSError:  # too long to be a name
        return word
    return _absolute(path) if names_something else word


def _absolute(path: Path) -> str:
    # Not Path.resolve: a virtual environment's python is known by the place of its link.
    return os.path.abspath(path)  # noqa: PTH100
