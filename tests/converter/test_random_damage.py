"""Whatever bytes are damaged: the stream stays valid, it ends, and every message that a search finds is in it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.converter.streams import assert_counted, assert_valid, lines, of_kind
from tests.stores import NEWER, Rows, build
from validator.converter import ConversionError

MESSAGES = 150
PAGE = 1024


def sound(path: Path) -> bytes:
    rows: Rows = {
        "sessions": [{"id": f"s{n}", "title": f"{n} " * 50} for n in range(20)],
        "messages": [
            {"session_id": f"s{n % 20}", "content": f"message {n:05d} " * 8, **CALLS[n % 3](n)}
            for n in range(1, MESSAGES + 1)
        ],
        "worker_executions": [{"execution_id": f"e{n}", "session_id": f"s{n}"} for n in range(20)],
        "worker_receipts": [{"execution_id": f"e{n}", "sequence": n} for n in range(20)],
        "odd": [{"k": f"k{n:03}", "v": f"{n} " * 60} for n in range(40)],
    }
    ddl = ["CREATE TABLE odd(k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID"]
    return build(path, NEWER, rows, page_size=PAGE, extra_ddl=ddl).path.read_bytes()


CALLS = (
    lambda n: {"role": "user"},
    lambda n: {"role": "assistant", "tool_calls": f'[{{"id": "c{n}"}}]'},
    lambda n: {"role": "tool", "tool_call_id": f"c{n - 1}"},
)


def spoiled(octets: bytes, chance: random.Random) -> bytes:
    """The bytes behind the header with some of them changed, in one or several of the ways that disks have."""
    spoiled = bytearray(octets)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        place = chance.randrange(100, len(spoiled))
        way = chance.choice(["byte", "page", "run"])
        if way == "byte":
            spoiled[place] = chance.randrange(256)
        elif way == "page":
            size = chance.choice([8, 12, 100, PAGE])
            start = max(place // PAGE * PAGE, 100)
            spoiled[start : start + size] = bytes([chance.randrange(256)]) * size
        else:
            run = chance.randbytes(chance.randrange(1, 200))
            spoiled[place : place + len(run)] = run
    return bytes(spoiled[: len(octets)])


def found_by_search(store: Path) -> set[str]:
    """The ids of the messages that can be read whole, each searched for by itself."""
    found = set()
    with closing(sqlite3.connect(store)) as connection:
        connection.text_factory = bytes
        connection.execute("PRAGMA writable_schema = ON")
        for number in range(1, MESSAGES + 1):
            try:
                row = connection.execute("SELECT * FROM messages NOT INDEXED WHERE id = ?", (number,)).fetchone()
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                continue
            if row is not None:
                found.add(str(number))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_random_damage_costs_no_message_that_a_search_finds(tmp_path: Path, seed: int) -> None:
    store = tmp_path / "state.db"
    octets = sound(store)
    store.write_bytes(spoiled(octets, random.Random(seed)))
    try:
        found = lines(store)
    except ConversionError:
        return
    assert_valid(found)
    assert_counted(found)
    messages = [record for record in of_kind(found, "record") if record["entity"]["type"] == "message"]
    keys = [record["entity"]["key"] for record in messages]
    assert len(keys) == len(set(keys))
    assert found_by_search(store) <= set(keys)
