"""Kills the process that watches it, and goes on."""

import os
import signal
import time

from honest import lines, say

os.kill(os.getppid(), signal.SIGKILL)
time.sleep(0.2)
say(*lines())
