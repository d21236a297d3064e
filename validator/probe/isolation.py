"""Runs a command where it can reach nothing: private network, mounts, processes and host name.

Only loopback exists; the file system is read-only but for a fresh one in memory and the folder for what comes out.
Where the kernel or the rights for that are missing, nothing is run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

CHECK_SECONDS = 30


class IsolationError(Exception):
    """Isolation is not available here: why, and what to do about it."""


def prefix() -> list[str]:
    """Return the command that puts another into isolation."""
    spaces = ["--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--mount-proc", "--kill-child"]
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, *spaces, "--"]


def check() -> None:
    """Try isolation on a command that does nothing; raises ``IsolationError``."""
    for program in ("unshare", "mount", "ip"):
        if shutil.which(program) is None:
            raise IsolationError(
                f"{program} is missing, so the release cannot be isolated; install util-linux and iproute2"
            )
    probing = "ip link set lo up && mount -t tmpfs none /mnt && mount -o remount,bind,ro / && ip -o link | wc -l"
    try:
        done = run(["sh", "-c", probing], CHECK_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise IsolationError(f"isolation cannot be tried: {error}; run where namespaces are allowed") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason given"]
        raise IsolationError(
            f"isolation is not available ({reason[0][:150]}); nothing was run. "
            "Run as root, or where user namespaces are allowed"
        )
    if done.stdout.strip() != b"1":
        raise IsolationError("a private network has more than loopback here; nothing was run")


def run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Run a command in isolation and return what came of it; a Python in it finds this package."""
    package = str(Path(__file__).resolve().parents[2])
    found = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{found}" if found else package}
    return subprocess.run(
        [*prefix(), *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
        env=environment,
    )
