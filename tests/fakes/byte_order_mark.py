"""Starts its output with a byte order mark."""

from honest import lines, say

say(b"\xef\xbb\xbf", *lines())
