"""Makes the inputs of cases whose report describes them in words, or as several files.

Each function gets an empty home and gives the target of a check: the home, a store in it, or a path beside it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.stores import Row, Rows, build, damage, journals
from tests.stores.construct import Contents
from tests.stores.pages import Page

# SQL run after the case's own, by expectation.
SQL: Mapping[str, tuple[str, ...]] = {
    "K1-18/strangers": (
        "ALTER TABLE messages ADD COLUMN mood TEXT; CREATE TABLE moods(m TEXT); UPDATE schema_version SET version = 31",
    ),
    "K1-18/no-version": ("DELETE FROM schema_version",),
    "K1-31/usage": ("INSERT INTO session_model_usage(session_id, model) VALUES ('dead-3', 'm')",),
}


def store_of(make: Callable[[Path], Contents], home: Path) -> Path:
    """One of the special stores, as the target."""
    return make(home / "state.db").path


def sessions(*names: str) -> list[Row]:
    """Rows of `sessions`."""
    return [{"id": name, "source": "cli"} for name in names]


def messages(*texts: str, session: str = "s1") -> list[Row]:
    """Rows of `messages`, all of one session and of the user."""
    return [{"session_id": session, "role": "user", "content": text} for text in texts]


def with_files(home: Path, files: Mapping[str, str | bytes], rows: Rows | None = None) -> Path:
    """A home of these files and a store of these rows, without rows an empty one: it is what makes a home."""
    if not (home / "state.db").exists():
        build(home / "state.db", rows=rows)
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return home


def scribbled_interior(home: Path) -> Path:
    """Two thousand messages in pages of 4 KiB; the second interior page under the root is all 0xFF."""

    def second(pages: Sequence[Page]) -> Sequence[Page]:
        return [[p for p in pages if not p.leaf][1]]

    rows: Rows = {"sessions": sessions("s1"), "messages": messages(*(f"{n:04d} " * 200 for n in range(2000)))}
    return damage.damaged(home / "state.db", second, b"\xff", rows=rows).path


def foreign_log(home: Path) -> Path:
    """A store in WAL mode, and the log of another store under its name."""
    store = build(home / "state.db", rows={"sessions": sessions("ours")}, journal="wal").path
    other = home.parent / "other"
    other.mkdir()
    journals.killed_writer(other / "state.db", {"sessions": sessions("theirs")})
    shutil.copyfile(other / "state.db-wal", home / "state.db-wal")
    return store


def old_store_new_log(home: Path) -> Path:
    """Three sessions stand only in the log; the store itself was last touched three days before."""
    store = journals.killed_writer(home / "state.db", {"sessions": sessions("a", "b", "c")}).path
    log = store.with_name("state.db-wal")
    os.utime(store, (log.stat().st_mtime - 3 * 86400,) * 2)
    return store


def read_only(home: Path) -> Path:
    """A store in WAL mode without its log, in a folder where nothing may be written."""
    store = build(home / "state.db", rows={"sessions": sessions("a")}, journal="wal").path
    store.chmod(0o444)
    home.chmod(0o555)
    return store


def wal_mode(home: Path) -> Path:
    """A store in WAL mode without its log."""
    return build(home / "state.db", rows={"sessions": sessions("a")}, journal="wal").path


def no_sessions(home: Path) -> Path:
    """A sound store without a session."""
    return build(home / "state.db").path


def linked_profiles(home: Path) -> Path:
    """One store under three paths, two of them links, beside the home's own, which is empty."""
    for name in ("a", "c"):
        (home / "profiles" / name).mkdir(parents=True)
    build(home / "profiles/a/state.db", rows={"sessions": sessions("s1")})
    (home / "profiles/b").symlink_to("a")
    (home / "profiles/c/state.db").symlink_to("../a/state.db")
    return with_files(home, {})


def three_profiles(home: Path) -> Path:
    """A store of three sessions, and two more stores in folders of profiles."""
    with_files(home, {}, {"sessions": sessions("d1", "d2", "d3")})
    for name, ids in {"x": ["x1", "x2"], "y": ["y1"]}.items():
        (home / "profiles" / name).mkdir(parents=True)
        build(home / "profiles" / name / "state.db", rows={"sessions": sessions(*ids)})
    return home


def unknown_store(home: Path) -> Path:
    """A home with an empty store, an empty folder of logs and a database of other tables."""
    (home / "sessions").mkdir()
    with_files(home, {})
    build(home / "spare.db", then=["DROP TABLE messages", "DROP TABLE sessions", "CREATE TABLE session(id TEXT)"])
    (home / "spare.db").rename(home / "sessions.db")
    return home


def odd_lines(home: Path) -> Path:
    """A log of five lines: good, 512 NULs, a raw control character, twelve megabytes, good."""
    lines = [
        b'{"role":"user","content":"1"}',
        bytes(512),
        b'{"role":"user","content":"\x0b"}',
        json.dumps({"role": "assistant", "content": "x" * 12_000_000}).encode(),
        b'{"role":"user","content":"5"}',
    ]
    return with_files(home, {"sessions/2025-06-15/s1.jsonl": b"\n".join(lines) + b"\n"})


def beside(name: str, home: Path) -> Path:
    """A path that is not there."""
    return home.parent / name


def config_and_picture(home: Path) -> Path:
    """A configuration that cannot be parsed, and a picture under the store's name."""
    damage.png(home / "state.db")
    return with_files(home, {"config.yaml": "model: x\n broken: [unclosed"})


def empty_folder(home: Path) -> Path:
    """A home without any file."""
    return home


def folder_for_store(home: Path) -> Path:
    """A folder under the store's name, as the target."""
    return damage.directory(home / "state.db").path


SNAPSHOT = {"id": "s1", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
TRUNCATED_LOG = (
    '{"role":"user","content":"1"}\n{"role":"assistant","content":"cut\n{"role":"user","content":"3"}\n\n'
    '{"role":"user","content":"4"'
)

MADE: Mapping[str, Callable[[Path], Path]] = {
    "K1-13": scribbled_interior,
    "K1-14/empty": partial(store_of, damage.empty_file),
    "K1-14/nul": partial(store_of, damage.all_nul),
    "K1-14/no-sessions": no_sessions,
    "K1-16/foreign": foreign_log,
    "K1-16/empty": partial(store_of, journals.empty_log),
    "K1-16/other-salts": partial(store_of, journals.stale_log),
    "K1-42": partial(
        with_files,
        files={"sessions/session_20250615_100000_aaaa.json": json.dumps(SNAPSHOT)},
        rows={"sessions": sessions("s0"), "messages": messages("x", session="s0")},
    ),
    "K1-43": partial(
        with_files,
        files={
            "sessions/s1.jsonl": '{"role":"user","content":"x"}\n' * 6,
            "sessions/session_s1.json": json.dumps(SNAPSHOT),
        },
        rows={"sessions": sessions("s1"), "messages": messages("1", "2", "3", "4")},
    ),
    "K1-44": partial(
        with_files,
        files={
            "sessions/sessions.json": '{"_README":"index only","agent:main:x":{"session_id":"s1"}}',
            "sessions/request_dump_s1_1.json": '{"request":{"body":{"messages":[]}}}',
        },
    ),
    "K1-46/sections": partial(with_files, files={"memories/MEMORY.md": "a\n§\nb\n§\n\n§\nc"}),
    "K1-46/crlf": partial(with_files, files={"memories/MEMORY.md": "a\r\n§\r\nb\r\n§\r\n\r\n§\r\nc"}),
    "K1-46/plain": partial(with_files, files={"memories/MEMORY.md": "# Title\n- x\n- y"}),
    "K1-47/twice": partial(
        with_files,
        files={
            "config.yaml": "model: x\nmcp_servers:\n  a: 1\nmcp_servers:\n  b: 2\n",
            "memories/MEMORY.md": "a",
        },
    ),
    "K1-47/broken": partial(
        with_files, files={"config.yaml": "model: x\n broken: [unclosed", "memories/MEMORY.md": "a"}
    ),
    "K1-51": linked_profiles,
    "K2-01": old_store_new_log,
    "K2-02": read_only,
    "K2-03": wal_mode,
    "K2-04": partial(store_of, journals.half_in_log),
    "K2-06": partial(store_of, journals.lost_log),
    "K2-11/one-namespace": three_profiles,
    "K2-11/own-namespaces": three_profiles,
    "K2-13": partial(
        with_files,
        files={f"sessions/request_dump_{n}.json": "{}" for n in (1, 2)},
        rows={"sessions": sessions("a", "b", "c", "d", "e")},
    ),
    "K2-15": partial(
        with_files,
        files={
            f"sessions/{name}": content
            for name, content in {
                "request_dump_a.json": "{}",
                "session_b.json": json.dumps(SNAPSHOT),
                "c.jsonl": '{"role":"user","content":"x"}\n',
                "d.jsonl.bak": '{"role":"user","content":"x"}\n',
                "e.txt": "x",
                "f.jsonl": "",
            }.items()
        },
    ),
    "K2-31": partial(
        with_files,
        files={"sessions/session_x.json": json.dumps({"id": "x", "session_start": "2025-06-15T15:06:40.250000"})},
        rows={
            "sessions": [{"id": "s1", "started_at": 1750000000.25}],
            "messages": [{"session_id": "s1", "timestamp": 1750000000.25}],
        },
    ),
    "K2-36": partial(with_files, files={"sessions/2025-06-15/s1.jsonl": TRUNCATED_LOG}),
    "K2-37": odd_lines,
    "K2-46": unknown_store,
    "K3-07/no-sessions": no_sessions,
    "K3-07/empty-folder": empty_folder,
    "K3-07/missing": partial(beside, "no-such-store.db"),
    "K3-07/folder": folder_for_store,
    "K3-10/picture": partial(store_of, damage.png),
    "K3-10/both": config_and_picture,
}
