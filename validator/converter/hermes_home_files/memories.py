"""The standard fields of a memory: text, tags, time, project, source and the link to its session."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from datetime import date
from typing import Any

from validator.converter.hermes_home_files.front_matter import BOM, BadFrontMatter, parts
from validator.converter.hermes_home_files.json_text import NotJson, decode

Found = list[tuple[str, str]]
"""Notices: code and detail."""

SESSION = "session:"


def markdown_fields(data: bytes, found: Found) -> dict[str, Any]:
    """The fields of a Markdown memory from its bytes."""
    data = _without_mark(data, found)
    try:
        memory = parts(data)
        text, members = memory.text, memory.members
    except BadFrontMatter as error:
        found.append(("bad-front-matter", str(error)))
        text, members = data, {}
    return {"text": _text(text, found), **_facts(members, found)}


def json_fields(data: bytes, found: Found) -> dict[str, Any]:
    """The fields of a JSON memory from its bytes; none where they hold no JSON object."""
    try:
        decoded = decode(_without_mark(data, found))
    except NotJson as error:
        found.append((error.code, "" if error.at is None else f"byte {error.at}"))
        return {}
    if decoded.repeats:
        found.append(("duplicate-json-key", ""))
    if decoded.lone:
        found.append(("lone-surrogate", ""))
    if not isinstance(decoded.value, dict):
        found.append(("malformed-json", "not an object"))
        return {}
    return {**scalar("text", decoded.value.get("content")), **_facts(decoded.value, found)}


def _without_mark(data: bytes, found: Found) -> bytes:
    if data.startswith(BOM):
        found.append(("bom", ""))
        return data[len(BOM) :]
    return data


def _text(data: bytes, found: Found) -> Any:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        found.append(("not-utf8", ""))
        return {"$text": b64encode(data).decode("ascii")}


def _facts(members: dict[str, Any], found: Found) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    tags = members.get("tags")
    if isinstance(tags, list):
        kebab = [kebab_case(tag) for tag in tags if isinstance(tag, str)]
        facts["tags"] = [tag for tag in kebab if tag]
    created = members.get("created_at")
    if created is not None:
        time = instant(created)
        if time is None:
            found.append(("not-a-time", "created_at"))
        else:
            facts["time"] = time
    facts |= scalar("project", members.get("project")) | scalar("source", members.get("source"))
    source = facts.get("source")
    if isinstance(source, str) and source.startswith(SESSION) and source != SESSION:
        facts["links"] = [{"rel": "session", "to": {"type": "session", "key": source[len(SESSION) :]}}]
    return facts


def scalar(name: str, value: Any) -> dict[str, Any]:
    """The member, if the value is a text or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return {}
    if isinstance(value, int) and not -(2**53) <= value <= 2**53:
        return {name: {"$int": str(value)}}
    return {name: value}


def kebab_case(tag: str) -> str:
    """Lower case; each run of what is neither letter nor digit is one hyphen; none at the ends."""
    kept = "".join(character if _is_letter_or_digit(character) else " " for character in tag.lower())
    return "-".join(kept.split())


def _is_letter_or_digit(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "L" or category == "Nd"


_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))"
)
_MICROSECONDS_A_DAY = 86_400_000_000


def instant(value: Any) -> str | None:
    """`YYYY-MM-DDThh:mm:ss.ffffffZ` of a text by RFC 3339, or None: without an offset it names no instant."""
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, _, sign, offset_hours, offset_minutes = match.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal()
    except ValueError:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    seconds = int(hour) * 3600 + int(minute) * 60 + int(second)
    if sign is not None:
        if int(offset_hours) > 23 or int(offset_minutes) > 59:
            return None
        offset = int(offset_hours) * 3600 + int(offset_minutes) * 60
        seconds -= offset if sign == "+" else -offset
    total = days * _MICROSECONDS_A_DAY + seconds * 1_000_000 + _micros(fraction or "")
    days, rest = divmod(total, _MICROSECONDS_A_DAY)
    if not 1 <= days <= date.max.toordinal():
        return None
    seconds, micros = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{date.fromordinal(days).isoformat()}T{clock}.{micros:06d}Z"


def _micros(fraction: str) -> int:
    """The digits behind the point as microseconds, rounded half-even."""
    kept, rest = int(fraction[:6].ljust(6, "0")), fraction[6:].rstrip("0")
    if rest > "5" or (rest == "5" and kept & 1):
        return kept + 1
    return kept
