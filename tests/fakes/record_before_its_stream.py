"""Declares its streams after their records."""

from honest import items, say

begin, *stream, end = items()
say(begin, *sorted(stream, key=lambda item: item["line"] == "stream"), end)
