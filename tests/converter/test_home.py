"""The converter of a home's files: what the home document shows, and what a hostile home holds."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from tests import homes
from tests.converter.streams import SNAPSHOT, Line, of_kind
from validator.converter import NamespaceRequired, Request, SourceUnusable, WrongRequest, convert
from validator.schemas import errors

LOG = homes.LOG


def converted(home: Path, namespace: str | None = "inst-1", after: str | None = None) -> list[Line]:
    """The lines of a home, parsed and held against the schema."""
    found = []
    for raw in convert(Request("hermes-home-files", home, SNAPSHOT, namespace, after)):
        assert raw.endswith(b"\n") and raw.count(b"\n") == 1
        found.append(json.loads(raw.decode("utf-8")))
        assert errors("record-stream", found[-1]) == []
    counts = {f"{kind}s": len(of_kind(found, kind)) for kind in ("stream", "record", "gap", "notice")}
    assert found[-1] == {"line": "end", **counts}
    return found


def of_home(tmp_path: Path, files: homes.Files) -> list[Line]:
    return converted(homes.write(tmp_path / "home", files))


def records(found: list[Line]) -> dict[str, Line]:
    by_key = {line["entity"]["key"]: line for line in of_kind(found, "record")}
    assert len(by_key) == len(of_kind(found, "record"))
    return by_key


def said(line: Line) -> dict[str, Any]:
    """The standard fields of a record."""
    frame = {"line", "stream", "family", "position", "entity", "native"}
    return {name: value for name, value in line.items() if name not in frame}


def memory(tmp_path: Path, content: bytes | str, name: str = "a.md") -> dict[str, Any]:
    found = of_home(tmp_path, {f"memories/{name}": content})
    (record,) = of_kind(found, "record")
    raw = content.encode() if isinstance(content, str) else content
    assert b64decode(record["native"]["blob"]["$blob"]) == raw
    return {**said(record), "notices": [line["code"] for line in of_kind(found, "notice")]}


def key(line: int, path: str = LOG) -> str:
    return json.dumps([path, str(line)], separators=(",", ":"))


def test_the_documented_home_gives_the_documented_facts(tmp_path: Path) -> None:
    found = records(of_home(tmp_path, homes.documented()))
    assert {name: said(line) for name, line in found.items()} == {
        key(1): {
            "cwd": "/home/ubuntu/projects/my-app",
            "model": "claude-sonnet-4-6",
            "started": "2026-03-10T14:00:00.000000Z",
        },
        key(2): {"role": "user", "content": "How do I debounce a React input?"},
        key(3): {"role": "assistant", "content": "Use useCallback + useEffect with a setTimeout..."},
        key(4): {"name": "read_file", "input": {"path": "/home/ubuntu/project/src/App.tsx"}},
        key(5): {"result": "...", "links": [{"rel": "call", "to": {"type": "tool-use", "key": key(4)}}]},
        "memories/gather.md": {
            "text": homes.MARKDOWN.partition("---\nWhen")[2].join(["When", ""]),
            "tags": ["python", "async", "debugging"],
            "time": "2026-03-10T14:22:00.000000Z",
            "project": "my-api",
        },
        "memories/source.json": {
            "text": "...",
            "tags": ["python", "async"],
            "time": "2026-03-10T14:22:00.000000Z",
            "project": "my-api",
            "source": "session:abc123",
            "links": [{"rel": "session", "to": {"type": "session", "key": "abc123"}}],
        },
        "config.yaml": {},
    }


def test_the_documented_home_has_its_types_families_and_positions(tmp_path: Path) -> None:
    found = records(of_home(tmp_path, homes.documented()))
    assert {name: (line["entity"]["type"], line["family"], line["position"]) for name, line in found.items()} == {
        key(1): ("session-meta", "transcript", "1"),
        key(2): ("message", "transcript", "2"),
        key(3): ("message", "transcript", "3"),
        key(4): ("tool-use", "transcript", "4"),
        key(5): ("tool-result", "transcript", "5"),
        "memories/gather.md": ("memory", "current-state", SNAPSHOT),
        "memories/source.json": ("memory", "current-state", SNAPSHOT),
        "config.yaml": ("configuration", "current-state", SNAPSHOT),
    }


def test_lines_are_in_their_session_s_stream_and_memories_in_the_home_s(tmp_path: Path) -> None:
    found = of_home(tmp_path, homes.documented())
    sessions = {line["stream"]: line["session"] for line in of_kind(found, "stream")}
    assert sorted(sessions.values(), key=str) == [None, "abc123"]
    for name, line in records(found).items():
        assert sessions[line["stream"]] == ("abc123" if LOG in name else None)
    namespaces = [line["namespace"] for line in of_kind(found, "stream")]
    assert namespaces == [{"value": "inst-1", "basis": "installation"}] * 2


def test_a_line_is_whole_in_native_record(tmp_path: Path) -> None:
    values = [homes.META, {"role": "user", "content": None, "n": [1.5, 10**30, -0.25, {"deep": [True]}]}, 7, None, []]
    found = records(of_home(tmp_path, {LOG: homes.lines(*values)}))
    assert [line["native"] for line in found.values()] == [
        {"record": {"line": number, "value": value}} for number, value in enumerate(values, 1)
    ]
    assert [line["entity"]["type"] for line in found.values()] == [
        "session-meta", "message", "unknown", "unknown", "unknown",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b'{"role":"user","role":"assistant"}',
        b'{"role":"user","content":"half \\ud83d"}',
        b'\xef\xbb\xbf{"role":"user"}',
    ],
)
def test_a_line_that_no_value_can_say_is_kept_as_its_bytes(tmp_path: Path, line: bytes) -> None:
    found = records(of_home(tmp_path, {LOG: line + b"\n"}))
    assert [record["native"] for record in found.values()] == [{"blob": {"$blob": b64encode(line).decode()}}]


def test_a_line_may_be_500_levels_deep(tmp_path: Path) -> None:
    deep = b'{"role":"user","content":' + b"[" * 499 + b'"\\ud800"' + b"]" * 499 + b"}"
    found = records(of_home(tmp_path, {LOG: deep + b"\n" + deep.replace(b"\\ud800", b"x")}))
    assert [list(line["native"]) for line in found.values()] == [["blob"], ["record"]]


def test_a_log_without_meta_is_the_session_that_its_file_names(tmp_path: Path) -> None:
    found = of_home(tmp_path, {LOG: homes.lines(*homes.TURNS, {**homes.META, "id": "late"})})
    assert [line["session"] for line in of_kind(found, "stream")] == ["abc123"]


def test_the_id_of_the_first_line_wins_over_the_file_s_name(tmp_path: Path) -> None:
    found = of_home(tmp_path, {LOG: homes.lines({**homes.META, "id": "other"}, *homes.TURNS)})
    assert [line["session"] for line in of_kind(found, "stream")] == ["other"]


def test_a_result_joins_no_call_of_another_session_and_no_repeated_one(tmp_path: Path) -> None:
    use, result = homes.TOOLS
    found = records(
        of_home(
            tmp_path,
            {
                "sessions/2026-03-10/a.jsonl": homes.lines(use),
                "sessions/2026-03-10/b.jsonl": homes.lines(result),
                "sessions/2026-03-10/c.jsonl": homes.lines(result, use, use),
                "sessions/2026-03-10/d.jsonl": homes.lines(result),
                "sessions/2026-03-11/d.jsonl": homes.lines(use),
            },
        )
    )
    linked = {name: line["links"][0]["to"]["key"] for name, line in found.items() if "links" in line}
    day = "sessions/2026-03-1"
    assert linked == {key(1, f"{day}0/d.jsonl"): key(1, f"{day}1/d.jsonl")}


def test_a_call_whose_type_is_escaped_is_paired_like_any_other(tmp_path: Path) -> None:
    use, result = (homes.lines(line) for line in homes.TOOLS)
    found = records(of_home(tmp_path, {LOG: use.replace(b"tool_use", b"tool\\u005fuse", 1) + result}))
    assert found[key(2)]["links"] == [{"rel": "call", "to": {"type": "tool-use", "key": key(1)}}]


BROKEN = [
    (b'{"role":"user","content":"1"}\n{"role":"assistant","content":"cut\n{"role":"user","content":"3"}\n\n'
     b'{"role":"user","content":"4"', [1, 3], [(2, 2, 1), (5, 5, 1)]),
    (b'{"role":"user"}\n' + b"\0" * 512 + b'\n"\x0b"\n{"role":"user"}\r\n', [1, 4], [(2, 3, 2)]),
    (b'{"a":1}\n\xff\xfe\n{"b":NaN}\n{"c":1e999}\n' + b"[" * 501 + b"]" * 501 + b"\n{}", [1, 6], [(2, 5, 4)]),
    ('{"role":"user","content":"a\u2028b\u0085c"}\r\n \t\r\n[]'.encode(), [1, 3], []),
    (b"", [], []),
    (b"\n\n\r\n", [], []),
]  # fmt: skip


@pytest.mark.parametrize(("content", "read", "lost"), BROKEN)
def test_what_cannot_be_read_is_a_gap_and_the_rest_is_read(
    tmp_path: Path, content: bytes, read: list[int], lost: list[tuple[int, int, int]]
) -> None:
    found = of_home(tmp_path, {LOG: content})
    assert [int(line["position"]) for line in of_kind(found, "record")] == read
    gaps = of_kind(found, "gap")
    assert [(gap["from"]["line"], gap["to"]["line"], gap["units"]) for gap in gaps] == lost
    assert {gap["from"]["source"] for gap in gaps} <= {LOG}


def test_a_line_of_12_megabytes_is_read(tmp_path: Path) -> None:
    big = "x" * 12 * 2**20
    found = of_home(tmp_path, {LOG: homes.lines({"role": "user", "content": big}, *homes.TURNS)})
    assert len(of_kind(found, "record")[0]["content"]) == 12 * 2**20
    assert len(of_kind(found, "record")) == 3


def test_a_line_beyond_the_limit_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.converter.hermes_home_files.logs.LARGEST", 100)
    long = [b'"' + b"x" * size + b'"' for size in (98, 99, 500)]
    found = of_home(tmp_path, {LOG: b"\n".join([*long, b"{}", long[0]])})
    assert [int(line["position"]) for line in of_kind(found, "record")] == [1, 4, 5]


def test_a_file_beyond_the_limit_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.converter.hermes_home_files.run.LARGEST", 4)
    found = of_home(tmp_path, {"memories/a.md": "12345", "memories/b.md": "1234"})
    assert list(records(found)) == ["memories/b.md"]
    (gap,) = of_kind(found, "gap")
    assert (gap["from"], gap["to"], gap["units"]) == (*[{"source": "memories/a.md"}] * 2, 1)


MARKDOWN = [
    ("", {"text": ""}),
    ("prose\n---\ntags: [a]\n---\n", {"text": "prose\n---\ntags: [a]\n---\n"}),
    ("---\n---\nbody", {"text": "body"}),
    ("--- \r\nproject: x\r\n---\r\nbody\r\n", {"text": "body\r\n", "project": "x"}),
    ("---\nproject: x\n...\nbody", {"text": "body", "project": "x"}),
    ("---\nproject: x\n---", {"text": "", "project": "x"}),
    ("---\nproject:\nsource: ~\ntags: null\n---\n", {"text": ""}),
    ("---\nproject: ''\n---\n", {"text": "", "project": ""}),
    ("---\nproject: 2026\ntags: [on, 1.0, true, ~, [x], 2026-03-10]\n---\n",
     {"text": "", "project": "2026", "tags": ["on", "1-0", "true", "2026-03-10"]}),
    ("---\ntags: python\n---\n", {"text": ""}),
    ("---\ntags: []\n---\n", {"text": "", "tags": []}),
    ("---\na: &x [Q]\ntags: *x\n---\n", {"text": "", "tags": ["q"]}),
    ("---\nsource: session:s1\n---\n",
     {"text": "", "source": "session:s1", "links": [{"rel": "session", "to": {"type": "session", "key": "s1"}}]}),
    ("---\nsource: 'session:'\n---\n", {"text": "", "source": "session:"}),
    ("---\nsource: chat\n---\n", {"text": "", "source": "chat"}),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), MARKDOWN)
def test_a_markdown_memory_s_facts_are_those_of_its_front_matter(
    tmp_path: Path, content: str, expected: dict[str, Any]
) -> None:
    assert memory(tmp_path, content) == {**expected, "notices": []}


BAD = [
    "---\nnever: ends\n",
    "---\nA heading in rules\n---\nbody",
    "---\n- a\n- list\n---\n",
    "---\na: [\n---\n",
    "---\na: !!python/object/apply:os.system [echo]\n---\n",
    "---\na: !!timestamp 2026-03-10\n---\n",
    "---\na: !!float .inf\n---\n",
    "---\na: !!int x\n---\n",
    "---\n1: !!binary AAAA\n---\n",
    "---\n? [a]\n: b\n---\n",
    "---\na: &a [*a]\n---\n",
    "---\na: " + "[" * 51 + "]" * 51 + "\n---\n",
    "---\na: &a x\nb: [" + "*a," * 33 + "]\n---\n",
    "---\na: \0\n---\n",
    "---\na: " + "x" * 65536 + "\n---\n",
]


@pytest.mark.parametrize("content", BAD, ids=range(len(BAD)))
def test_front_matter_that_cannot_be_read_is_text_and_gives_no_fact(tmp_path: Path, content: str) -> None:
    assert memory(tmp_path, content) == {"text": content, "notices": ["bad-front-matter"]}


def test_a_byte_order_mark_is_no_text_and_hides_no_front_matter(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf---\nproject: x\n---\nbody"
    assert memory(tmp_path, content) == {"text": "body", "project": "x", "notices": ["bom"]}


def test_text_that_is_not_utf8_is_tagged(tmp_path: Path) -> None:
    assert memory(tmp_path, b"---\nproject: x\n---\nb\xffdy") == {
        "text": {"$text": b64encode(b"b\xffdy").decode()}, "project": "x", "notices": ["not-utf8"],
    }  # fmt: skip


JSON = [
    ('{"content": "", "tags": [], "project": ""}', {"text": "", "tags": [], "project": ""}, []),
    ('{"content": 5, "project": 1.5}', {"text": 5, "project": 1.5}, []),
    ('{"content": ["a"], "project": true, "tags": "a", "source": {}}', {}, []),
    ('{"content": 9007199254740993}', {"text": {"$int": "9007199254740993"}}, []),
    ('{"content": "half \\ud800", "source": "session:\\udfff"}',
     {"text": "half \ufffd", "source": "session:\ufffd",
      "links": [{"rel": "session", "to": {"type": "session", "key": "\ufffd"}}]}, ["lone-surrogate"]),
    ('{"content": "a", "content": "b"}', {"text": "b"}, ["duplicate-json-key"]),
    ("[1]", {}, ["malformed-json"]),
    ("{", {}, ["malformed-json"]),
    ("", {}, ["malformed-json"]),
    (b'{"content": "\xff"}', {}, ["not-utf8"]),
    (b'\xef\xbb\xbf{"content": "a"}', {"text": "a"}, ["bom"]),
    ('{"created_at": "yesterday"}', {}, ["not-a-time"]),
    ('{"created_at": 1750000000}', {}, ["not-a-time"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected", "notices"), JSON)
def test_a_json_memory_s_facts_are_those_of_its_object(
    tmp_path: Path, content: bytes | str, expected: dict[str, Any], notices: list[str]
) -> None:
    assert memory(tmp_path, content, "a.json") == {**expected, "notices": notices}


KEBAB = [
    ("Python", "python"),
    ("Async IO", "async-io"),
    ("--C++  & Rust__2--", "c-rust-2"),
    ("naïve Café", "naïve-café"),
    ("ΑΣ/日本 語", "ας-日本-語"),
    ("٣ digits", "٣-digits"),
    ("x²", "x"),
    ("İ", "i"),
]


@pytest.mark.parametrize(("tag", "kebab"), KEBAB)
def test_a_tag_becomes_kebab_case(tmp_path: Path, tag: str, kebab: str) -> None:
    assert memory(tmp_path, json.dumps({"tags": [tag, "+"]}), "a.json")["tags"] == [kebab]


TIMES = [
    ("2026-03-10T14:22:00Z", "2026-03-10T14:22:00.000000Z"),
    ("2026-03-10 14:22:00+05:45", "2026-03-10T08:37:00.000000Z"),
    ("2026-01-01t00:00:00.5-00:30", "2026-01-01T00:30:00.500000Z"),
    ("2026-12-31T23:59:59.9999995Z", "2027-01-01T00:00:00.000000Z"),
    ("2026-03-10T14:22:00.0000005Z", "2026-03-10T14:22:00.000000Z"),
    ("2026-03-10T14:22:00.00000050001Z", "2026-03-10T14:22:00.000001Z"),
    ("2026-03-10T14:22:00.0000015Z", "2026-03-10T14:22:00.000002Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"),
    ("0001-01-01T00:00:00+00:01", None),
    ("9999-12-31T23:59:59-00:01", None),
    ("2026-02-29T00:00:00Z", None),
    ("2026-03-10T24:00:00Z", None),
    ("2026-03-10T14:22:60Z", None),
    ("2026-03-10T14:22:00", None),
    ("2026-03-10", None),
    ("2026-03-10T14:22Z", None),
    ("2026-03-10T14:22:00Z\n", None),
    ("٢026-03-10T14:22:00Z", None),
    ("2026-03-10T14:22:00+24:00", None),
]


@pytest.mark.parametrize(("created", "time"), TIMES)
def test_a_time_is_an_instant_by_rfc_3339_and_nothing_else(tmp_path: Path, created: str, time: str | None) -> None:
    expected: dict[str, Any] = {"notices": ["not-a-time"]} if time is None else {"time": time, "notices": []}
    assert memory(tmp_path, json.dumps({"created_at": created}), "a.json") == expected


def test_files_that_the_document_does_not_show_give_no_record(tmp_path: Path) -> None:
    strange = [
        "memories/deep/a.md", "memories/a.txt", "memories/a.md.lock", "sessions/a.jsonl", "sessions/sessions.json",
        "sessions/2026-03-10/deep/a.jsonl", "profiles/x/memories/a.md", ".hub/lock.json", "notes/config.yaml", "a.md",
    ]  # fmt: skip
    assert records(of_home(tmp_path, dict.fromkeys(strange, "{}"))) == {}


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = homes.write(tmp_path / "outside", {"a.md": "secret", "b.jsonl": "{}"})
    home = homes.write(tmp_path / "home", {"memories/own.md": "own"})
    (home / "memories/a.md").symlink_to(outside / "a.md")
    (home / "sessions").mkdir()
    (home / "sessions/2026-03-10").symlink_to(outside)
    assert list(records(converted(home))) == ["memories/own.md"]


def test_a_name_that_is_not_utf8_is_passed_over(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"memories/own.md": "own", "memories/b\udcff.md": "x"})
    assert list(records(converted(home))) == ["memories/own.md"]


def test_the_same_home_gives_the_same_bytes(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", homes.documented())
    request = Request("hermes-home-files", home, SNAPSHOT, "inst-1")
    assert list(convert(request)) == list(convert(request))


def test_a_home_needs_a_namespace_a_folder_and_no_position(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", homes.documented())
    with pytest.raises(NamespaceRequired, match="--namespace"):
        converted(home, None)
    with pytest.raises(SourceUnusable, match="not a folder"):
        converted(home / "config.yaml")
    with pytest.raises(WrongRequest, match="leave --after out"):
        converted(home, after="3")
