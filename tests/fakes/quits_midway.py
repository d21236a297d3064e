"""Stops halfway through a true stream and exits with 0."""

from honest import lines, say

true = lines()
say(*true[: len(true) // 2])
