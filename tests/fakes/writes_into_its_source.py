"""Deletes rows in the store that it was given, after it has converted it."""

import sqlite3

from honest import lines, request, say

say(*lines())
with sqlite3.connect(request().source) as store:
    store.execute("DELETE FROM sessions")
