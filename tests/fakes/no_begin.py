"""Leaves out the `begin` line."""

from honest import lines, say

say(*lines()[1:])
