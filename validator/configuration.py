"""The configuration: ``[tool.validator]`` of the nearest ``pyproject.toml`` that has one, as defaults of the options.

Hands on a value for each option that it names; what stands on the command line wins. A path in it, and the command of a
converter, is meant from the folder of the file.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "pyproject.toml"

KEYS: dict[str, tuple[type, ...]] = {
    "baseline": (str,),
    "converter": (str,),
    "descriptor": (str,),
    "engine": (str,),
    "fail-on": (str,),
    "format": (str, list),
    "jobs": (int, str),
    "memory": (int,),
    "namespace": (str, list),
    "only": (str, list),
    "resume": (bool,),
    "targets": (list,),
    "timeout": (int, float),
    "twice": (bool,),
}
"""What may be configured, by the option's name, and of which types it may be; a list holds texts."""

_ALL = frozenset(KEYS)

VERBS = {"check": _ALL, "gate": _ALL, "observe": _ALL - {"format"}, "matrix": _ALL - {"format"}}
"""The verbs whose options may be configured, and by which keys; ``format`` names other formats there."""

_TYPES = {str: "a text", list: "a list of texts", int: "a whole number", float: "a number", bool: "true or false"}


class ConfigurationError(Exception):
    """A configuration that cannot be used: exit code 2."""


@dataclass(frozen=True)
class Configuration:
    """What was configured."""

    folder: Path
    """Where the file is, and where paths in it start."""
    values: dict[str, Any] = field(default_factory=dict)

    def options(self, verb: str) -> dict[str, Any]:
        """Return a verb's values by the parameter names of the command line; lists for what is repeatable."""
        named = {key.replace("-", "_"): value for key, value in self.values.items() if key in VERBS[verb]}
        for option, parameter in (("format", "formats"), ("namespace", "namespace"), ("only", "only")):
            if option in named:
                value = named.pop(option)
                named[parameter] = [value] if isinstance(value, str) else value
        return {name: str(value) if name == "jobs" else value for name, value in named.items()}


def find(start: Path | None = None) -> Configuration | None:
    """Return the configuration from a folder (the current one) upwards, if there is one; ``ConfigurationError``."""
    folder = (start or Path.cwd()).absolute()
    for place in (folder, *folder.parents):
        found = _read(place / FILE)
        if found is not None:
            return Configuration(place, _checked(found, place))
    return None


def _read(file: Path) -> dict[str, Any] | None:
    """Read the table of a file; None if it has none, or is none of ours to complain of."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if b"validator" not in data:
        return None
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        if b"tool.validator" not in data:
            return None
        raise ConfigurationError(f"{FILE}: is not TOML: {error}; mend it") from None
    table = document.get("tool", {}).get("validator") if isinstance(document.get("tool"), dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigurationError(f"{FILE}: tool.validator is no table; write [tool.validator]")
    return table


def _checked(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    values = {}
    for key, value in table.items():
        if key not in KEYS:
            close = difflib.get_close_matches(key.lower().replace("_", "-"), KEYS, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(KEYS)}"
            raise ConfigurationError(f"{FILE}: tool.validator has an unknown key {key!r}; {hint}")
        if not _is_of(value, KEYS[key]):
            wanted = " or ".join(_TYPES[kind] for kind in KEYS[key])
            raise ConfigurationError(f"{FILE}: tool.validator.{key}: write {wanted}")
        values[key] = _from(folder, key, value)
    return values


def _is_of(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, list):
        return list in kinds and all(isinstance(item, str) for item in value)
    return isinstance(value, kinds)


def _from(folder: Path, key: str, value: Any) -> Any:
    """Return a value with its paths made those from the current folder."""
    if folder == Path.cwd():
        return value
    if key == "targets":
        return [str(folder / item) for item in value]
    if key == "format":
        return [_placed(folder, item) for item in ([value] if isinstance(value, str) else value)]
    # A descriptor may be named, too: then there is no such path.
    if key == "baseline" or (key == "descriptor" and (folder / value).exists()):
        return str(folder / value)
    return value


def _placed(folder: Path, text: str) -> str:
    name, separator, file = text.partition("=")
    return f"{name}={folder / file}" if separator and file else text
