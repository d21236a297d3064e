"""The benchmark: large stores grown from an authentic capture, and what a check of them takes beside other work.

``python -m tests.bench`` (``make bench``) measures side by side, in one run, and writes a table, its data and a plot.
Other programs drift with the machine as the check does, so it is the ratios that count.
"""
