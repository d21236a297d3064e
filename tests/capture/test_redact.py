"""A redacted capture says the same of every claim and none of the words that were said in it."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commandline import run
from tests.stores import build
from validator.rewriting.filler import Filler

CAPTURES = Path(__file__).parents[2] / "captures"

SOME = ["0.13.0-branch", "0.17.0-delegate", "0.19.0-api", "0.19.0-memory", "0.19.0-telegram", "iot-0.22.2.post1-api",
        "iot-0.22.2.post1-unicode"]  # fmt: skip
REST = sorted(path.parent.name for path in CAPTURES.glob("*/capture.json") if path.parent.name not in SOME)


def judged(capture: Path) -> dict[str, Any]:
    """What a check says, apart from texts."""
    (entry,) = json.loads(run("check", str(capture), "--json").out)["captures"]
    return {
        "verdict": entry["verdict"],
        "conservation": entry["conservation"],
        "claims": {c["claim"]: (c["status"], c["subjects"]) for c in entry["claims"]},
    }


def says_the_same(name: str, tmp_path: Path) -> None:
    done = run("capture", "redact", str(CAPTURES / name), str(tmp_path / "made"))
    assert done.code == 0, done.err
    assert run("capture", "verify", str(tmp_path / "made")).code == 0
    assert judged(tmp_path / "made") == judged(CAPTURES / name)


@pytest.mark.parametrize("name", SOME)
def test_a_redacted_capture_says_the_same_of_every_claim(name: str, tmp_path: Path) -> None:
    says_the_same(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", REST)
def test_every_redacted_capture_says_the_same_of_every_claim(name: str, tmp_path: Path) -> None:
    says_the_same(name, tmp_path)


@pytest.mark.parametrize("name", SOME)
def test_no_sentence_of_a_message_or_title_is_left_anywhere(name: str, tmp_path: Path) -> None:
    run("capture", "redact", str(CAPTURES / name), str(tmp_path / "made"))
    with closing(
        sqlite3.connect(f"file:{CAPTURES / name / 'home' / 'state.db'}?mode=ro&immutable=1", uri=True)
    ) as store:
        store.text_factory = bytes
        cells = store.execute(
            "SELECT content FROM messages UNION SELECT reasoning FROM messages UNION SELECT tool_calls FROM messages "
            "UNION SELECT title FROM sessions UNION SELECT system_prompt FROM sessions"
        ).fetchall()
    words = {
        word
        for (cell,) in cells
        if isinstance(cell, bytes)
        for word in re.findall(rb"[A-Za-z]+ [A-Za-z]+ [A-Za-z]+", cell)
    }
    assert words
    kept = b"".join(path.read_bytes() for path in (tmp_path / "made" / "home").rglob("*") if path.is_file())
    assert not [word for word in words if word in kept]


def test_the_manifest_says_what_was_withheld(tmp_path: Path) -> None:
    run("capture", "redact", str(CAPTURES / "0.19.0-telegram"), str(tmp_path / "made"))
    made = json.loads((tmp_path / "made" / "capture.json").read_text(encoding="utf-8"))
    assert {"messages.content", "sessions.title", "sessions.origin_json", "config.yaml"} <= set(made["withheld"])
    assert not {"messages.role", "sessions.source", "sessions.end_reason"} & set(made["withheld"])
    assert "cron/executions.db" in made["omitted"]
    assert "filler of the same shape" in made["limitations"]


def test_words_that_states_are_made_of_stay(tmp_path: Path) -> None:
    run("capture", "redact", str(CAPTURES / "0.19.0-telegram"), str(tmp_path / "made"))
    with closing(sqlite3.connect(tmp_path / "made" / "home" / "state.db")) as store:
        assert {row[0] for row in store.execute("SELECT source FROM sessions")} == {"telegram"}
        assert {row[0] for row in store.execute("SELECT role FROM messages")} >= {"user", "assistant", "session_meta"}


def test_two_redactions_of_one_capture_have_nothing_in_common(tmp_path: Path) -> None:
    for name in "ab":
        run("capture", "redact", str(CAPTURES / "0.19.0-text"), str(tmp_path / name))
    texts = []
    for name in "ab":
        with closing(sqlite3.connect(tmp_path / name / "home" / "state.db")) as store:
            texts.append([row[0] for row in store.execute("SELECT content FROM messages")])
    assert all(one != other for one, other in zip(*texts, strict=True))


def test_odd_cells_keep_their_kind(tmp_path: Path) -> None:
    build(tmp_path / "state.db", 31)
    with closing(sqlite3.connect(tmp_path / "state.db")) as store, store:
        store.execute("INSERT INTO sessions (id, source, started_at, title) VALUES ('a', 'cli', 1, x'00ff')")
        store.execute(
            "INSERT INTO messages (session_id, role, content, timestamp, tool_calls) "
            "VALUES ('a', 'user', CAST(x'6162ff63' AS TEXT), 'not a time', '{\"broken\": ')"
        )
        store.execute("CREATE TABLE moods (mood PRIMARY KEY, why) WITHOUT ROWID")
        store.execute("INSERT INTO moods VALUES ('calm', 1.5), ('wild', NULL)")
    run("capture", "new", str(tmp_path / "state.db"), str(tmp_path / "old"))
    done = run("capture", "redact", str(tmp_path / "old"), str(tmp_path / "made"))
    assert done.code == 0, done.err
    with closing(sqlite3.connect(tmp_path / "made" / "home" / "state.db")) as store:
        query = "SELECT hex(CAST(content AS BLOB)), typeof(content), typeof(timestamp), tool_calls FROM messages"
        content, kind, time, calls = store.execute(query).fetchone()
        moods = store.execute("SELECT length(mood), why FROM moods ORDER BY why").fetchall()
        title = store.execute("SELECT typeof(title), length(title) FROM sessions").fetchone()
    assert (content[4:6], len(content), kind, time, title) == ("FF", 8, "text", "text", ("blob", 2))
    assert re.fullmatch(r'\{"[a-z]{6}": ', calls)
    assert moods == [(4, None), (4, 1.5)]


@given(st.text())
def test_filler_has_the_shape_of_its_text(text: str) -> None:
    made = Filler(b"k" * 32).value(text)
    if text[:1] in ("{", "["):
        return
    assert len(made) == len(text)
    assert len(made.encode("utf-8", "surrogatepass")) == len(text.encode("utf-8", "surrogatepass"))
    for old, new in zip(text, made, strict=True):
        assert unicodedata.category(old)[0] in "LSN" or new == old
        assert not old.isascii() or (old.islower(), old.isupper(), old.isdigit()) == (
            new.islower(), new.isupper(), new.isdigit(),
        )  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def shape(value: Any) -> Any:
    """A JSON value without what its strings say."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(element) for element in value]
    return len(value) if isinstance(value, str) and value[:1] not in ("{", "[") else type(value).__name__


@given(st.dictionaries(st.text(), JSON), st.booleans())
def test_filler_of_json_has_its_structure(value: dict[str, Any], escaped: bool) -> None:
    made = Filler(b"k" * 32).value(json.dumps(value, ensure_ascii=escaped))
    assert shape(json.loads(made)) == shape(value)


@given(st.lists(st.text(alphabet="abc123-", min_size=3, max_size=8), unique=True, max_size=50))
def test_different_texts_get_different_filler_and_the_same_the_same(texts: list[str]) -> None:
    filler = Filler()
    made = [filler.text(text) for text in texts]
    assert len(set(made)) == len(texts)
    assert [filler.text(text) for text in texts] == made


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{home}", "{new}"], 3, "not a capture; make one with validator capture new"),
        (["{captures}", "{new}"], 2, "a folder of captures; name one of them"),
        (["nowhere", "{new}"], 2, "no such file or folder"),
        (["{capture}", "{full}"], 3, "full is there already"),
    ],
)
def test_a_wrong_request_is_said_in_one_line(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    places = {
        "home": CAPTURES / "0.19.0-text" / "home", "capture": CAPTURES / "0.19.0-text", "captures": CAPTURES,
        "new": tmp_path / "new", "full": tmp_path / "full",
    }  # fmt: skip
    done = run("capture", "redact", *(argument.format(**places) for argument in arguments))
    assert (done.code, message in done.err, done.err.count("\n")) == (code, True, 1), done.err
    assert not (tmp_path / "new").exists()
