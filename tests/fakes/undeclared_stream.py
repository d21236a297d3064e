"""Puts one record in a stream that no line declares."""

from honest import items, say

stream = items()
at = next(n for n, item in enumerate(stream) if item["line"] == "record")
stream[at]["stream"] = 99
say(*stream)
