"""Finds the example instances on disk: one file a schema, a JSON document or JSON Lines."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "examples"


def examples() -> dict[str, list[Any]]:
    """The valid instances of each schema that has any, by the schema's name."""
    found = {path.stem: [json.loads(path.read_text(encoding="utf-8"))] for path in FOLDER.glob("*.json")}
    for path in FOLDER.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        found[path.stem] = [json.loads(line) for line in lines]
    return dict(sorted(found.items()))


def changed(instance: Any, pointer: str, *, put: Any = None, drop: bool = False) -> Any:
    """A copy of the instance with the place that the pointer names set, or dropped."""
    copy = json.loads(json.dumps(instance))
    *way, last = pointer.removeprefix("/").split("/")
    holder = copy
    for step in way:
        holder = holder[int(step) if isinstance(holder, list) else step]
    place = int(last) if isinstance(holder, list) else last
    if drop:
        del holder[place]
    else:
        holder[place] = put
    return copy
