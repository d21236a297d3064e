"""A check of a home: its files beside its store, in one run and one report."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import homes
from tests.commandline import run
from tests.stores import build
from tests.test_check import CAPTURES, state

LOG = homes.LOG
LYING = f"{sys.executable} {Path(__file__).parent / 'lying_home.py'}"
OWN = "0d3c4a52-6f0e-4b0c-8f1b-2a3c4d5e6f70"
TURN = {"role": "user", "content": "x"}


def report(home: Path, *options: str, namespace: str | None = "n") -> dict[str, Any]:
    given = () if namespace is None else ("--namespace", namespace)
    return dict(json.loads(run("check", str(home), "--json", *given, *options).out))


def checked(home: Path, *options: str, namespace: str | None = "n") -> dict[str, Any]:
    (entry,) = report(home, *options, namespace=namespace)["captures"]
    return dict(entry)


def of(tmp_path: Path, files: homes.Files, *options: str) -> dict[str, Any]:
    return checked(homes.write(tmp_path / "home", files), *options)


def store(home: Path, own: str | None = OWN, **rows: Any) -> None:
    home.mkdir(parents=True, exist_ok=True)
    meta = [{"key": "store_instance_id", "value": own}] if own else []
    build(home / "state.db", schema=31, rows={"state_meta": meta, **rows})


def notices(entry: Mapping[str, Any], *codes: str) -> list[tuple[str, dict[str, Any], str | None]]:
    found = [(notice["code"], notice["where"], notice.get("detail")) for notice in entry["notices"]]
    return [item for item in found if not codes or item[0] in codes]


def source(entry: Mapping[str, Any], path: str) -> dict[str, Any]:
    (found,) = [source for source in entry["sources"] if source["path"] == path]
    return dict(found)


def streams(home: Path, *options: str) -> list[tuple[str, str, str | None]]:
    lines = [json.loads(line) for line in run("convert", str(home), *options).out.splitlines()]
    return [(x["namespace"]["value"], x["namespace"]["basis"], x["session"]) for x in lines if x["line"] == "stream"]


def sums(native: int, records: int, **others: int) -> dict[str, int]:
    return {"native": native, "records": records, "excluded": 0, "lost": 0, "duplicated": 0, "unreadable": 0, **others}


def test_a_store_and_files_are_one_report_with_sums_of_each_source(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", homes.documented())
    store(home, sessions=[{"id": "abc123"}], messages=[{"session_id": "abc123", "role": "user", "content": "x"}])
    entry = checked(home, namespace=None)
    assert entry["verdict"] == "conforms"
    # 2 rows and 3 of context (the id, the layout, the sequence); 5 lines, 2 memories, the configuration.
    assert entry["conservation"] == sums(13, 10, excluded=3)
    assert source(entry, "state.db")["conservation"] == sums(5, 2, excluded=3)
    assert source(entry, LOG)["conservation"] == sums(5, 5)
    for path in ("memories/gather.md", "memories/source.json", "config.yaml"):
        assert source(entry, path)["conservation"] == sums(1, 1)
    assert "conservation" not in source(entry, ".hub/lock.json")


def test_a_session_that_is_in_the_store_and_in_a_log_is_one_stream(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {LOG: homes.lines(homes.META), "memories/a.md": "x"})
    store(home, sessions=[{"id": "abc123"}])
    # The session's, and the home's own.
    assert checked(home, namespace=None)["counts"]["streams"] == 2


def test_files_take_the_namespace_of_their_home_s_store(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"memories/a.md": "x"})
    store(home)
    lying = f"{LYING} --namespace-of-its-own"
    assert checked(home, namespace=None)["verdict"] == "conforms"
    entry = checked(home, "--converter", lying, namespace=None)
    found = {finding["claim"] for finding in entry["findings"] if finding["where"]["source"] != "state.db"}
    assert {"identity.namespace-legacy", "identity.namespace-not-path"} <= found


def test_files_without_a_store_take_the_installation_s_namespace(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"memories/a.md": "x"})
    assert streams(home, "--namespace", "n") == [("n", "installation", None)]
    assert checked(home)["verdict"] == "conforms"
    result = run("check", str(home))
    assert result.code == 2
    assert "has files and no store with a namespace for them; give" in result.err


def test_files_beside_a_store_that_cannot_be_read_are_not_wrong_usage(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"memories/a.md": "x", "state.db": b"\0" * 4096})
    entry = checked(home, namespace=None)
    assert entry["verdict"] == "capture unusable"
    assert "no namespace for its files; give one" in entry["message"]
    assert checked(home)["conservation"] == sums(1, 1)


def test_each_profile_is_a_home_of_its_own(tmp_path: Path) -> None:
    home = homes.write(
        tmp_path / "home",
        {"memories/a.md": "x", "profiles/x/memories/a.md": "y", f"profiles/x/{LOG}": homes.lines(homes.META),
         "profiles/x/.hub/lock.json": "{}", "profiles/x/SOUL.md": "z"},
    )  # fmt: skip
    store(home)
    store(home / "profiles/x", own="another", sessions=[{"id": "abc123"}])
    entry = checked(home, namespace=None)
    assert entry["verdict"] == "conforms"
    # The root's own stream, that of the profile, and the profile's session.
    assert entry["counts"]["streams"] == 3
    assert source(entry, "profiles/x/memories/a.md")["conservation"] == sums(1, 1)
    assert {source(entry, f"profiles/x/{name}")["status"] for name in (".hub/lock.json", "SOUL.md")} == {"excluded"}


def test_two_homes_must_not_share_a_namespace(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"memories/a.md": "x", "profiles/x/memories/a.md": "y"})
    result = run("check", str(home), "--namespace", "n")
    assert result.code == 2
    assert "--namespace profiles/x=VALUE" in result.err
    entry = checked(home, "--namespace", "profiles/x=m")
    assert (entry["verdict"], entry["counts"]["streams"]) == ("conforms", 2)


def test_current_state_stands_at_the_digest_of_the_files(tmp_path: Path) -> None:
    files = {"memories/b.md": b"b", "memories/a.json": b"{}", LOG: homes.lines(TURN), "config.yaml": b"model: x\n"}
    home = homes.write(tmp_path / "home", {**files, "other.txt": "x"})
    listed = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    lines = [json.loads(line) for line in run("convert", str(home), "--namespace", "n").out.splitlines()]
    positions = {line["position"] for line in lines if line.get("family") == "current-state"}
    assert positions == {f"sha256:{hashlib.sha256(listed.encode()).hexdigest()}"}


def test_a_home_with_nothing_but_a_configuration_is_as_before(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"config.yaml": "model: x\nother: 1\n"})
    store(home, sessions=[{"id": "s"}])
    entry = checked(home, namespace=None)
    assert entry["conservation"] == sums(3, 1, excluded=2)
    assert entry["notices"] == []
    assert source(entry, "config.yaml") == {
        "path": "config.yaml", "format": "hermes-home-files", "status": "identified",
        "reason": "the configuration: no session fact", "priority": {"signal": "very low", "noise": None},
    }  # fmt: skip


def test_a_folder_with_a_configuration_only_is_no_home(tmp_path: Path) -> None:
    entry = of(tmp_path, {"config.yaml": "model: x\n"})
    assert entry["verdict"] == "capture unusable"


def test_every_source_of_the_document_s_table_has_its_priority(tmp_path: Path) -> None:
    entry = of(tmp_path, homes.documented())
    high = {"signal": "high", "noise": "low"}
    tools = {"signal": "low", "noise": "high"}
    turns = {"signal": "medium", "noise": "medium"}
    assert {source["path"]: source["priority"] for source in entry["sources"]} == {
        "memories/gather.md": high,
        "memories/source.json": high,
        LOG: {**turns, "parts": {"message": turns, "tool-use": tools, "tool-result": tools}},
        "config.yaml": {"signal": "very low", "noise": None},
        ".hub/lock.json": {"signal": "none", "noise": None},
        ".hub/audit.log": {"signal": "none", "noise": None},
        ".hub/quarantine/bad/SKILL.md": {"signal": "none", "noise": None},
    }


def test_what_the_document_does_not_show_is_listed_and_changes_nothing(tmp_path: Path) -> None:
    strange = ["kanban.db", "memories/a.txt", "memories/deep/a.md", "sessions/a.jsonl", "sessions/session_a.json"]
    entry = of(tmp_path, {**dict.fromkeys(strange, "{}"), "memories/a.md": "x"})
    assert entry["verdict"] == "conforms"
    assert sorted(s["path"] for s in entry["sources"] if s["status"] == "unidentified") == strange
    assert entry["counts"]["unidentifiedSources"] == len(strange)


def test_links_are_listed_and_never_followed(tmp_path: Path) -> None:
    outside = homes.write(
        tmp_path / "outside", {"secret.md": "---\nproject: secret\n---\n", "a.jsonl": homes.lines(TURN)}
    )
    home = homes.write(tmp_path / "home", {"memories/own.md": "x", "skills/.hub/a": "x"})
    (home / "memories/linked.md").symlink_to(outside / "secret.md")
    (home / "sessions").mkdir()
    (home / "sessions/2026-03-10").symlink_to(outside)
    (home / "skills/.hub/b").symlink_to(outside)
    os.mkfifo(home / "memories/pipe.md")
    entry = checked(home)
    assert entry["conservation"] == sums(1, 1)
    assert "secret" not in json.dumps(entry)
    for path in ("memories/linked.md", "sessions/2026-03-10", "memories/pipe.md"):
        assert source(entry, path)["status"] == "unidentified"
        assert "never followed" in source(entry, path)["reason"]
    assert source(entry, "skills/.hub/b")["status"] == "excluded"


def test_a_name_that_is_not_utf8_is_listed_and_not_read(tmp_path: Path) -> None:
    entry = of(tmp_path, {"memories/own.md": "x", "memories/b\udcff.md": "y"})
    assert (entry["verdict"], entry["conservation"]) == ("conforms", sums(1, 1))
    assert source(entry, "memories/b\\udcff.md")["reason"] == "its name is not UTF-8, so no record can name it"


def test_a_check_of_a_live_home_leaves_it_as_it_was(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", homes.documented())
    store(home)
    for path in home.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.chmod(0o555)
    before = state(tmp_path)
    assert checked(home, "--twice", namespace=None)["verdict"] == "conforms"
    assert run("convert", str(home), "--namespace", "n").code == 0
    assert state(tmp_path) == before
    home.chmod(0o755)


DAMAGED = (
    b'\xef\xbb\xbf{"role":"user","content":"1"}\r\n{"role":"assistant","content":"cut\n\n' + b"\0" * 512 + b"\n"
    + b'{"role":"user","content":"\xff"}\n' + '{"role":"user","content":"a\u2028b"}\n'.encode() + b'{"role":"user"'
)  # fmt: skip


def test_what_cannot_be_read_of_a_log_is_located_and_the_rest_is_judged(tmp_path: Path) -> None:
    entry = of(tmp_path, {LOG: DAMAGED, "memories/a.md": "x"})
    assert entry["verdict"] == "capture unusable"
    assert entry["conservation"] == sums(7, 3, unreadable=4)
    assert [(gap["from"], gap["to"], gap["units"], gap["reason"]) for gap in entry["gaps"]] == [
        ({"source": LOG, "line": 2}, {"source": LOG, "line": 5}, 3, "unreadable"),
        ({"source": LOG, "line": 7}, {"source": LOG, "line": 7}, 1, "unreadable"),
    ]
    starts = [0]
    for line in DAMAGED.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    assert notices(entry, "bom", "malformed-json", "not-utf8") == [
        ("bom", {"source": LOG, "line": 1}, None),
        *(
            ("malformed-json", {"source": LOG, "line": n}, f"the line starts at byte {starts[n - 1]}")
            for n in (2, 4, 7)
        ),
        ("not-utf8", {"source": LOG, "line": 5}, f"the line starts at byte {starts[4]}"),
    ]
    assert entry["findings"] == []


def test_a_source_that_names_no_session_anywhere_is_a_notice(tmp_path: Path) -> None:
    memories = {f"memories/{name}.md": f"---\nsource: session:{name}\n---\n" for name in ("stored", "logged", "gone")}
    home = homes.write(tmp_path / "home", {**memories, "sessions/2026-03-10/logged.jsonl": homes.lines(TURN)})
    store(home, sessions=[{"id": "stored"}])
    entry = checked(home, namespace=None)
    where = {"source": "memories/gone.md", "pointer": "/source"}
    assert notices(entry, "unresolved-source") == [("unresolved-source", where, "gone")]


def test_a_session_that_is_only_in_a_file_is_a_notice_where_there_is_a_store(tmp_path: Path) -> None:
    log = {"sessions/2026-03-10/logged.jsonl": homes.lines(TURN)}
    assert notices(of(tmp_path / "a", log), "session-only-in-file") == []
    home = homes.write(tmp_path / "b", log)
    store(home)
    where = {"source": "sessions/2026-03-10/logged.jsonl"}
    assert notices(checked(home, namespace=None), "session-only-in-file") == [("session-only-in-file", where, "logged")]


SAME = {"id": "abc123", "model": homes.META["model"], "cwd": homes.META["cwd"], "started_at": 1773151200.75}
MESSAGES = [
    *({"session_id": "abc123", **turn} for turn in homes.TURNS),
    # Not in the log, and no turn of it: a rewound one, one with calls, a tool's.
    {"session_id": "abc123", "role": "user", "content": "rewound", "active": 0},
    {"session_id": "abc123", "role": "assistant", "content": "calls", "tool_calls": "[]"},
    {"session_id": "abc123", "role": "tool", "content": "a result"},
]


@pytest.mark.parametrize(
    ("session", "messages", "detail"),
    [
        (SAME, MESSAGES, None),
        ({**SAME, "model": None, "cwd": None}, MESSAGES, None),
        ({**SAME, "model": "another"}, MESSAGES, "model"),
        ({**SAME, "cwd": "/elsewhere", "started_at": 1773151202.0}, MESSAGES, "cwd, started"),
        (SAME, MESSAGES[1:], "turns"),
        (SAME, [*MESSAGES, MESSAGES[0]], "turns"),
        (SAME, [], "turns"),
    ],
)
def test_a_log_and_a_row_that_disagree_are_a_notice(
    tmp_path: Path, session: dict[str, Any], messages: list[dict[str, Any]], detail: str | None
) -> None:
    home = homes.write(tmp_path / "home", {LOG: homes.lines(homes.META, *homes.TURNS, *homes.TOOLS)})
    store(home, sessions=[session], messages=messages)
    entry = checked(home, namespace=None)
    expected = [] if detail is None else [("session-differs", {"source": LOG}, detail)]
    assert notices(entry, "session-differs") == expected
    assert entry["verdict"] == "conforms"


@pytest.mark.parametrize(
    ("files", "detail"),
    [
        ({"config.yaml": "logging:\n  sessions: true\n", LOG: homes.lines(TURN)}, None),
        ({"config.yaml": "logging:\n  sessions: yes\n", LOG: homes.lines(TURN)}, None),
        ({LOG: homes.lines(TURN)}, None),
        ({"config.yaml": "{", LOG: homes.lines(TURN)}, None),
        ({"config.yaml": "model: x\n", "memories/a.md": "x"}, None),
        ({"config.yaml": "model: x\n", LOG: homes.lines(TURN)}, "logging.sessions is not true, and there are logs"),
        ({"config.yaml": "logging: {sessions: 'true'}\n", LOG: homes.lines(TURN)},
         "logging.sessions is not true, and there are logs"),
        ({"config.yaml": "logging: {sessions: on}\n", "memories/a.md": "x"},
         "logging.sessions is true, and there are no logs"),
        ({"config.yaml": "model: x\n", "memories/a.md": "x", "sessions/sessions.json": "{}"},
         "logging.sessions is not true, and sessions/ is there"),
        ({"config.yaml": "logging: {memories: off}\n", "memories/a.md": "x"},
         "logging.memories is false, and there are memories"),
    ],
)  # fmt: skip
def test_a_configuration_that_says_otherwise_than_the_files_is_a_notice(
    tmp_path: Path, files: dict[str, bytes | str], detail: str | None
) -> None:
    found = notices(of(tmp_path, files), "logging-differs")
    assert [item[2] for item in found] == ([] if detail is None else [detail])


def test_a_key_that_is_not_described_is_one_notice_however_often_it_stands(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"memories/{n}.md": "---\nmood: good\ntags: [a]\n---\n" for n in range(3)}
    files[LOG] = homes.lines(*[{**TURN, "mood": {"deep": 1}}] * 5, {**homes.META, "mood": 1})
    files["config.yaml"] = "model: {default: x}\nlogging: {level: x, sessions: true}\n"
    assert notices(of(tmp_path, files), "undescribed-key") == [
        ("undescribed-key", {"source": "config.yaml", "pointer": "/logging/level"}, None),
        ("undescribed-key", {"source": "memories/0.md", "pointer": "/mood"}, None),
        ("undescribed-key", {"source": LOG, "line": 1, "pointer": "/mood"}, None),
        ("undescribed-key", {"source": LOG, "line": 6, "pointer": "/mood"}, None),
    ]


def test_a_configuration_that_cannot_be_parsed_is_noted_with_its_line(tmp_path: Path) -> None:
    home = homes.write(tmp_path / "home", {"config.yaml": "model: x\n broken: [unclosed"})
    store(home)
    assert notices(checked(home, namespace=None)) == [("malformed-json", {"source": "config.yaml"}, "not YAML, line 2")]


def test_real_memories_are_judged_in_their_capture() -> None:
    entry = checked(CAPTURES / "0.19.0-memory", namespace=None)
    assert (entry["verdict"], entry["made"]) == ("conforms", "agent")
    for path in ("memories/MEMORY.md", "memories/USER.md", "config.yaml"):
        assert source(entry, path)["conservation"] == sums(1, 1)
    exercised = {claim["claim"] for claim in entry["claims"] if claim["subjects"]}
    assert {"home.root", "home.memory-md", "home.config", "standard.memory"} <= exercised
    assert not {"home.session-meta", "home.memory-json", "standard.turn"} & exercised


def lied(tmp_path: Path, how: str, files: homes.Files | None = None) -> dict[str, Any]:
    """The entry of a home whose converter lies in one way."""
    home = homes.write(tmp_path / "home", files or homes.documented())
    return checked(home, "--converter", f"{LYING} --{how}")


def places(entry: Mapping[str, Any], claim: str) -> list[dict[str, Any]]:
    found = [finding["where"] for finding in entry["findings"] if finding["claim"] == claim]
    return [{name: value for name, value in where.items() if name != "streamLine"} for where in found]


def test_a_command_converts_a_home_like_the_built_in_converter(tmp_path: Path) -> None:
    entry = lied(tmp_path, "not")
    assert (entry["verdict"], entry["conservation"]) == ("conforms", sums(8, 8))


def test_a_lost_line_is_found_where_it_stands(tmp_path: Path) -> None:
    entry = lied(tmp_path, "drop-line-3")
    assert places(entry, "mapping.conservation") == [{"source": LOG, "line": 3}]
    assert entry["conservation"] == sums(8, 7, lost=1)
    assert source(entry, LOG)["conservation"] == sums(5, 4, lost=1)
    (gap,) = entry["gaps"]
    assert (gap["from"], gap["to"], gap["reason"]) == (
        {"source": LOG, "line": 3},
        {"source": LOG, "line": 3},
        "no record",
    )


def test_a_lost_memory_is_found_by_its_path(tmp_path: Path) -> None:
    entry = lied(tmp_path, "drop-memories")
    assert places(entry, "mapping.conservation") == [
        {"source": "memories/gather.md"},
        {"source": "memories/source.json"},
    ]
    assert [gap["from"] for gap in entry["gaps"]] == [
        {"source": "memories/gather.md"},
        {"source": "memories/source.json"},
    ]


def test_a_gap_over_a_line_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    entry = lied(tmp_path, "gap-for-line-3")
    assert places(entry, "mapping.unjustified-gap") == [{"source": LOG, "line": 3}]


def test_a_gap_over_lines_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    entry = lied(tmp_path, "not", {LOG: DAMAGED})
    assert entry["findings"] == []
    assert entry["verdict"] == "capture unusable"


def test_a_changed_value_in_a_line_is_found_in_native(tmp_path: Path) -> None:
    entry = lied(tmp_path, "change-native-of-line-3")
    assert places(entry, "mapping.native") == [{"source": LOG, "line": 3, "pointer": "/native/record"}]


def test_paths_with_the_home_in_them_are_found(tmp_path: Path) -> None:
    entry = lied(tmp_path, "absolute-keys")
    assert len(places(entry, "home.root")) == 8
    assert entry["conservation"] == sums(8, 8, lost=8)


@pytest.mark.slow
def test_claims_about_a_long_log_beside_a_long_session_take_no_quadratic_time(tmp_path: Path) -> None:
    turns = [{"role": role, "content": f"{n}"} for n in range(30_000) for role in ("user", "assistant")]
    tools = [
        tool
        for n in range(20_000)
        for tool in (
            {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {}},
            {"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"},
        )
    ]
    home = homes.write(tmp_path / "home", {LOG: homes.lines(homes.META, *turns, *tools)})
    store(home, sessions=[SAME], messages=[{"session_id": "abc123", **turn} for turn in turns])
    # A claim that took quadratic time would be beyond its limit, and the check wrong usage.
    entry = checked(home, namespace=None)
    assert entry["verdict"] == "conforms"
    assert source(entry, LOG)["conservation"] == sums(100_001, 100_001)
    assert notices(entry, "session-differs") == []
