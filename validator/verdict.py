"""The verdict: computed once, from data, before anything is rendered."""

from __future__ import annotations

from collections.abc import Iterable

CONFORMS = "conforms"
DOES_NOT_CONFORM = "does not conform"
NOT_CHECKED = "not checked"
UNUSABLE = "capture unusable"
FAILED = "converter failed"
WRONG_USAGE = "wrong usage"

EXIT = {CONFORMS: 0, DOES_NOT_CONFORM: 1, WRONG_USAGE: 2, NOT_CHECKED: 3, UNUSABLE: 3, FAILED: 4}
"""The exit code of each verdict; 2 is wrong usage or configuration."""

_GRAVEST_FIRST = (WRONG_USAGE, FAILED, UNUSABLE, NOT_CHECKED, DOES_NOT_CONFORM, CONFORMS)


def of_capture(
    *,
    misused: bool,
    failed: bool,
    unusable: bool,
    unreadable: bool,
    converted: int,
    subjects: int,
    errors: int,
    notices: int,
    fail_on_notice: bool,
) -> str:
    """Return the verdict on one capture.

    ``misused``: it could not be judged as it was given. ``unreadable``: some unit could not be read. ``converted``:
    units that must be in records. ``subjects``: over all claims.
    """
    if misused:
        return WRONG_USAGE
    if failed:
        return FAILED
    if unusable or unreadable:
        return UNUSABLE
    if errors or (fail_on_notice and notices):
        return DOES_NOT_CONFORM
    if not converted or not subjects:
        return NOT_CHECKED
    return CONFORMS


def gravest(verdicts: Iterable[str]) -> str:
    """Return the verdict that decides for several captures; without any, nothing was checked."""
    given = set(verdicts)
    return next((verdict for verdict in _GRAVEST_FIRST if verdict in given), NOT_CHECKED)
