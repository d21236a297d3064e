"""Writes a perfect stream and never exits."""

import time

from honest import lines, say

say(*lines())
time.sleep(3600)
