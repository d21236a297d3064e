"""Leaves out the current state when it continues after a position."""

from honest import items, request, say_counted

asked = request()
say_counted([item for item in items(asked) if asked.after is None or item.get("family") != "current-state"])
