"""Writes two hundred warnings to standard error beside a true stream (no lie at all)."""

import sys

from honest import lines, say

for number in range(200):
    print(f"\x1b[33mwarning\x1b[0m {number}: this is only a log, " + "x" * 2000, file=sys.stderr)
say(*lines())
