"""The observation: the evidence block of a replay, deterministic to the byte.

Date, version, scope, limitations and revision come from the captures' manifests, the counts from the replay; no
clock and no machine has a say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COUNTS = ("streams", "records", "errors", "notices", "gaps", "unidentifiedSources")


NAMED = ("producer", "package", "version", "revision")
"""What a manifest must say before an observation can be made of its capture."""


class ObservationError(Exception):
    """Captures that do not make one observation: wrong usage."""


def observation(
    manifests: Sequence[dict[str, Any]], counts: dict[str, int], validator: str, converter: str | None
) -> dict[str, Any]:
    """Return the observation of captures of one package, version and revision; ``counts`` are their sums.

    Raises ``ObservationError`` when the captures differ in package, version or revision.
    """
    same(manifests)
    first = manifests[0]
    return {
        "label": "observed",
        "version": f"{first['version']}; source {first['revision']}",
        "date": max(manifest["date"] for manifest in manifests),
        "scope": _distinct(manifest["scope"] for manifest in manifests),
        "limitations": _distinct(manifest["limitations"] for manifest in manifests),
        "validation": {name: counts[name] for name in COUNTS},
        "validator": validator,
        "converter": converter,
        "revision": first["revision"],
    }


def same(manifests: Sequence[dict[str, Any]]) -> None:
    """Raise ``ObservationError`` unless the captures are of one package, version and revision."""
    for name in NAMED:
        if any(manifest.get(name) is None for manifest in manifests):
            raise ObservationError(f"a capture's manifest does not say its {name}; write it there, it is needed")
        values = sorted({str(manifest[name]) for manifest in manifests})
        if len(values) != 1:
            raise ObservationError(
                f"the captures differ in {name} ({', '.join(values)}); observe each {name} by itself"
            )


def _distinct(texts: Any) -> str:
    return " ".join(sorted(set(texts)))
