"""Gives the Python files of a wheel, an sdist or a source tree, in memory and within limits.

An archive is never extracted: its members are read one by one and bounded, whatever its directory claims.
Hands on a ``Tree``: the text of each file by its path in the tree, and what the target says of itself.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

MOST_MEMBERS = 100_000
LARGEST_FILE = 4 * 2**20
"""Bytes of one file; a larger one is skipped and named."""
LARGEST_TREE = 512 * 2**20
"""Bytes of all files that are read."""
LARGEST_ARCHIVE = 4 * 2**30
"""Unpacked bytes that are passed by on the way to those files."""

_METADATA = ("METADATA", "PKG-INFO", "pyproject.toml")
"""Files that say package and version, the best first."""
_NOT_THEIRS = frozenset(["tests", "test", "node_modules", ".git", ".venv", "venv", "site-packages", "__pycache__"])


class TreeError(Exception):
    """A source that cannot be read: why, and what to do about it."""


@dataclass(frozen=True)
class Tree:
    """The Python files of a target."""

    files: dict[str, bytes]
    """Bytes by path; ``/`` between the parts."""
    package: str | None
    version: str | None
    unread: tuple[str, ...] = ()


def read_tree(path: Path) -> Tree:
    """Read a wheel, an sdist or a folder; raises ``TreeError``."""
    try:
        if path.is_dir():
            return _tree(_folder(path))
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _tree(_zip(archive))
        with tarfile.open(path, mode="r|*") as tar:
            return _tree(_tar(tar))
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise TreeError(f"not a readable archive: {error}; fetch it again") from None
    except OSError as error:
        raise TreeError(f"cannot be read: {error.strerror or error}; make it readable") from None


Member = tuple[str, int, IO[bytes]]
"""Path, the size that the directory claims, and where to read it."""


def _tree(members: Iterable[Member]) -> Tree:
    """Gather the members that matter; the sizes that count are those that were read."""
    files: dict[str, bytes] = {}
    unread: list[str] = []
    said: dict[str, tuple[str | None, str | None]] = {}
    total = 0
    for count, (name, size, stream) in enumerate(members, 1):
        if count > MOST_MEMBERS:
            raise TreeError(f"more than {MOST_MEMBERS} members; that is no release")
        wanted = _wanted(name)
        if wanted is None:
            continue
        data = stream.read(LARGEST_FILE + 1) if size <= LARGEST_FILE else None
        if data is None or len(data) > LARGEST_FILE:
            unread.append(f"{wanted}: larger than {LARGEST_FILE} bytes")
            continue
        total += len(data)
        if total > LARGEST_TREE:
            raise TreeError(f"unpacks to more than {LARGEST_TREE} bytes of source; that is no release")
        if wanted.endswith(".py"):
            files[wanted] = data
        else:
            said.setdefault(PurePosixPath(wanted).name, _says(wanted, data))
    package, version = next((said[name] for name in _METADATA if name in said), (None, None))
    return Tree(dict(sorted(files.items())), package, version, tuple(unread))


def _wanted(name: str) -> str | None:
    """Return a member's plain path where it matters; paths that lead out of the tree never do."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\x00" in name or not path.parts:
        return None
    if path.suffix == ".py":
        theirs = not _NOT_THEIRS & set(path.parts[:-1]) and not path.name.startswith("test_")
        return str(path) if theirs and path.name != "conftest.py" else None
    deepest = 2 if path.suffix == "" and path.parts[0].endswith((".dist-info", ".egg-info")) else 1
    return str(path) if path.name in _METADATA and len(path.parts) <= deepest else None


def _says(name: str, data: bytes) -> tuple[str | None, str | None]:
    """Return the package and the version that a metadata file names."""
    text = data.decode("utf-8", "replace")
    if name.endswith("pyproject.toml"):
        import tomllib

        try:
            project = tomllib.loads(text).get("project", {})
        except (tomllib.TOMLDecodeError, RecursionError):
            return None, None
        fields = [project.get(key) if isinstance(project, dict) else None for key in ("name", "version")]
        return fields[0] if isinstance(fields[0], str) else None, fields[1] if isinstance(fields[1], str) else None
    head = text.split("\n\n", 1)[0]
    found = dict(line.split(":", 1) for line in head.splitlines() if line.startswith(("Name:", "Version:")))
    return (found.get("Name") or "").strip() or None, (found.get("Version") or "").strip() or None


def _zip(archive: zipfile.ZipFile) -> Iterator[Member]:
    for info in archive.infolist():
        if info.is_dir() or info.flag_bits & 1 or _wanted(info.filename) is None:
            continue
        with archive.open(info) as stream:
            yield info.filename, info.file_size, stream


def _tar(archive: tarfile.TarFile) -> Iterator[Member]:
    for member in archive:
        vars(archive)["members"] = []  # a stream keeps every member it passed
        if member.offset + member.size > LARGEST_ARCHIVE:
            raise TreeError(f"unpacks to more than {LARGEST_ARCHIVE} bytes; that is no release")
        # The first folder of an sdist is PACKAGE-VERSION.
        name = member.name.split("/", 1)[1] if "/" in member.name else member.name
        stream = archive.extractfile(member) if member.isreg() else None
        if stream is not None:
            yield name, member.size, stream


def _folder(root: Path) -> Iterator[Member]:
    for base, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NOT_THEIRS)
        for name in sorted(names):
            path = Path(base) / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or _wanted(name) is None:
                continue
            with path.open("rb") as stream:
                yield path.relative_to(root).as_posix(), status.st_size, stream
