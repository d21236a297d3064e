"""Makes the smallest capture that still shows a finding: rows and files go as long as the claim stays violated.

Whole tables and files go first, then halves, quarters and so on of what is left, until nothing more can go or the tries
are used up. Hands on the manifest and what was left.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from validator.capture import Capture, CaptureError, copy, find, verify
from validator.capture.new import Manifest, write_capture
from validator.check import check_capture
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape
from validator.replay import Options
from validator.rewriting.store import rewrite
from validator.sources import identify

SAID = "Reduced to what shows a violation of {claim}; it is no whole run."

Unit = tuple[str, str, int]
"""A store, a table of it, and the number of a row; for another file the path, an empty text and 0."""


@dataclass(frozen=True)
class Minimized:
    """What came of it."""

    manifest: Manifest
    claim: str
    before: int
    """Rows and files."""
    after: int
    tries: int
    finished: bool
    """Whether nothing more could go, rather than that the tries were used up."""


def minimize(
    capture: Capture, dest: Path, descriptor: Descriptor, options: Options, claim: str | None, most: int
) -> Minimized:
    """Make the smallest capture that shows a violation of a claim; of the first that is violated where none is named.

    Raises ``CaptureError`` where the capture shows none.
    """
    if capture.manifest is None:
        raise CaptureError(f"{capture.id}: {capture.problem or 'not a capture; make one with validator capture new'}")
    verify(capture.folder, capture.manifest)
    with TemporaryDirectory(prefix="validator-") as private:
        trial = _Trial(capture, descriptor, options, Path(private), most)
        trial.claim = claim or _first(trial.violated(capture))
        if trial.claim is None or trial.claim not in trial.violated(capture):
            shown = f"of {claim} " if claim else ""
            raise CaptureError(f"{capture.id}: shows no violation {shown}with this converter; see validator check")
        everything = trial.units()
        if not trial.shows(everything):
            raise CaptureError(
                f"{capture.id}: {trial.claim} is violated by what is not carried over (derived tables, a log); "
                "it cannot be made smaller"
            )
        kept = trial.reduce(everything)
        fields = _fields(capture.manifest, dest, trial.claim)
        manifest = write_capture(dest, fields, lambda root: trial.write(kept, root))
        return Minimized(manifest, trial.claim, len(everything), len(kept), trial.tries, trial.tries < most)


def _first(claims: Iterable[str]) -> str | None:
    return next(iter(sorted(claims)), None)


def _fields(manifest: Manifest, dest: Path, claim: str) -> dict[str, Any]:
    kept = {name: value for name, value in manifest.items() if name not in ("capture", "root", "files")}
    said = SAID.format(claim=claim)
    return {**kept, "id": dest.name or dest.resolve().name, "limitations": f"{kept['limitations']} {said}"}


class _Trial:
    """Tries smaller and smaller captures."""

    def __init__(self, capture: Capture, descriptor: Descriptor, options: Options, private: Path, most: int) -> None:
        self._capture = capture
        self._descriptor = descriptor
        self._options = options
        self._private = private
        self._most = most
        self._stores: dict[str, Shape] = {}
        self.claim: str | None = None
        self.tries = 0

    def units(self) -> list[Unit]:
        """List what can be taken away: rows in native order, and files."""
        found: list[Unit] = []
        for source in identify(self._capture.paths, self._descriptor):
            if source.owner is not None:
                continue
            shape = self._descriptor.shape(source.format) if source.format and not source.reason else None
            if shape is None or not shape.tables:
                found.append((source.path, "", 0))
                continue
            self._stores[source.path] = shape
            beside = [source.path + suffix for suffix in shape.companions]
            wanted = [source.path, *(path for path in beside if path in self._capture.paths)]
            copy(self._capture.root, wanted, self._private / "old" / source.path)
            written = rewrite(self._old(source.path), self._private / "count.db", shape, _as_it_is, lambda _t, _n: True)
            (self._private / "count.db").unlink()
            found.extend((source.path, table, row) for table, count in written.rows.items() for row in range(count))
        return found

    def _old(self, path: str) -> Path:
        return self._private / "old" / path / path

    def write(self, units: Iterable[Unit], root: Path) -> Iterator[str]:
        """Write a capture's files with only these units."""
        wanted = set(units)
        for path, shape in self._stores.items():
            rewrite(self._old(path), root / path, shape, _as_it_is, lambda t, n, path=path: (path, t, n) in wanted)  # type: ignore[misc]
            yield path
        for path, table, _ in sorted(wanted):
            if not table and path not in self._stores:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self._capture.root / path, root / path, follow_symlinks=False)
                yield path

    def shows(self, units: list[Unit]) -> bool:
        """Whether a capture of only these units violates the claim."""
        self.tries += 1
        assert self._capture.manifest is not None
        folder = self._private / "trial"
        shutil.rmtree(folder, ignore_errors=True)
        fields = {**_fields(self._capture.manifest, folder, str(self.claim)), "id": self._capture.id}
        write_capture(folder, fields, lambda root: self.write(units, root))
        (trial,) = find([str(folder)], self._descriptor)
        return self.claim in self.violated(trial)

    def violated(self, capture: Capture) -> set[str]:
        """Return the claims that a capture violates; none where it could not be judged."""
        entry = check_capture(capture, self._descriptor, self._options, "error")
        return {finding["claim"] for finding in entry["findings"]}

    def reduce(self, units: list[Unit]) -> list[Unit]:
        """Return a smallest list of units that still shows the finding."""
        groups = {(path, table) for path, table, _ in units}
        for group in sorted(groups):
            units = self._without(units, lambda unit, group=group: unit[:2] == group)  # type: ignore[misc]
        size = max(1, len(units) // 2)
        while units:
            before = len(units)
            for start in range(0, len(units), size):
                chunk = set(units[start : start + size])
                units = self._without(units, lambda unit, chunk=chunk: unit in chunk)  # type: ignore[misc]
            if size == 1 and len(units) == before:
                break
            size = max(1, size // 2)
        return units

    def _without(self, units: list[Unit], goes: Callable[[Unit], bool]) -> list[Unit]:
        left = [unit for unit in units if not goes(unit)]
        if len(left) == len(units) or self.tries >= self._most or not self.shows(left):
            return units
        return left


def _as_it_is(_table: str, _column: str, value: Any) -> Any:
    return value
