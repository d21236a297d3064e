"""Sleeps and never writes a line."""

import time

time.sleep(3600)
