"""Makes one report from the reports of several shares or machines: the same, byte for byte, as of one run over all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from validator.report import report as summed_up
from validator.shards import joined


class MergeError(Exception):
    """A file that is no report, or reports that do not go together: wrong usage, exit code 2."""


def merge(files: Sequence[str]) -> dict[str, Any]:
    """Read reports (``check --json``) and return the one of the whole; raises ``MergeError`` and ``ShardError``."""
    reports = [(Path(file).name, _read(file)) for file in files]
    first_name, first = reports[0]
    for name, other in reports:
        if other["validator"] != first["validator"]:
            raise MergeError(
                f"{name}: made by {other['validator']}, and {first_name} by {first['validator']}; use one version"
            )
    merged = summed_up(joined(reports))
    converters = {part for _, one in reports for part in (one["converter"] or "").split(", ") if part}
    return {**merged, "validator": first["validator"], "converter": ", ".join(sorted(converters)) or None}


def _read(file: str) -> dict[str, Any]:
    from validator.schemas import errors

    try:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MergeError(f"{file}: no such file; name reports that check --json wrote") from None
    except (OSError, UnicodeDecodeError) as error:
        raise MergeError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    except (ValueError, RecursionError):
        raise MergeError(f"{file}: is not JSON; name a report that check --json wrote") from None
    for pointer, message in errors("report", document):
        raise MergeError(f"{file}: is no report: at {pointer or '/'}: {message}; write it with check --json")
    return dict(document)
