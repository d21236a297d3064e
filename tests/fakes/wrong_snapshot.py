"""Positions the current state by a snapshot of its own making."""

from honest import items, say

stream = items()
for item in stream:
    if item.get("family") == "current-state":
        item["position"] = "sha256:" + "0" * 64
say(*stream)
