"""Adds a member that the record schema has not."""

from honest import items, say

stream = items()
next(item for item in stream if item["line"] == "record")["importance"] = 5
say(*stream)
