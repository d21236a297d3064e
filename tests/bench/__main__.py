"""Runs the benchmark: ``python -m tests.bench [--messages N]… [--hermes PROGRAM] [--runs N] [--output FOLDER]``.

At each size the full check, the floor and, where its program is named, the release's own export of the same store
take turns; the medians and their ratios are printed, and the memory of one more run. ``--captures N`` measures as many
small captures too. ``--output`` writes ``benchmark.md``, ``benchmark.json`` and ``benchmark.svg``. It ends with 1 where
a run failed, did not give every row a record, or missed a planted lie.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.bench.grow import NAMESPACE, grow
from tests.bench.measure import Cost, median, run

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "captures/0.19.0-edit-review"
SIZES = (10_000, 100_000)
PER_SESSION = 200
LOOP = 10_000
"""Messages at which the plain jsonschema loop is measured: it takes minutes beyond."""

Command = Callable[[Path, Path, bool], Cost]
"""Runs on a store, with its output in a file; says whether the memory is watched."""


def units(store: Path) -> int:
    """Count the rows that must be in records."""
    with closing(sqlite3.connect(store)) as opened:
        tables = ("messages", "sessions", "session_model_usage")
        return sum(int(opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in tables)


def python(*words: str) -> list[str]:
    """Return a command that runs a module of this checkout."""
    return [sys.executable, "-m", *words]


def check(store: Path, output: Path, memory: bool) -> Cost:
    """Run the full check: every claim, digest and schema."""
    command = python("validator", "check", str(store), "--namespace", NAMESPACE, "--json")
    return run(command, output, ROOT, memory=memory)


def floor(store: Path, output: Path, memory: bool) -> Cost:
    """Read and serialise every row."""
    return run(python("tests.bench.floor", str(store)), output, ROOT, memory=memory)


def export_by(program: str) -> Command:
    """Return the release's own export, isolated: no network, its own home, a copy of the store."""

    def export(store: Path, output: Path, memory: bool) -> Cost:
        with tempfile.TemporaryDirectory() as home:
            (Path(home) / "state.db").write_bytes(store.read_bytes())
            namespaces = ["unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--mount-proc"]
            command = [*namespaces, program, "sessions", "export", str(Path(home) / "export.jsonl")]
            env = {"HOME": home, "HERMES_HOME": home, "HERMES_DISABLE_LAZY_INSTALLS": "1", "PATH": "/usr/bin:/bin"}
            return run(command, output, Path(home), env, memory=memory)

    return export


def lie_is_found(store: Path, output: Path) -> bool:
    """Whether a lie in the very last message's record is found."""
    converter = f"{sys.executable} {ROOT / 'tests/bench/lie.py'}"
    words = ["check", str(store), "--namespace", NAMESPACE, "--json", "--converter", converter, "--timeout", "3600"]
    run(python("validator", *words, "--memory", "65536"), output, ROOT)
    report = json.loads(output.read_bytes())
    return any(finding["claim"] == "standard.role" for finding in report["captures"][0]["findings"])


def measured(size: int, per_session: int, commands: dict[str, Command], runs: int, folder: Path) -> dict[str, Any]:
    """Measure all commands on one grown store, in turns."""
    store, output = folder / f"{size}-{per_session}" / "state.db", folder / "output"
    store.parent.mkdir()
    grow(store, size, per_session)
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            costs[name].append(command(store, output, False))
            if name == "check":
                report = json.loads(output.read_bytes()) if costs[name][-1].status == 0 else None
    medians = {name: median(found, commands[name](store, output, True)) for name, found in costs.items()}
    result: dict[str, Any] = {
        "messages": size,
        "per_session": per_session,
        "store_bytes": store.stat().st_size,
        "commands": {name: vars(cost) for name, cost in medians.items()},
        "subjects": {claim["claim"]: claim["subjects"] for claim in report["captures"][0]["claims"]} if report else {},
        "sound": report is not None and report["totals"]["records"] == units(store),
        "lie_found": lie_is_found(store, output),
    }
    store.unlink()
    return result


def schema_loop(folder: Path) -> dict[str, Any]:
    """Measure the plain jsonschema loop over the stream of a small store."""
    store = grow(folder / "state.db", LOOP, PER_SESSION)
    stream = folder / "stream.jsonl"
    run(python("validator", "convert", str(store), "--namespace", NAMESPACE), stream, ROOT)
    cost = run(python("tests.bench.schema_loop", str(stream)), folder / "output", ROOT)
    store.unlink()
    return {"messages": LOOP, **vars(cost)}


def start_up(folder: Path, runs: int) -> dict[str, float]:
    """Measure what a user waits for before anything happens, in seconds of wall-clock time."""
    commands = {"validator --help": ["--help"], "validator check (one small capture)": ["check", str(SMALL)]}
    return {
        name: median([run(python("validator", *words), folder / "output", ROOT) for _ in range(runs)]).wall
        for name, words in commands.items()
    }


def many(count: int, folder: Path) -> list[dict[str, Any]]:
    """Measure the check of so many small captures, in one process and in two."""
    captures, output = folder / "captures", folder / "output"
    for name in (f"{number:05}" for number in range(count)):
        shutil.copytree(SMALL, captures / name)
        manifest = json.loads((SMALL / "capture.json").read_bytes())
        (captures / name / "capture.json").write_text(json.dumps({**manifest, "id": name}), encoding="utf-8")
    found = []
    for jobs in (1, 2):
        words = ["check", str(captures), "--json", "--jobs", str(jobs)]
        cost = run(python("validator", *words), output, ROOT, memory=True)
        report = json.loads(output.read_bytes())
        sound = cost.status == 0 and len(report["captures"]) == count
        found.append({"captures": count, "jobs": jobs, "sound": sound, **vars(cost)})
    shutil.rmtree(captures)
    return found


def main(arguments: list[str]) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--messages", type=int, action="append", help="a size; repeatable")
    parser.add_argument("--long-session", type=int, help="also one session of so many messages")
    parser.add_argument("--captures", type=int, help="also so many small captures, in one process and in two")
    parser.add_argument("--hermes", help="the program `hermes` of an installed release 0.19.0")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path, help="folder for the table, the data and the plot")
    given = parser.parse_args(arguments)
    commands: dict[str, Command] = {"check": check, "floor": floor}
    if given.hermes:
        commands["hermes sessions export"] = export_by(given.hermes)
    sizes = [(size, PER_SESSION) for size in given.messages or SIZES]
    if given.long_session:
        sizes.append((given.long_session, given.long_session))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = [measured(size, each, commands, given.runs, folder) for size, each in sizes]
        data = {"sizes": results, "schema_loop": schema_loop(folder), "start_up": start_up(folder, max(given.runs, 3))}
        if given.captures:
            data["many"] = many(given.captures, folder)
    from tests.bench.present import table, write

    print(table(data))
    if given.output:
        write(data, given.output)
    sound = all(result["sound"] and result["lie_found"] for result in results)
    return int(not sound or not all(result["sound"] for result in data.get("many", [])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
