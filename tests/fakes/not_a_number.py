"""Writes NaN, which is not JSON, in a record."""

import json

from honest import items, say

stream = items()
next(item for item in stream if item["line"] == "record")["revision"] = float("nan")
say(*(json.dumps(item).encode() + b"\n" for item in stream))
