"""Writes two megabytes to standard error before each line of a true stream (no lie at all)."""

import sys

from honest import lines, say

for line in lines():
    sys.stderr.write("x" * (2 << 20))
    say(line)
