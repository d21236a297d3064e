"""Runs a converter again on the same source: for the same bytes, and from positions on for exactly the rest.

Each run gets a fresh private copy and is read like the first, into a workbench that is thrown away. What differs is a
``Difference``; a run that fails is the converter's failure.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from validator import workbench as workbench_station
from validator.capture import Capture, copy
from validator.converter import Request
from validator.descriptor import Descriptor
from validator.replay.converters import Converter
from validator.replay.feed import Failure, Fed, feed
from validator.replay.runs import Run

DETERMINISTIC = "stream.deterministic"
"""The id under which it is reported that two runs differ."""

RESUME = "stream.resume"
"""The id under which it is reported that a run from a position on does not hold exactly the rest."""

MOST_POSITIONS = 8
"""A run is resumed from so many positions at most, evenly spread."""


@dataclass(frozen=True)
class Difference:
    """Where a later run is not what the first one promised."""

    expected: str
    found: str
    line: int | None = None
    """Of the first run's output, from 1, where there is one to name."""


@dataclass(frozen=True)
class Rerun:
    """How later runs on one source went. ``subjects``: how many there were."""

    claim: str
    source: str
    subjects: int
    differences: tuple[Difference, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class Again:
    """What a later run needs: the same as the first."""

    capture: Capture
    run: Run
    converter: Converter
    engine: str
    descriptor: Descriptor
    folder: Path
    """Private to these runs."""

    def feed(self, after: str | None = None) -> Fed:
        """Run the converter once more, from a position on or as a whole; its lines stay until the next run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        copied = copy(self.capture.root, self.run.paths, self.folder / "source")
        bench = workbench_station.create(self.folder / "workbench.db", self.descriptor.shapes)
        with closing(bench):
            run = self.run
            request = Request(run.format, copied / run.source, run.snapshot, run.given, after)
            lines = self.converter.lines(request, self.folder)
            return feed(bench, run, lines, self.engine, self.descriptor, self.folder)


def twice(again: Again, first: Path) -> Rerun:
    """Run once more and compare with the lines of the first run, byte for byte."""
    fed = again.feed()
    if fed.failure is not None:
        return Rerun(DETERMINISTIC, again.run.source, 1, failure=_in("the second run", fed.failure))
    difference = _first_difference(first, fed.spool)
    return Rerun(DETERMINISTIC, again.run.source, 1, (difference,) if difference else ())


def resume(again: Again, first: Path) -> Rerun:
    """Run from every k-th transcript position of the first run; without any subject, if ``begin`` does not offer it."""
    differences: list[Difference] = []
    positions, known = _positions(first), list(_records(first))
    for position in positions:
        fed = again.feed(position)
        if fed.failure is not None:
            failure = _in(f"the run after position {position[:100]}", fed.failure)
            return Rerun(RESUME, again.run.source, len(positions), tuple(differences), failure)
        difference = _difference_of_rest(position, known, list(_records(fed.spool)))
        if difference is not None:
            differences.append(difference)
    return Rerun(RESUME, again.run.source, len(positions), tuple(differences))


def _in(which: str, failure: Failure) -> Failure:
    return Failure(f"in {which}: {failure.message}", failure.line, failure.stderr)


def _first_difference(first: Path, second: Path) -> Difference | None:
    with first.open("rb") as ours, second.open("rb") as theirs:
        for number, (one, other) in enumerate(zip_longest(ours, theirs), 1):
            if one is None:
                return Difference("no line", "a line more in the second run", number)
            if other is None:
                return Difference("a line, as in the first run", "no line", number)
            if one != other:
                byte = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
                place = min(len(one), len(other)) if byte is None else byte
                return Difference("the same line as in the first run", f"another from byte {place + 1} on", number)
    return None


@dataclass(frozen=True)
class _Record:
    """A record as later runs must repeat it: all but the stream's number, which is each run's own."""

    stream: str
    transcript: bool
    position: str
    digest: bytes


def _records(spool: Path) -> Iterator[_Record]:
    """Go through the records of a stream that has been found well-formed."""
    streams: dict[int, str] = {}
    with spool.open("rb") as lines:
        for line in lines:
            item = json.loads(line)
            if item["line"] == "stream":
                key = [item["namespace"], item["session"], item["agent"]]
                streams[item["stream"]] = json.dumps(key, sort_keys=True)
            elif item["line"] == "record" and item.get("stream") in streams:
                stream = streams[item.pop("stream")]
                digest = hashlib.blake2b(json.dumps(item, sort_keys=True).encode(), digest_size=16).digest()
                yield _Record(stream, item.get("family") == "transcript", str(item.get("position")), digest)


def _positions(spool: Path) -> list[str]:
    """Choose the positions to resume from; none if the converter does not say that it can."""
    with spool.open("rb") as lines:
        if json.loads(next(lines)).get("after") is not True:
            return []
    every = list(dict.fromkeys(record.position for record in _records(spool) if record.transcript))
    step = -(-len(every) // MOST_POSITIONS) or 1
    return every[step - 1 :: step]


def _difference_of_rest(position: str, known: list[_Record], found: list[_Record]) -> Difference | None:
    rest = _rest(position, known)
    if _by_stream(rest) == _by_stream(found):
        return None
    missing = (Counter(rest) - Counter(found)).total()
    surplus = (Counter(found) - Counter(rest)).total()
    what = f"{missing} of them missing, {surplus} others" if missing or surplus else "another order"
    return Difference(f"the {len(rest)} records beyond position {position}", what)


def _rest(position: str, known: list[_Record]) -> list[_Record]:
    """Return the current state, and of the transcripts what lies beyond a position: by number, else by order."""
    number = _number(position)
    if number is not None:
        others = [_number(record.position) for record in known]
        beyond = [other is None or other > number for other in others]
    else:
        last = max(at for at, record in enumerate(known) if record.transcript and record.position == position)
        beyond = [at > last for at in range(len(known))]
    return [record for record, is_beyond in zip(known, beyond, strict=True) if is_beyond or not record.transcript]


def _number(position: str) -> int | None:
    return int(position) if re.fullmatch(r"-?[0-9]{1,4000}", position, re.ASCII) else None


def _by_stream(records: list[_Record]) -> dict[str, list[bytes]]:
    streams: dict[str, list[bytes]] = {}
    for record in records:
        streams.setdefault(record.stream, []).append(record.digest)
    return streams
