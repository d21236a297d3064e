"""Writes an empty line in the middle of a true stream."""

from honest import lines, say

true = lines()
say(*true[:4], b"\n", *true[4:])
