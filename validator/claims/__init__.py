"""Claims: the sentences of a format's specification, each with the SQL that decides it.

``load`` reads them from the descriptor's ``claims/*.toml``. A claim has its statement, its level, the evidence it
rests on, a query of its subjects, a query of its violations, and its mutants.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from validator.descriptor import Descriptor, DescriptorError


class UnknownClaimError(Exception):
    """There is no claim of that id: wrong usage, exit code 2."""


class NotRestoredError(Exception):
    """After a mutant was taken back the workbench was not as before; nothing after that can be trusted."""


@dataclass(frozen=True)
class Mutant:
    """A way in which a converter's output can be wrong: statements on records, or an edit of lines."""

    name: str
    sql: tuple[str, ...] = ()
    lines: str | None = None
    """The name of an edit in ``validator.claims.edits``."""
    where: dict[str, Any] | None = None
    """What the edit applies to."""


@dataclass(frozen=True)
class Claim:
    """One claim. See the guide in ``docs/claims.md``."""

    id: str
    statement: str
    level: str
    evidence: tuple[int, ...]
    formats: tuple[str, ...]
    subjects: str
    violations: str
    """Finds what violates it, among the units and records of its formats only."""
    mutants: tuple[Mutant, ...]
    file: str
    note: str | None = None
    source: str | None = None
    """Where the sentence comes from."""
    remedy: str | None = None
    written: str = ""
    """The violations as they stand in the file, before they are narrowed to the claim's formats."""

    @property
    def query(self) -> str:
        """Its longest query."""
        return self.violations


@dataclass(frozen=True)
class NoticeRule:
    """A query of native tables that finds what a notice code is about."""

    code: str
    select: str
    file: str

    @property
    def query(self) -> str:
        """Its one query."""
        return self.select


@lru_cache(maxsize=8)
def load(descriptor: Descriptor) -> tuple[Claim, ...]:
    """Load all claims of a descriptor, sorted by id; ``DescriptorError`` names file and place of a fault."""
    claims: dict[str, Claim] = {}
    for path in sorted((descriptor.folder / "claims").glob("*.toml")):
        document = _read(path)
        for item in _items(document, path, "claim"):
            claim = _claim({"formats": document.get("formats"), **item}, f"claims/{path.name}", descriptor)
            if claim.id in claims:
                raise DescriptorError(f"claims/{path.name}: claim {claim.id} stands twice; give each an id of its own")
            claims[claim.id] = claim
    return tuple(claims[name] for name in sorted(claims))


@lru_cache(maxsize=8)
def load_notices(descriptor: Descriptor) -> tuple[NoticeRule, ...]:
    """Load the queries of the notices that concern whole sets of units."""
    path = descriptor.folder / "notices.toml"
    if not path.is_file():
        return ()
    return tuple(NoticeRule(item["code"], item["select"], path.name) for item in _items(_read(path), path, "notice"))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DescriptorError(f"{path.parent.name}/{path.name}: {error}") from None


def _items(document: dict[str, Any], path: Path, table: str) -> list[dict[str, Any]]:
    items = document.get(table, [])
    if not isinstance(items, list):
        raise DescriptorError(f"{path.parent.name}/{path.name}: write [[{table}]], once for each")
    return items


def _claim(item: dict[str, Any], file: str, descriptor: Descriptor) -> Claim:
    known = [shape.format for shape in descriptor.shapes]
    formats = tuple(item["formats"] or known)
    for name in ("id", "statement", "subjects", "violations"):
        if not isinstance(item.get(name, ""), str):
            raise DescriptorError(f"{file}: claim {item.get('id')}: {name!r} must be text")
    try:
        return Claim(
            id=item["id"],
            statement=_sentence(item["statement"]) or "",
            level=item.get("level", "error"),
            evidence=tuple(item.get("evidence", ())),
            formats=formats,
            subjects=item["subjects"],
            violations=item["violations"] if set(known) <= set(formats) else _among(item["violations"], formats),
            mutants=tuple(_mutant(mutant) for mutant in item.get("mutants", ())),
            file=file,
            note=_sentence(item.get("note")),
            source=item.get("source"),
            remedy=_sentence(item.get("remedy")),
            written=item["violations"],
        )
    except KeyError as error:
        name = item.get("id", "without an id")
        raise DescriptorError(f"{file}: claim {name} lacks {error.args[0]!r}; add it") from None


def _among(violations: str, formats: tuple[str, ...]) -> str:
    """Leave out violations by units and records of other formats: one capture may hold several.

    The limit keeps SQLite from asking that of every row before it asks whether the row violates anything.
    """
    names = ", ".join("'" + name.replace("'", "''") + "'" for name in formats)
    return f"""
SELECT v.unit, v.line, v.at, v.expected, v.found FROM (SELECT * FROM ({violations.strip().rstrip(";")}
) LIMIT -1) AS v
WHERE coalesce(
    (SELECT n.format FROM record AS r JOIN native_run AS n ON n.run = r.run WHERE r.line = v.line),
    (SELECT n.format FROM native_unit AS u JOIN native_run AS n ON n.run = u.run WHERE u.unit = v.unit),
    {names.partition(",")[0]}
) IN ({names})
"""


def _sentence(text: str | None) -> str | None:
    """Return prose without its line breaks."""
    return None if text is None else " ".join(text.split())


def _mutant(item: dict[str, Any]) -> Mutant:
    sql = item.get("sql", ())
    return Mutant(
        name=item["name"],
        sql=(sql,) if isinstance(sql, str) else tuple(sql),
        lines=item.get("lines"),
        where=item.get("where"),
    )
