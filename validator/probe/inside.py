"""Runs one scenario of a probe; it is itself run in isolation, and refuses to work anywhere else.

Usage: ``python -m validator.probe.inside DESCRIPTOR SCENARIO VENV OUT``. The home that the agent leaves behind is
copied to ``OUT/home``, and what happened is told in ``OUT/told.json``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from validator.descriptor import load
from validator.probe.model import Model
from validator.probe.plan import Plan, Scenario, Step, filled, load_plan
from validator.probe.terminal import LINE_SECONDS, START_SECONDS, Talk

ROOM = Path("/mnt")
"""Where everything of the run lies: the same in every run, because it ends up in the store."""
STEP_SECONDS = 300
SHOWN = 2000
"""Characters of a program's output that are told."""


def furnish(venv: Path, out: Path) -> None:
    """Make the room: a file system in memory, the program, the way out, and nothing else to write to."""
    if os.getpid() != 1 or {name for _, name in socket.if_nameindex()} != {"lo"}:
        raise SystemExit("not in namespaces of its own; nothing was run")
    _do("ip", "link", "set", "lo", "up")
    _do("hostname", "probe")
    _do("mount", "--make-rprivate", "/")
    outside = {name: os.open(path, os.O_PATH) for name, path in (("venv", venv), ("out", out))}
    _do("mount", "-t", "tmpfs", "-o", "mode=0755", "none", str(ROOM))
    for name in ("venv", "out", "home", "project", "user", "tmp"):
        (ROOM / name).mkdir()
    for name, folder in outside.items():
        _do("mount", "--bind", f"/proc/{os.getpid()}/fd/{folder}", str(ROOM / name))
        os.close(folder)
    for place in _writable():
        _do("mount", "-o", "remount,bind,ro", place)


def _writable() -> list[str]:
    """List the mounts outside the room, but for the kernel's own."""
    places = [line.split()[1] for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    own = ("/proc", "/sys", "/dev", str(ROOM))
    return [place for place in dict.fromkeys(places) if not any(f"{place}/".startswith(f"{name}/") for name in own)]


def _do(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


class Run:
    """One scenario in one fresh home."""

    def __init__(self, plan: Plan, scenario: Scenario) -> None:
        self._plan = plan
        self._scenario = scenario
        places = {"home": str(ROOM / "home"), "project": str(ROOM / "project")}
        self._model = Model(plan, scenario, places)
        self._words = {**places, **scenario.settings, "port": str(self._model.port)}
        self.told: list[dict[str, Any]] = []

    def prepare(self) -> None:
        """Write the files of home and project."""
        for root, files in (("home", self._plan.files), ("project", self._scenario.project)):
            for name, text in files.items():
                path = ROOM / root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(filled(text, **self._words) if root == "home" else text, encoding="utf-8")

    def go(self) -> bool:
        """Take all steps; whether each did what it was there for."""
        for step in self._scenario.steps:
            last = self._last_session()
            argv = self._argv([filled(word, **({"last": last} if last else {})) for word in step.run])
            done = self._talk(step, argv) if step.talk else self._command(argv)
            self.told.append({"run": list(step.run), **done})
            if not done["well"]:
                return False
        return self._model.served >= len(self._scenario.replies)

    def _argv(self, words: list[str]) -> list[str]:
        return [str(ROOM / "venv/bin/python"), str(ROOM / "venv/bin" / self._plan.program), *words]

    def _environment(self) -> dict[str, str]:
        plain = {
            "PATH": f"{ROOM}/venv/bin:/usr/local/bin:/usr/bin:/bin", "HOME": f"{ROOM}/user", "USER": "probe",
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color", "TMPDIR": f"{ROOM}/tmp",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "COLUMNS": "120", "LINES": "40",
        }  # fmt: skip
        return {**plain, **{name: filled(text, **self._words) for name, text in self._plan.environment.items()}}

    def _command(self, argv: list[str]) -> dict[str, Any]:
        process = subprocess.Popen(
            argv, cwd=ROOM / "project", env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=STEP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        text = output.decode("utf-8", "replace")
        return {"well": process.returncode == 0, "code": process.returncode, "output": text[-SHOWN:]}

    def _talk(self, step: Step, argv: list[str]) -> dict[str, Any]:
        talk = Talk(argv, ROOM / "project", self._environment())
        well = talk.wait(lambda: self._plan.prompt in talk.seen(), START_SECONDS) and talk.rest(lambda: True, 60)
        for line in step.talk:
            if not well:
                break
            wanted = self._model.served + line.replies
            well = talk.type(line) and talk.rest(lambda count=wanted: self._model.served >= count, LINE_SECONDS)  # type: ignore[misc]
        output = talk.seen()[-SHOWN:]
        return {"well": well, "code": talk.end(self._plan.leave), "output": output}

    def _last_session(self) -> str | None:
        """Return the newest session of the store that a descriptor's plan can go on with."""
        for path in sorted((ROOM / "home").glob("*.db")):
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
                    row = store.execute(
                        "SELECT id FROM sessions ORDER BY started_at DESC, rowid DESC LIMIT 1"
                    ).fetchone()
            except sqlite3.Error:
                continue
            if row:
                return str(row[0])
        return None


def main(descriptor: str, scenario_name: str, venv: str, out: str) -> None:
    """Run a scenario and leave its home behind."""
    plan = load_plan(load(descriptor))
    scenario = plan.scenario(scenario_name)
    if scenario is None:
        raise SystemExit(f"no scenario {scenario_name!r}")
    furnish(Path(venv), Path(out))
    run = Run(plan, scenario)
    run.prepare()
    well = run.go()
    shutil.copytree(ROOM / "home", ROOM / "out" / "home", symlinks=True)
    told = {"well": well, "steps": run.told, "sqlite": _sqlite(), "python": sys.version.split()[0]}
    (ROOM / "out" / "told.json").write_text(json.dumps(told), encoding="utf-8")


def _sqlite() -> str:
    asked = [str(ROOM / "venv/bin/python"), "-c", "import sqlite3; print(sqlite3.sqlite_version)"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
