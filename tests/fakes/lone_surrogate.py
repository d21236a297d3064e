"""Writes half of a surrogate pair as an escape in a record."""

import json

from honest import items, say

stream = items()
item = next(item for item in stream if item.get("role") == "user")
item["content"] += "\ud83d"
say(*(json.dumps(item).encode() + b"\n" for item in stream))
