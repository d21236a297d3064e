"""Declares every row of the store a gap."""

import json

from honest import items, say_counted


def gap(record):
    """A gap of one row, where the record stood."""
    key = record["entity"]["key"]
    place = {
        "source": "state.db",
        "table": record["native"]["record"]["table"],
        "key": json.loads(key) if key.startswith("[") else [key],
    }
    return {"line": "gap", "from": place, "to": place, "units": 1, "reason": "unreadable"}


stream = items()
say_counted([gap(item) if item["line"] == "record" else item for item in stream if item["line"] != "stream"])
