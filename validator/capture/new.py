"""Writes a capture: the native files as they are, and the manifest that says what they are and how they came about.

The folder appears whole or not at all. Hands on the manifest.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from validator.capture.manifest import MANIFEST, CaptureError, digest_of

ROOT = "home"

Manifest = dict[str, Any]

_ORDER = (
    "capture", "id", "producer", "package", "version", "revision", "date", "root", "made", "scope", "limitations",
    "installation", "withheld", "omitted", "files",
)  # fmt: skip


def write_capture(dest: Path, fields: Mapping[str, Any], fill: Callable[[Path], Iterable[str]]) -> Manifest:
    """Write a capture into a folder that is not there yet, and return its manifest.

    ``fields`` are the manifest's members apart from ``capture``, ``root`` and ``files``; ``fill`` puts the native files
    under the root that it is given, and returns their paths in it. Raises ``CaptureError``.
    """
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise CaptureError(f"{dest.name} is there already; name a folder that is not")
    partial = dest.with_name(f".{dest.name}.{os.getpid()}")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        (partial / ROOT).mkdir(parents=True)
        paths = sorted(fill(partial / ROOT))
        manifest = _manifest(partial, fields, paths)
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        (partial / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
        if dest.exists():
            dest.rmdir()
        partial.rename(dest)
    except OSError as error:
        raise CaptureError(f"{dest.name} cannot be written: {error.strerror}; choose another place") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return manifest


def _manifest(folder: Path, fields: Mapping[str, Any], paths: list[str]) -> Manifest:
    from validator.schemas import errors

    files = [
        {
            "path": f"{ROOT}/{path}",
            "bytes": (folder / ROOT / path).stat().st_size,
            "sha256": digest_of(folder / ROOT / path),
        }
        for path in paths
    ]
    given = {"capture": "0.1", "root": ROOT, "files": files, "withheld": [], "omitted": [], **fields}
    manifest = {name: given[name] for name in _ORDER if name in given}
    for pointer, message in errors("capture", manifest):
        raise CaptureError(f"the manifest would be wrong at {pointer or '/'}: {message}")
    return manifest
