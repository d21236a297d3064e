"""Says that it can continue after a position, and breaks down when it is told to."""

from honest import lines, request, say

asked = request()
if asked.after is not None:
    raise NotImplementedError("--after")
say(*lines(asked))
