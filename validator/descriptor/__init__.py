"""The descriptor: what a producer's formats are and what may be claimed of them, as data.

``load`` finds a descriptor by producer name, alias or path and hands on a ``Descriptor``: the document
itself, the native shape of each of its formats and the rules for its other files. Claims are loaded
by ``validator.claims`` from the same folder when they are needed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from validator.descriptor.shape import Shape, parse_shape


class DescriptorError(Exception):
    """A descriptor, or something beside it, cannot be used: wrong configuration, exit code 2."""


@dataclass(frozen=True)
class FileRule:
    """What becomes of a file that is no unit of any format."""

    pattern: str
    status: str
    """``excluded``, or ``identified`` for a known file that holds no records."""
    reason: str
    format: str | None = None
    """The format whose documents describe an identified file."""
    priority: dict[str, Any] | None = None
    """How much of it is worth extracting, where the format's document says so."""


@dataclass(frozen=True, eq=False)
class Descriptor:
    """A producer's descriptor and what stands beside it."""

    folder: Path
    document: dict[str, Any]
    shapes: tuple[Shape, ...]
    file_rules: tuple[FileRule, ...]
    homes: tuple[str, ...] = ()
    """Patterns of folders that are homes of their own, such as ``profiles/*``; the root is one in any case."""

    @property
    def name(self) -> str:
        """The producer's name, for example ``com.nousresearch.hermes``."""
        return str(self.document["name"])

    @property
    def aliases(self) -> tuple[str, ...]:
        """Short names that are accepted on input and never written as a producer's name."""
        return tuple(self.document.get("aliases", ()))

    @property
    def destinations(self) -> dict[str, Any]:
        """The declared destinations under the alias: name to JSON Schema."""
        return {name: item["schema"] for name, item in self.document.get("destinations", {}).items()}

    def shape(self, format_id: str) -> Shape:
        """Return the native shape of a format; ``DescriptorError`` when there is none."""
        for shape in self.shapes:
            if shape.format == format_id:
                return shape
        known = ", ".join(shape.format for shape in self.shapes)
        raise DescriptorError(f"{self.name} has no format {format_id!r}; its formats are: {known}")


def descriptors_root() -> Path:
    """The folder of the descriptors that ship: in an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "descriptors"
    return packaged if packaged.is_dir() else package.parent / "descriptors"


def available() -> list[str]:
    """Return the names of the descriptors that ship, sorted."""
    root = descriptors_root()
    if not root.is_dir():
        return []
    return sorted(entry.name for entry in root.iterdir() if (entry / "descriptor.json").is_file())


def load(name: str | None = None) -> Descriptor:
    """Load a descriptor by name, alias, folder or file; without a name, the only one that ships.

    Raises ``DescriptorError`` with the place and the remedy.
    """
    folder = folder_of(name)
    return _load_folder(folder, _state(folder))


def folder_of(name: str | None) -> Path:
    """Find the folder of a descriptor as ``load`` does, without reading what is in it; raises ``DescriptorError``."""
    shipped = available()
    if name is None:
        if len(shipped) == 1:
            return descriptors_root() / shipped[0]
        raise DescriptorError(f"name a descriptor with --descriptor; these ship: {', '.join(shipped) or 'none'}")
    if name in shipped:
        return descriptors_root() / name
    for candidate in shipped:
        folder = descriptors_root() / candidate
        if name in read_json(folder / "descriptor.json").get("aliases", ()):
            return folder
    path = Path(name)
    if path.name == "descriptor.json" and path.is_file():
        return path.parent
    if (path / "descriptor.json").is_file():
        return path
    raise DescriptorError(
        f"no descriptor {name!r}: give a producer's name or alias ({', '.join(shipped) or 'none ship'}), "
        "or the path of a folder that holds a descriptor.json"
    )


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What tells a folder's files from those of an earlier load."""
    patterns = ("*.json", "*.toml", "formats/*.json", "claims/*.toml")
    files = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.is_file())


@cache
def _load_folder(folder: Path, _files: tuple[tuple[str, int, int], ...]) -> Descriptor:
    document = checked(folder / "descriptor.json", "descriptor")
    shapes = tuple(
        parse_shape(checked(path, "native-shape")) for path in sorted((folder / "formats").glob("*.json"))
    )
    declared = [item["id"] for item in document["formats"]]
    for shape in shapes:
        if shape.format not in declared:
            raise DescriptorError(
                f"{folder.name}/formats/{shape.format}.json: the descriptor declares no format {shape.format!r}; "
                "add it to formats in descriptor.json"
            )
    shapes = tuple(sorted(shapes, key=lambda shape: declared.index(shape.format)))
    sources: dict[str, Any] = {"rules": ()}
    if (folder / "sources.json").is_file():
        sources = checked(folder / "sources.json", "sources")
    rules = tuple(FileRule(**rule) for rule in sources["rules"])
    return Descriptor(folder, document, shapes, rules, tuple(sources.get("homes", ())))


def read_json(path: Path) -> Any:
    """Read a JSON file of a descriptor; ``DescriptorError`` names the file and the place of a fault."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DescriptorError(f"{path.parent.name}/{path.name}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptorError(f"{path.parent.name}/{path.name}: cannot be read: {error}") from None
    except ValueError as error:
        raise DescriptorError(f"{path.parent.name}/{path.name}: not JSON: {error}") from None


def checked(path: Path, schema: str) -> Any:
    """Read a JSON file and hold it against one of the shipped schemas."""
    from validator.schemas import errors

    document = read_json(path)
    for pointer, message in errors(schema, document):
        raise DescriptorError(f"{path.parent.name}/{path.name}: at {pointer or '/'}: {message}")
    return document
