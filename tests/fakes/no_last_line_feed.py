"""Leaves out the LF of the last line."""

from honest import lines, say

true = lines()
say(*true[:-1], true[-1].rstrip(b"\n"))
