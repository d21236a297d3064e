"""Leaves a daemon behind: two forks, a session, no descriptor, the root directory."""

import os
import time

from honest import lines, say

say(*lines())
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        time.sleep(3600)
    os._exit(0)
os.wait()
