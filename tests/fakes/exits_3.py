"""Writes a perfect stream and exits with 3."""

import sys

from honest import lines, say

say(*lines())
sys.exit(3)
