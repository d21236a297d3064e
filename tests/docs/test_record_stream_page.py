"""docs/record-stream.md: its examples are lines of the record stream, and its complete one is complete."""

import base64
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.docs.fences import fences, page, sections
from validator import converter, schemas

PAGE = page("record-stream.md")
EXAMPLE = sections(PAGE)["A complete example"]
[SQL] = fences(EXAMPLE, "sql")
[STREAM] = fences(EXAMPLE, "jsonl")
LINES = [json.loads(line) for line in STREAM.splitlines()]
RECORDS = [line for line in LINES if line["line"] == "record"]
SNAPSHOT = "sha256:" + 64 * "0"
CONTEXT = {"state_meta"}

EXAMPLES = [
    *(line for block in fences(PAGE, "jsonl") for line in block.splitlines()),
    *fences(PAGE, "json"),
]


def plain(value: Any) -> Any:
    """A tagged cell as Python's sqlite3 gives it, with text as bytes where it is not UTF-8."""
    return base64.b64decode(value["$text"]) if isinstance(value, dict) else value


def text(stored: bytes) -> str | bytes:
    try:
        return stored.decode("utf-8")
    except UnicodeDecodeError:
        return stored


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    connection = sqlite3.connect(path)
    connection.executescript(SQL)
    connection.close()
    return path


def native_rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every row of the store but for the context tables', read with sqlite3 alone."""
    connection = sqlite3.connect(path)
    connection.text_factory = text
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = []
    for table in sorted(set(tables) - CONTEXT):
        cursor = connection.execute(f"SELECT * FROM {table}")
        columns = [column[0] for column in cursor.description]
        rows += [(table, dict(zip(columns, row, strict=True))) for row in cursor]
    connection.close()
    return rows


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[:60])
def test_every_example_is_a_valid_line(example: str) -> None:
    assert schemas.errors("record-stream", json.loads(example)) == []


def test_the_complete_example_counts_its_own_lines() -> None:
    kinds = [line["line"] for line in LINES]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    for counted in ("stream", "record", "gap", "notice"):
        assert LINES[-1][f"{counted}s"] == kinds.count(counted)


def test_the_complete_example_declares_every_stream_before_its_records() -> None:
    declared = set()
    for line in LINES:
        if line["line"] == "stream":
            declared.add(line["stream"])
        elif line["line"] == "record":
            assert line["stream"] in declared


def test_the_complete_example_carries_every_row_of_its_store_once_and_whole(store: Path) -> None:
    carried = [
        (record["native"]["record"]["table"], {n: plain(v) for n, v in record["native"]["record"]["row"].items()})
        for record in RECORDS
    ]
    assert sorted(map(repr, carried)) == sorted(map(repr, native_rows(store)))


def test_the_built_in_converter_says_of_the_example_s_store_what_the_page_says(store: Path) -> None:
    request = converter.Request("hermes-state-sqlite", store, SNAPSHOT)
    written = [json.loads(line) for line in converter.convert(request)]
    assert [line for line in written if line["line"] == "record"] == [
        {**record, "stream": number} for record, number in zip(RECORDS, numbers(written), strict=True)
    ]
    assert declared(written) == declared(LINES)
    assert written[-1] == LINES[-1]


def test_the_page_s_records_of_a_home_are_those_of_the_built_in_converter(tmp_path: Path) -> None:
    [fence] = fences(sections(PAGE)["The files of a Hermes home"], "jsonl")
    [turn, memory] = [json.loads(line) for line in fence.splitlines()]
    log, note = (tmp_path / path for path in ("sessions/2026-03-10/abc123.jsonl", "memories/a.md"))
    log.parent.mkdir(parents=True)
    log.write_text(f'{{"type": "session_meta"}}\n{json.dumps(turn["native"]["record"]["value"])}\n', encoding="utf-8")
    note.parent.mkdir()
    note.write_bytes(base64.b64decode(memory["native"]["blob"]["$blob"]))
    request = converter.Request("hermes-home-files", tmp_path, SNAPSHOT, "n")
    written = [json.loads(line) for line in converter.convert(request)]
    records = [line for line in written if line["line"] == "record"]
    assert records[1:] == [turn, memory]


def numbers(written: list[dict[str, Any]]) -> list[int]:
    """The converter's own number of the stream that each of the page's records is in."""
    own = {line["session"]: line["stream"] for line in written if line["line"] == "stream"}
    page_s = {line["stream"]: line["session"] for line in LINES if line["line"] == "stream"}
    return [own[page_s[record["stream"]]] for record in RECORDS]


def declared(lines: list[dict[str, Any]]) -> list[str]:
    """The stream lines without their numbers."""
    return sorted(json.dumps({**line, "stream": None}, sort_keys=True) for line in lines if line["line"] == "stream")
