"""Leaves a child behind that keeps standard output open (the stream itself is true)."""

import subprocess

from honest import lines, say

say(*lines())
subprocess.Popen(["sleep", "3600"])
