"""Writes the records of every stream in reverse."""

from honest import items, say

begin, *stream, end = items()
declared = [item for item in stream if item["line"] == "stream"]
others = [item for item in stream if item["line"] != "stream"]
say(begin, *declared, *reversed(others), end)
