"""Writes true-looking notices without end."""

from honest import lines, say

say(lines()[0])
notice = {"line": "notice", "code": "unknown-role", "unit": {"source": "state.db"}}
while True:
    say(*[notice] * 1000)
