"""Leaves a child behind, in a session of its own, that keeps standard output open."""

import subprocess

from honest import lines, say

say(*lines())
subprocess.Popen(["sleep", "3600"], start_new_session=True)
