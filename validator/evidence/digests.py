"""Digests of what evidence is made from: captures, the descriptor's files, converters, and the validator itself.

A digest is a SHA-256 in hexadecimal. That of several files is taken over lines of digest, two spaces and path, sorted
by path, as ``sha256sum`` writes them. Git is only asked whether the validator's own files are as committed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from validator.capture.manifest import digest_of
from validator.converter import formats

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package ``validator``."""

SUFFIXES = (".py", ".json", ".sql")
PATIENCE = 20.0
"""Seconds that git may take."""


def files_of(folder: Path, patterns: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file that patterns find, by its path in the folder, sorted."""
    found = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    return {path.relative_to(folder).as_posix(): digest_of(path) for path in sorted(found)}


def together(files: dict[str, str]) -> str:
    """Return one digest of several files."""
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def descriptor_files(folder: Path) -> dict[str, str]:
    """The digests of what stands beside a descriptor and decides: shapes, claims, rules."""
    return files_of(folder, ("formats/*.json", "vocabularies/*.json", "claims/*.toml", "notices.toml", "sources.json"))


def converter_files(name: str) -> dict[str, str] | None:
    """The digests of a built-in converter's own files; None for a converter that does not ship."""
    if name not in formats():
        return None
    module = PACKAGE / "converter" / name.replace("-", "_")
    if module.is_dir():
        return files_of(PACKAGE, [f"converter/{module.name}/**/*.py"])
    return files_of(PACKAGE, [f"converter/{module.name}.py"])


def validator_digest() -> str:
    """The digest of the validator's own files."""
    found = files_of(PACKAGE, [f"**/*{suffix}" for suffix in SUFFIXES])
    return together({path: digest for path, digest in found.items() if not path.startswith("descriptors/")})


def clean() -> bool | None:
    """Whether the validator's files are as committed; None where it does not run from a checkout of its own."""
    git = shutil.which("git")
    if git is None or _git(git, "ls-files", "--error-unmatch", "--", "__init__.py") is None:
        return None
    changed = _git(git, "status", "--porcelain", "--untracked-files=all", "--", ".")
    return None if changed is None else not changed.strip()


def _git(git: str, *arguments: str) -> bytes | None:
    """What git says when it is asked in the package's folder; None when it cannot say it. It writes nothing."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = [git, "-c", "core.fsmonitor=false", "-c", f"safe.directory={PACKAGE.parent}", *arguments]
    try:
        done = subprocess.run(
            command, cwd=PACKAGE, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
