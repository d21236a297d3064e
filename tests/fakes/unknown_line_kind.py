"""Writes a line of a kind that the protocol has not."""

from honest import lines, say

true = lines()
say(*true[:4], {"line": "comment", "text": "three rows so far"}, *true[4:])
