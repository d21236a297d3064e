"""``validator gate``: a check, compared with a committed baseline."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validator.cli._checking import Checked, Wanted, checked, checking_options
from validator.cli._options import fail, faults
from validator.cli._outputs import Outputs

if TYPE_CHECKING:
    from validator.gate.baseline import Facts


@click.command(epilog="Example:  validator gate --baseline gate.json captures --converter './convert'")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@checking_options
@click.option("--baseline", metavar="FILE", required=True, help="The committed baseline.")
@click.option("--update", is_flag=True, help="Write what this check gives as the new baseline.")
@click.option("--force", is_flag=True, help="Let --update write where CI is set.")
def command(wanted: Wanted, outputs: Outputs, baseline: str, update: bool, force: bool) -> None:
    """Check, and compare with a committed baseline: whatever differs fails.

    New findings, lost records, lost subjects, new unidentified sources and lost captures are regressions. What is
    better than the baseline says fails too, until --update: else the gain could be lost unnoticed. The baseline is
    never written by itself.
    """
    if update and os.environ.get("CI") and not force:
        fail("--update: the baseline is not written where CI is set; update it where you commit, or add --force")
    if update and wanted.shard is not None:
        fail("--update: a share of the captures makes no baseline; leave --shard out")
    with faults():
        from validator.gate import read

        before: Facts = {} if update and not Path(baseline).exists() else read(baseline)
    with checked(wanted) as done:
        document = _compare(wanted, done, before, baseline, update)
        _show(document, outputs)
    sys.exit(document["exit"])


def _compare(wanted: Wanted, done: Checked, before: Facts, baseline: str, update: bool) -> dict[str, Any]:
    from validator.gate import differences, document, facts, write
    from validator.gate.differ import exit_code

    every = _names(wanted)
    own = every if done.shard is None else done.shard.of(every)
    now = facts(done.report, own)
    found = differences(before, now, set(every) - set(own))
    if update:
        code = exit_code(found, done.report)
        if code in (2, 4) or not now:
            reason = done.report["verdict"]
            fail(f"--update: the baseline is not written: {reason}; see validator check", code or 3)
        with faults():
            write(baseline, now)
    return document(found, done.report, Path(baseline).name, updated=update)


def _names(wanted: Wanted) -> list[str]:
    from validator.capture import find
    from validator.descriptor import load
    from validator.gate.baseline import names

    known = load(wanted.descriptor)
    return names([capture.id for capture in find(wanted.targets, known)])


def _show(document: dict[str, Any], outputs: Outputs) -> None:
    from validator.report.formats import View
    from validator.report.gate import render

    view = View()
    outputs.write(lambda name, color: render(name, document, replace(view, color=color)))
