"""The benchmark: large stores grown from an authentic capture, and what a check of them takes beside other work."""
