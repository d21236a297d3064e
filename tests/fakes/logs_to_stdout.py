"""Writes one log line, no JSON, in the middle of a true stream."""

from honest import lines, say

true = lines()
say(*true[:4], b"INFO converted 3 rows\n", *true[4:])
