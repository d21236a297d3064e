"""Runs a check for the verbs that do: with its shares and jobs, its progress, and what goes to standard error."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validator.cli._options import faults, replay_options, tell
from validator.cli._outputs import Outputs, output_options
from validator.cli._progress import Progress

if TYPE_CHECKING:
    from validator.jobs import Judged
    from validator.replay import Options
    from validator.shards import Shard

Command = Callable[..., Any]

_OPTIONS = (
    click.option("--fail-on", type=click.Choice(["error", "notice"]), default="error", show_default=True,
                 help="From which level on a capture does not conform."),
    click.option("--jobs", default="1", show_default=True, metavar="N|dask:ADDRESS",
                 help="Judge in N processes at once, or on a Dask cluster."),
    click.option("--shard", metavar="K/N", help="Judge the K-th share of N; merge makes one report of all."),
    click.option("-q", "--quiet", is_flag=True, help="No progress, and no table that was not asked for."),
    click.option("-v", "--verbose", is_flag=True, help="Say on standard error what each capture gave."),
    click.option("--timings", is_flag=True, help="Say on standard error how long each capture took."),
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What a run of a check is to do."""

    targets: tuple[str, ...]
    descriptor: str | None
    options: Callable[[], Options]
    fail_on: str
    jobs: str
    shard: str | None
    quiet: bool
    verbose: bool
    timings: bool


def checking_options(function: Command) -> Command:
    """Add the options of the verbs that check; the verb takes ``wanted`` (a ``Wanted``) and ``outputs``."""
    names = ("targets", "descriptor", "options", "fail_on", "jobs", "shard", "quiet", "verbose", "timings")

    @functools.wraps(function)
    def with_wanted(*, outputs: Any, **given: Any) -> Any:
        wanted = Wanted(**{name: given.pop(name) for name in names})
        return function(wanted=wanted, outputs=outputs(wanted.quiet), **given)

    command: Command = with_wanted
    for option in reversed(_OPTIONS):
        command = option(command)
    return replay_options(output_options(command))


@dataclass(frozen=True)
class Checked:
    """A finished check."""

    report: dict[str, Any]
    engine: str
    shard: Shard | None
    findings: Path | None

    def show(self, wanted: Wanted, outputs: Outputs) -> None:
        """Write the report in every format that is wanted."""
        from validator.check import places
        from validator.report.formats import View, render

        found: list[str | None] = []
        if outputs.has("sarif", "github"):
            found = places(wanted.targets, wanted.descriptor, self.shard)
        view = View(self.engine, found, self._all_findings if self.findings else None)
        outputs.write(lambda name, color: render(name, self.report, replace(view, color=color)))

    def _all_findings(self, number: int) -> Iterable[dict[str, Any]]:
        from validator.jobs import findings_file
        from validator.report.all_findings import kept

        assert self.findings is not None
        return kept(findings_file(self.findings, number))


@contextmanager
def checked(wanted: Wanted, all_findings: bool = False) -> Iterator[Checked]:
    """Check, and give the report while what was kept of it is there; faults of usage end the run."""
    folder = Path(tempfile.mkdtemp(prefix="validator-")) if all_findings else None
    try:
        with faults():
            done = _check(wanted, folder)
        yield done
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _check(wanted: Wanted, folder: Path | None) -> Checked:
    from validator.check import check
    from validator.jobs import executor_of
    from validator.replay.feed import engine_name
    from validator.shards import parse

    progress = Progress(wanted.quiet)
    how = replace(wanted.options(), progress=progress.lines)
    shard = parse(wanted.shard) if wanted.shard is not None else None
    timings: list[tuple[str, float]] = []

    def note(judged: Judged, done: int, total: int) -> None:
        progress.captures(done, total)
        timings.append((judged.entry["capture"], judged.seconds))
        if wanted.verbose:
            progress.close()
            _say(judged)

    try:
        with executor_of(wanted.jobs) as executor:
            report = check(
                wanted.targets, wanted.descriptor, how, wanted.fail_on, note,
                executor=executor, shard=shard, findings=folder,
            )  # fmt: skip
    finally:
        progress.close()
    _warn(report)
    if wanted.timings:
        _show(timings)
    return Checked(report, engine_name(how.engine), shard, folder)


def _say(judged: Judged) -> None:
    entry = judged.entry
    counts, sums = entry["counts"], entry["conservation"]
    tell(
        f"{entry['capture']}: {entry['verdict']}: {sums['native']} units, {counts['records']} records, "
        f"{counts['errors']} errors, {counts['notices']} notices, converter {entry.get('converter') or 'unknown'}"
    )


def _warn(report: dict[str, Any]) -> None:
    """Say which captures could not be judged as they were given: that is wrong usage, and not in every format."""
    from validator.verdict import WRONG_USAGE

    for entry in report["captures"]:
        if entry["verdict"] == WRONG_USAGE:
            tell(entry["message"])


def _show(timings: list[tuple[str, float]]) -> None:
    for capture, seconds in timings:
        tell(f"{capture}: {seconds:.3f} s")
    tell(f"{len(timings)} captures: {sum(seconds for _, seconds in timings):.3f} s of work")


