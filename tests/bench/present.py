"""Presents what the benchmark measured: a table, its data, and a plot of how time and memory grow."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from pathlib import Path
from typing import Any

from tabulate import tabulate

MIB = 2**20


def machine() -> str:
    """Describe the machine, as far as it matters and names nobody."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    return (
        f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def table(data: dict[str, Any]) -> str:
    """Return the tables in Markdown."""
    rows = []
    for result in data["sizes"]:
        base = result["commands"].get("hermes sessions export")
        for name, cost in result["commands"].items():
            rows.append(
                [
                    f"{result['messages']:,}",
                    f"{result['per_session']:,}",
                    name,
                    f"{cost['wall']:.2f}",
                    f"{cost['cpu']:.2f}",
                    f"{cost['largest'] / MIB:.0f}",
                    f"{cost['together'] / MIB:.0f}",
                    f"{1e6 * cost['wall'] / result['messages']:.1f}",
                    f"{cost['wall'] / result['commands']['floor']['wall']:.2f}",
                    f"{cost['wall'] / base['wall']:.2f}" if base else "not measured",
                ]
            )
    heads = [
        "messages",
        "a session",
        "command",
        "wall s",
        "CPU s",
        "largest MiB",
        "all MiB",
        "µs a message",
        "× floor",
        "× export",
    ]
    aligned = ["right", "right", "left", *["right"] * 7]
    loop = data["schema_loop"]
    parts = [
        tabulate(rows, heads, tablefmt="github", disable_numparse=True, colalign=aligned),
        f"A plain `jsonschema` loop over the stream of {loop['messages']:,} messages: {loop['wall']:.1f} s, "
        f"{1e6 * loop['wall'] / loop['messages']:.0f} µs a message.",
        "\n".join(f"`{name}`: {1000 * seconds:.0f} ms" for name, seconds in data["start_up"].items()),
        *([_many(data["many"])] if "many" in data else []),
        "Every row was in a record: " + ", ".join(f"{r['messages']:,} {_yes(r['sound'])}" for r in data["sizes"]) + ". "
        "A lie in the last message's record was found: "
        + ", ".join(f"{r['messages']:,} {_yes(r['lie_found'])}" for r in data["sizes"]) + ".",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _many(found: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{one['captures']:,}",
            str(one["jobs"]),
            f"{one['wall']:.1f}",
            f"{one['cpu']:.1f}",
            f"{one['largest'] / MIB:.0f}",
            f"{one['together'] / MIB:.0f}",
            f"{1000 * one['wall'] / one['captures']:.1f}",
            _yes(one["sound"]),
        ]
        for one in found
    ]
    heads = ["small captures", "jobs", "wall s", "CPU s", "largest MiB", "all MiB", "ms a capture", "all conform"]
    return tabulate(rows, heads, tablefmt="github", disable_numparse=True, colalign=["right"] * 8)


def _yes(fact: bool) -> str:
    return "yes" if fact else "NO"


def subjects(data: dict[str, Any]) -> str:
    """Return the subjects of every claim at each size: nothing is sampled."""
    sizes = data["sizes"]
    claims = sorted({claim for result in sizes for claim in result["subjects"]})
    rows = [[claim, *(f"{result['subjects'].get(claim, 0):,}" for result in sizes)] for claim in claims]
    heads = ["claim", *(f"{result['messages']:,} × {result['per_session']:,}" for result in sizes)]
    return tabulate(rows, heads, tablefmt="github", disable_numparse=True) + "\n"


def write(data: dict[str, Any], folder: Path) -> None:
    """Write the table with the machine's description, the data, and the plot."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (
        "# Benchmark\n\n"
        f"Made by `make bench` on: {machine()}. Each time is the median of several runs that took turns, the "
        "memory that of one more run; compare ratios, not seconds.\n\n"
        f"{table(data)}\n![growth](benchmark.svg)\n\n## Subjects of every claim\n\n{subjects(data)}"
    )
    (folder / "benchmark.md").write_text(text, encoding="utf-8")
    document = {"machine": machine(), **data}
    (folder / "benchmark.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    _plot(data, folder / "benchmark.svg")


def _plot(data: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "benchmark"
    from matplotlib import pyplot

    figure, (time, memory) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    sizes = [result for result in data["sizes"] if result["per_session"] != result["messages"]]
    for name in sizes[0]["commands"]:
        counts = [result["messages"] for result in sizes if name in result["commands"]]
        costs = [result["commands"][name] for result in sizes if name in result["commands"]]
        per_message = [1e6 * cost["wall"] / count for cost, count in zip(costs, counts, strict=True)]
        time.plot(counts, per_message, "o-", label=name)
        memory.plot(counts, [cost["together"] / MIB for cost in costs], "o-", label=name)
    for axes, title in ((time, "wall-clock time, µs a message"), (memory, "memory of all processes, MiB")):
        axes.set(xscale="log", xlabel="messages", title=title, ylim=(0, None))
        axes.grid(alpha=0.3)
    time.legend()
    figure.savefig(path, metadata={"Date": None})
