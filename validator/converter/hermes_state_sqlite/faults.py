"""Names what reading a damaged store raises."""

from __future__ import annotations

import sqlite3

UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""SQLite's error; or, where its message quotes bytes of the store that are not UTF-8, Python's about the message."""
