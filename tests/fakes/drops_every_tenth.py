"""Drops every tenth record, and counts in `end` what it wrote."""

from honest import items, say_counted

kept, records = [], 0
for item in items():
    records += item["line"] == "record"
    if item["line"] != "record" or records % 10:
        kept.append(item)
say_counted(kept)
