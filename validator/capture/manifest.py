"""The manifest of a capture: read, held against its schema, and against the files themselves."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

MANIFEST = "capture.json"


class CaptureError(Exception):
    """A capture that cannot be trusted or read: the verdict is ``capture unusable``."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check the form of a capture's manifest; raises ``CaptureError``."""
    from validator.schemas import errors

    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError(f"{MANIFEST} cannot be read: {_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise CaptureError(f"{MANIFEST} is not JSON: {error}; restore it from where the capture came from") from None
    for pointer, message in errors("capture", manifest):
        raise CaptureError(f"{MANIFEST}: at {pointer or '/'}: {message}")
    return dict(manifest)


def verify(folder: Path, manifest: dict[str, Any]) -> None:
    """Hold the files of a capture against its manifest.

    Every listed file is there with its size and SHA-256, no link is on the way to it, and no file is
    there that is not listed. Raises ``CaptureError`` that names the first fault in path order.
    """
    listed = {entry["path"]: entry for entry in manifest["files"]}
    if len(listed) != len(manifest["files"]):
        raise CaptureError(f"{MANIFEST} lists a file twice; list each file once")
    if manifest["root"] in listed:
        raise CaptureError(f"the root {manifest['root']!r} is listed as a file; it must be a folder")
    for path in sorted(listed):
        _verify_file(folder, path, listed[path])
    for path in sorted(_files(folder)):
        if path not in listed and path != MANIFEST:
            raise CaptureError(f"{path} is not in the manifest; remove it, or make a new capture that lists it")


def _verify_file(folder: Path, path: str, entry: dict[str, Any]) -> None:
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or "\x00" in path or {"", ".", ".."} & set(parts):
        raise CaptureError(f"the manifest lists {path!r}, which leads out of the capture or is no plain path")
    place = folder
    for part in parts:
        place = place / part
        try:
            mode = place.lstat().st_mode
        except OSError:
            raise CaptureError(f"{path} is listed in the manifest and missing; restore it") from None
        if stat.S_ISLNK(mode):
            raise CaptureError(f"{path} is or leads through a symbolic link; a capture holds plain files only")
    if not stat.S_ISREG(mode):
        raise CaptureError(f"{path} is not a regular file; a capture holds plain files only")
    size = place.stat().st_size
    if size != entry["bytes"]:
        raise CaptureError(f"{path} has {size} bytes, the manifest says {entry['bytes']}; the capture was changed")
    if digest_of(place) != entry["sha256"]:
        raise CaptureError(f"{path} does not have the SHA-256 of the manifest; the capture was changed: restore it")


def _files(folder: Path) -> list[str]:
    found: list[str] = []
    for base, folders, names in os.walk(folder):
        prefix = Path(base).relative_to(folder)
        links = [name for name in folders if (Path(base) / name).is_symlink()]
        found.extend((prefix / name).as_posix() for name in names + links)
    return found


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(error: Exception) -> str:
    return error.strerror or "unreadable" if isinstance(error, OSError) else "it is not UTF-8"
