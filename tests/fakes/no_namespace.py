"""Leaves the namespace empty."""

from honest import items, say

stream = items()
for item in stream:
    if item["line"] == "stream":
        item["namespace"] = {"value": None, "basis": "native-global"}
say(*stream)
