"""Leaves out the `end` line."""

from honest import lines, say

say(*lines()[:-1])
