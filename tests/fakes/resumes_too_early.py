"""Repeats the record of the position that it is to continue after."""

from dataclasses import replace

from honest import items, request, say

asked = request()
after = None if asked.after is None else str(int(asked.after) - 1)
say(*items(replace(asked, after=after)))
