"""Gives the producer's alias where its name belongs."""

from honest import items, say

begin, *stream = items()
say(begin | {"producer": "hermes"}, *stream)
