"""The probe: a release of the producer is run in isolation against a scripted model, and what it wrote is checked.

Hands on a ``Probe``: the captures that it made, the report on them, and the ``probe`` evidence item.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator.audit.targets import REQUIREMENT, fetch
from validator.capture import TargetError
from validator.capture.manifest import digest_of
from validator.check import check
from validator.descriptor import Descriptor
from validator.probe import isolation
from validator.probe.install import install
from validator.probe.plan import Plan, Scenario, load_plan
from validator.replay import Options
from validator.snapshots import Request, take

SCENARIO_SECONDS = 1200


class ProbeError(Exception):
    """A probe that did not come about: why, and what to do about it."""


@dataclass(frozen=True)
class Probe:
    """What a probe gave."""

    item: dict[str, str]
    """The evidence item."""
    report: dict[str, Any]
    """The report on the captures (schema ``report``)."""


def probe(
    requirement: str,
    descriptor: Descriptor,
    options: Options,
    folder: Path,
    captures: Path,
    names: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Probe:
    """Probe a release; ``folder`` is private to the probe, its captures are made in ``captures``.

    ``tell`` is told what is done next. Raises ``TargetError``, ``DescriptorError``, ``IsolationError``, ``ProbeError``
    and the errors of fetching and installing.
    """
    plan = load_plan(descriptor)
    package, version = _release(requirement)
    chosen = _chosen(plan, names)
    isolation.check()
    tell(f"fetching {requirement}")
    wheel = fetch(requirement, folder)
    revision = f"wheel sha256:{digest_of(wheel)}"
    tell(f"installing {wheel.name}")
    venv = install(wheel, folder / "venv")
    made = []
    for scenario in chosen:
        tell(f"running {scenario.name}")
        told = _run(descriptor, scenario, venv, folder / scenario.name)
        fields = _fields(plan, scenario, told) | {"package": package, "version": version, "revision": revision}
        made.append(str(captures / f"{version}-{scenario.name}"))
        take(Request(str(folder / scenario.name / "home"), made[-1], fields), descriptor)
    tell("checking")
    report = check(made, str(descriptor.folder), options)
    return Probe(_item(plan, version, revision, chosen), report)


def _release(requirement: str) -> tuple[str, str]:
    match = REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise TargetError(f"{requirement}: no release; name one such as PACKAGE==VERSION")
    return match["package"], match["version"]


def _chosen(plan: Plan, names: Sequence[str]) -> list[Scenario]:
    known = [scenario.name for scenario in plan.scenarios]
    for name in names:
        if name not in known:
            raise TargetError(f"no scenario {name!r}; there are: {', '.join(known)}")
    return [scenario for scenario in plan.scenarios if not names or scenario.name in names]


def _run(descriptor: Descriptor, scenario: Scenario, venv: Path, out: Path) -> dict[str, Any]:
    """Run a scenario in isolation; returns what it told."""
    out.mkdir()
    inside = [sys.executable, "-m", "validator.probe.inside", str(descriptor.folder.resolve()), scenario.name]
    try:
        done = isolation.run([*inside, str(venv.resolve()), str(out.resolve())], SCENARIO_SECONDS)
    except subprocess.TimeoutExpired:
        raise ProbeError(
            f"{scenario.name}: not done after {SCENARIO_SECONDS} s; try again when the machine rests"
        ) from None
    if not (out / "told.json").is_file():
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason given"]
        raise ProbeError(f"{scenario.name}: could not be run: {said[0][:300]}")
    told: dict[str, Any] = json.loads((out / "told.json").read_text(encoding="utf-8"))
    if not told["well"]:
        last = told["steps"][-1]
        shown = " ".join(str(last["output"]).split())[-300:]
        raise ProbeError(f"{scenario.name}: the release did not do what the plan says (exit {last['code']}): …{shown}")
    return told


def _fields(plan: Plan, scenario: Scenario, told: dict[str, Any]) -> dict[str, Any]:
    """Return what a capture's manifest says of its making."""
    made = {
        "by": "agent",
        "scenario": scenario.name,
        "about": scenario.about,
        "through": plan.through,
        "python": told["python"],
        "sqlite": told["sqlite"] or None,
    }
    return {"made": made, "scope": f"{plan.scope}; {scenario.about}.", "limitations": plan.limitations}


def _item(plan: Plan, version: str, revision: str, chosen: Sequence[Scenario]) -> dict[str, str]:
    names = ", ".join(scenario.name for scenario in chosen)
    return {
        "label": "probe",
        "version": f"{version}; source {revision}",
        "scope": f"persistence-only; {plan.scope} after scripted runs: {names}.",
    }
