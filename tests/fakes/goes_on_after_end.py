"""Repeats `end`."""

from honest import lines, say

true = lines()
say(*true, true[-1])
