"""Shares: every n-th capture for one machine of n, and one report from the reports of all of them.

Neighbours in a folder are alike in size, so a share takes every n-th capture and not a run of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Item = TypeVar("Item")

MOST = 10_000


class ShardError(Exception):
    """A share that is none, or reports that do not make one: wrong usage, exit code 2."""


@dataclass(frozen=True)
class Shard:
    """Share ``number`` (from 1) of ``count``."""

    number: int
    count: int

    def of(self, items: Sequence[Item]) -> list[Item]:
        """Return the share of a sequence."""
        return list(items[self.number - 1 :: self.count])


def parse(text: str) -> Shard:
    """Read ``K/N``; raises ``ShardError``."""
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text, re.ASCII)
    number, count = (int(part) for part in found.groups()) if found else (0, 0)
    if not 1 <= number <= count <= MOST:
        raise ShardError(f"--shard {text[:100]!r}: write K/N, such as 2/3 for the second of three shares")
    return Shard(number, count)


def joined(reports: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the entries of captures in the order of the whole, from reports with their names.

    Reports of shares must be all of one whole. Reports that are of no share are put one after the other.
    Raises ``ShardError``.
    """
    whole = [name for name, report in reports if "shard" not in report]
    if len(whole) == len(reports):
        return [entry for _, report in reports for entry in report["captures"]]
    if whole:
        raise ShardError(f"{whole[0]}: the report of no share among reports of shares; merge the shares first")
    shares = {name: report["shard"] for name, report in reports}
    first = next(iter(shares.values()))
    for name, share in shares.items():
        if (share["of"], share["captures"]) != (first["of"], first["captures"]):
            raise ShardError(f"{name}: a share of another whole; merge the shares of one run only")
    numbers = sorted(share["number"] for share in shares.values())
    twice = [number for number in numbers if numbers.count(number) > 1]
    missing = [number for number in range(1, first["of"] + 1) if number not in numbers]
    if twice:
        raise ShardError(f"share {twice[0]} of {first['of']} is there twice; give each report once")
    if missing:
        raise ShardError(f"share {missing[0]} of {first['of']} is missing; give the reports of all shares")
    entries: list[dict[str, Any]] = [{} for _ in range(first["captures"])]
    for name, report in reports:
        share = report["shard"]
        if len(report["captures"]) != len(range(share["number"] - 1, first["captures"], share["of"])):
            held = len(report["captures"])
            raise ShardError(f"{name}: holds {held} captures, which is not its share; check it again")
        entries[share["number"] - 1 :: share["of"]] = report["captures"]
    return entries
