"""Writes one record twice, and counts it twice."""

from honest import items, say_counted

stream = items()
at = next(n for n, item in enumerate(stream) if item["line"] == "record")
say_counted([*stream[: at + 1], stream[at], *stream[at + 1 :]])
