"""Installs a release into a private environment, from wheels only: to build an sdist is to run it unisolated."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

SECONDS = 1200


class InstallError(Exception):
    """A release that cannot be installed: why, and what to do about it."""


def install(wheel: Path, folder: Path) -> Path:
    """Make an environment with a wheel and what it needs; returns its folder. Raises ``InstallError``."""
    uv = shutil.which("uv")
    python = folder / "bin" / "python"
    if uv is not None and _do([uv, "venv", "-q", "-p", sys.executable, str(folder)]) is None:
        wrong = _do([uv, "pip", "install", "-q", "--only-binary", ":all:", "-p", str(python), str(wheel)])
    else:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True, symlinks=True)
        quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
        wrong = _do([str(python), "-m", "pip", "install", *quiet, "--only-binary", ":all:", str(wheel)])
    if wrong is not None:
        raise InstallError(
            f"{wheel.name}: cannot be installed from wheels: {wrong}; use another Python or another version"
        )
    return folder


def _do(command: Sequence[str]) -> str | None:
    """Run a command; returns what it complains about if it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    if done.returncode == 0:
        return None
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (lines[-1] if lines else f"exit {done.returncode}")[:300]
