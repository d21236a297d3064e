"""Makes a capture whose text is filler of the same shape: what can be claimed of it stays, what was said in it goes.

Numbers, words of enumerations, names of members and what the vocabulary calls plain stay. Hands on the manifest.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from validator.audit.vocabulary import load_vocabulary
from validator.capture import Capture, CaptureError, copy, verify
from validator.capture.new import Manifest, write_capture
from validator.descriptor import Descriptor
from validator.descriptor.shape import Shape
from validator.rewriting.filler import Filler
from validator.rewriting.store import rewrite
from validator.sources import Source, identify

SAID = "Text is replaced by filler of the same shape; what is derived from it, and the write-ahead log, are left out."
TEXTS = (".md", ".txt", ".json", ".jsonl", ".yaml", ".yml")
"""Files, beside stores, that can be redacted; others are left out."""

_YAML_KEY = re.compile(r"^(\s*(?:-\s+)?[A-Za-z_][\w.-]*\s*:)(.*)$")


def redact(capture: Capture, dest: Path, descriptor: Descriptor, filler: Filler | None = None) -> Manifest:
    """Make the redacted capture; raises ``CaptureError``."""
    if capture.manifest is None:
        raise CaptureError(f"{capture.id}: {capture.problem or 'not a capture; make one with validator capture new'}")
    verify(capture.folder, capture.manifest)
    work = _Work(capture, descriptor, filler or Filler())
    with TemporaryDirectory(prefix="validator-") as private:
        made = work.files(Path(private))
        withheld = sorted({*capture.manifest["withheld"], *work.withheld})
        fields = {name: value for name, value in capture.manifest.items() if name not in ("capture", "root", "files")}
        fields |= {
            "id": dest.name or dest.resolve().name,
            "limitations": _with(capture.manifest["limitations"], SAID),
            "withheld": withheld,
            "omitted": sorted({*capture.manifest["omitted"], *work.omitted}),
        }

        def fill(root: Path) -> Iterator[str]:
            for path in made:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path(private) / "made" / path, root / path)
                yield path

        return write_capture(dest, fields, fill)


def _with(text: str, more: str) -> str:
    return text if more in text else f"{text} {more}"


class _Work:
    """The redaction of one capture."""

    def __init__(self, capture: Capture, descriptor: Descriptor, filler: Filler) -> None:
        self._capture = capture
        self._descriptor = descriptor
        self._filler = filler
        self.withheld: set[str] = set()
        self.omitted: list[str] = []

    def files(self, private: Path) -> list[str]:
        """Write every file anew under ``private/made``; returns their paths."""
        made: list[str] = []
        for source in identify(self._capture.paths, self._descriptor):
            shape = self._store_shape(source)
            if shape is not None:
                beside = [source.path + suffix for suffix in shape.companions]
                wanted = [source.path, *(path for path in beside if path in self._capture.paths)]
                copied = copy(self._capture.root, wanted, private / "old" / str(len(made)))
                self._store(copied / source.path, private / "made" / source.path, shape)
                made.append(source.path)
            elif source.owner is not None:
                continue
            elif self._file(source.path, private / "made" / source.path):
                made.append(source.path)
            else:
                self.omitted.append(source.path)
        return made

    def _store_shape(self, source: Source) -> Shape | None:
        if source.owner is not None or source.format is None or source.reason:
            return None
        shape = self._descriptor.shape(source.format)
        return shape if shape.tables else None

    def _store(self, old: Path, new: Path, shape: Shape) -> None:
        plain = _plain(self._descriptor, shape)
        maps = {
            (table.name, child.column)
            for table in shape.tables
            for child in table.children
            if child.of == "object" and not child.members
        }
        own = shape.namespace

        def cell(table: str, column: str, value: Any) -> Any:
            if not isinstance(value, str | bytes) or (table, column) in plain or not value:
                return value
            if own is not None and table == own["table"] and column == own["column"]:
                return value
            self.withheld.add(f"{table}.{column}")
            if isinstance(value, bytes):
                return self._filler.blob(value)
            return self._filler.value(value, keys=(table, column) not in maps)

        rewrite(old, new, shape, cell, lambda _table, _row: True)

    def _file(self, path: str, new: Path) -> bool:
        """Redact a file of text; whether it could be done."""
        if not path.endswith(TEXTS):
            return False
        try:
            text = (self._capture.root / path).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(self._redacted(path, text).encode("utf-8"))
        self.withheld.add(path)
        return True

    def _redacted(self, path: str, text: str) -> str:
        if path.endswith(".json"):
            return self._filler.value(text)
        lines = text.split("\n")
        if path.endswith(".jsonl"):
            return "\n".join(self._filler.value(line) for line in lines)
        if path.endswith((".yaml", ".yml")):
            return "\n".join(self._keyed(line) for line in lines)
        end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
        front = end if lines[0].rstrip() == "---" else 0
        return "\n".join([*map(self._keyed, lines[:front]), *map(self._filler.text, lines[front:])])

    def _keyed(self, line: str) -> str:
        match = _YAML_KEY.match(line)
        return match[1] + self._filler.text(match[2]) if match else self._filler.text(line)


def _plain(descriptor: Descriptor, shape: Shape) -> set[tuple[str, str]]:
    """Return the columns whose text says nothing of a person: enumerations, what is called plain, keys of context."""
    vocabulary = load_vocabulary(descriptor, shape.format)
    named = [name for place in vocabulary.enumerations for name in place.columns]
    named += vocabulary.document.get("plain", [])
    found = {(name.split(".")[0], name.split(".")[1]) for name in named}
    for table in shape.tables:
        if table.kind == "context":
            found.update((table.name, column) for key in table.keys for column in key)
    return found
