"""Says that it can continue after a position, and always starts anew."""

from dataclasses import replace

from honest import items, request, say

begin, *stream = items(replace(request(), after=None))
say(begin | {"after": True}, *stream)
