"""Holds the closed catalogue of notices: what is true of a capture and worth knowing, and not wrong.

Hands on the codes, in the order of the documentation, each with what it says and what it is counted by.
A code is never reused, and a new one raises the version of the report.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NoticeCode:
    """One entry of the catalogue."""

    code: str
    """Lower-case words joined by hyphens: what reports and record streams name."""
    one_for_each: str
    """The thing that is counted: a capture has at most one notice of the code for each."""
    says: str
    """What it says, in a sentence."""


CATALOGUE: tuple[NoticeCode, ...] = (
    NoticeCode("orphan-session", "session id", "Messages name a session that has no row."),
    NoticeCode("unknown-table", "table", "The store has a table that the native shape does not know."),
    NoticeCode("unknown-column", "column", "A known table has a column that the native shape does not know."),
    NoticeCode("unknown-role", "role", "A message's role is none of user, assistant, tool and system."),
    NoticeCode("not-a-time", "cell", "A cell that should hold a time holds none that can be written as one."),
    NoticeCode("not-utf8", "cell", "A cell of type TEXT is not valid UTF-8."),
    NoticeCode("malformed-json", "cell", "A cell that should hold JSON holds none."),
    NoticeCode("lone-surrogate", "cell", "The JSON in a cell escapes half of a surrogate pair."),
    NoticeCode("double-encoded-json", "cell", "The JSON in a cell is a string that itself holds JSON."),
    NoticeCode("duplicate-json-key", "cell", "An object of the JSON in a cell has a member twice."),
    NoticeCode("sentinel-not-json", "cell", "A cell starts like structured content and is none."),
    NoticeCode("time-not-monotonic", "stream", "In the order of the messages their times go backwards."),
    NoticeCode(
        "repeated-call-id",
        "session, replay state and provider id",
        "Several calls of one session and one replay state share a provider id.",
    ),
    NoticeCode("not-a-call", "array element", "An element of the stored calls is no object, and so no call."),
    NoticeCode("call-without-result", "call", "No result joins a call."),
    NoticeCode("result-without-call", "result", "A result without a uid joins no call."),
    NoticeCode("uid-without-call", "result", "A result's uid names no call."),
    NoticeCode("dangling-parent", "session", "A session's parent has no row."),
    NoticeCode("parent-cycle", "cycle", "Sessions are, by their parents, their own ancestors."),
    NoticeCode("missing-instructions", "session", "A session's prompt hash has no row."),
    NoticeCode("derived-damaged", "derived table", "A derived table or view cannot be read."),
    NoticeCode("uncommitted-frames", "store", "The write-ahead log ends in an uncommitted transaction."),
    NoticeCode("stale-wal", "store", "Beside the store lies a write-ahead log of which SQLite uses nothing."),
    NoticeCode("bom", "file", "A text file begins with a byte order mark."),
    NoticeCode("bad-front-matter", "file", "A memory's front matter cannot be read."),
    NoticeCode("undescribed-key", "key", "A file has a key that the format's document does not describe."),
    NoticeCode("unresolved-source", "memory", "A memory's source names a session that is nowhere."),
    NoticeCode("session-only-in-file", "session", "A logged session has no row in the store."),
    NoticeCode("session-differs", "session", "A session's log and its row in the store disagree."),
    NoticeCode(
        "logging-differs", "home", "The configuration says otherwise of session logging than the files."
    ),
)

CODES: frozenset[str] = frozenset(entry.code for entry in CATALOGUE)
