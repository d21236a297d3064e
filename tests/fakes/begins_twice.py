"""Writes `begin` a second time in the middle."""

from honest import lines, say

true = lines()
say(*true[:4], true[0], *true[4:])
