"""Knows no --snapshot: exits with 2 and a usage line on standard error."""

import sys

print("usage: convert SOURCE", file=sys.stderr)
sys.exit(2)
