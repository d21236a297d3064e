"""The converters under examples/, which share no code with the validator, are judged as any other converter is."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commandline import run
from tests.stores.construct import Rows, build
from tests.stores.damage import zeroed_leaf

ROOT = Path(__file__).parent.parent
CAPTURES = ROOT / "captures"
NODE = ROOT / "examples" / "node-converter"


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> str:
    """The command of the converter in JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("not exercised: no Node.js here")
    if not (NODE / "node_modules" / "better-sqlite3").is_dir():
        pytest.skip("not exercised: npm install was not run in examples/node-converter")
    monkeypatch.chdir(ROOT)
    return "node examples/node-converter/convert.js"


@pytest.mark.parametrize("capture", ["0.13.0-undo", "0.19.0-killed", "iot-0.22.2.post1-telegram"])
def test_a_converter_in_javascript_conforms(node: str, capture: str) -> None:
    result = run("check", str(CAPTURES / capture), "--converter", node, "--twice", "--json")
    report = json.loads(result.out)
    assert (result.code, report["converter"]) == (0, "hermes-state-node-v0.1.0"), report["captures"][0]
    assert report["totals"]["records"] > 0


@pytest.mark.slow
def test_a_converter_in_javascript_conforms_on_every_shipped_capture(node: str) -> None:
    result = run("check", str(CAPTURES), "--converter", node, "--json")
    assert result.code == 0, json.loads(result.out)["totals"]


def test_the_digits_that_javascript_loses_are_found(node: str, tmp_path: Path) -> None:
    call = '[{"id": "c1", "function": {"name": "t", "arguments": {"n": 9007199254740993}}}]'
    rows: Rows = {
        "sessions": [{"id": "s", "origin_json": '{"n": 9007199254740993}'}],
        "messages": [{"session_id": "s", "role": "assistant", "tool_calls": call}],
    }
    build(tmp_path / "state.db", rows=rows)
    result = run("check", str(tmp_path / "state.db"), "--namespace", "n", "--converter", node, "--json")
    found = {finding["claim"] for finding in json.loads(result.out)["captures"][0]["findings"]}
    assert result.code == 1
    assert found == {"entity.tool-call", "standard.tool-calls", "standard.values"}


def test_a_damaged_store_ends_the_converter_in_javascript_and_its_log_is_shown(node: str, tmp_path: Path) -> None:
    zeroed_leaf(tmp_path / "state.db")
    result = run("check", str(tmp_path / "state.db"), "--namespace", "n", "--converter", node, "--json")
    entry = json.loads(result.out)["captures"][0]
    assert (result.code, entry["verdict"]) == (4, "converter failed")
    assert "status 1" in entry["message"]
    assert "database disk image is malformed" in entry["stderr"][0]


def test_a_converter_in_javascript_says_what_is_wrong_with_its_arguments(node: str) -> None:
    for arguments, message in [
        (["--format", "x", "--source", "y", "--snapshot", "z"], "knows the format hermes-state-sqlite only"),
        (["--format", "hermes-state-sqlite"], "--source is missing"),
        (["--nonsense"], "Unknown option '--nonsense'"),
    ]:
        outcome = subprocess.run([*node.split(), *arguments], capture_output=True, text=True, check=False)
        assert (outcome.returncode, outcome.stdout) == (2, "")
        assert message in outcome.stderr
