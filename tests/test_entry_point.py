"""A Python package can offer a converter; it is judged as a command is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from validator.cli import cli
from validator.stream import CommandError
from validator.stream.command import read_command
from validator.stream.entry_point import load_entry_point

CAPTURE = Path(__file__).parents[1] / "captures" / "0.19.0-edit-review"

MODULE = """
import os, sys
from validator.converter import convert

def honest(request):
    return convert(request)

def short(request):
    return list(convert(request))[:-1]

def curious(request):
    assert sorted(os.environ) == ["HOME", "LANG", "PATH", "TMPDIR"], sorted(os.environ)
    assert os.listdir() == []
    return convert(request)

not_callable = 5
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that offers converters."""
    place = tmp_path / "site"
    offered = {"foreign": ["honest", "short", "curious", "not_callable", "missing"], "other": ["short"]}
    for name, points in offered.items():
        information = place / f"{name}_converters-1.0.dist-info"
        information.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}-converters\nVersion: 1.0\n"
        (information / "METADATA").write_text(metadata, encoding="utf-8")
        lines = ["[validator.converters]", *(f"{point} = {name}_converters:{point}" for point in points)]
        if name == "foreign":
            lines.append("broken = no_such_module:convert")
        (information / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (place / "foreign_converters.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(place))
    return place


def check(converter: str) -> tuple[int, dict[str, object]]:
    outcome = CliRunner().invoke(cli, ["check", str(CAPTURE), "--json", "--converter", converter])
    assert outcome.stdout, outcome.output
    return outcome.exit_code, json.loads(outcome.stdout)


def test_an_honest_entry_point_conforms() -> None:
    code, report = check("entry-point:honest")
    assert (code, report["verdict"], report["converter"]) == (0, "conforms", "hermes-state-sqlite-v0.1.0")


def test_an_entry_point_runs_in_the_surroundings_of_a_command() -> None:
    assert check("entry-point:curious")[0] == 0


def test_an_entry_point_is_found_again_although_it_runs_elsewhere(
    tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("site")
    assert check("entry-point:honest")[0] == 0


def test_an_entry_point_is_loaded_by_its_name() -> None:
    assert callable(load_entry_point("honest"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", r"no package offers an entry point 'nothing'; installed: broken, curious, honest"),
        ("short", r"2 packages offer an entry point 'short': \['foreign_converters:short', 'other_converters:short'\]"),
    ],
)
def test_a_name_that_is_not_one_converter_is_wrong_usage(name: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        read_command(f"entry-point:{name}")
    outcome = CliRunner().invoke(cli, ["check", str(CAPTURE), "--converter", f"entry-point:{name}"])
    assert outcome.exit_code == 2
    assert "Traceback" not in outcome.output


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "'broken' .no_such_module:convert. cannot be loaded: ModuleNotFoundError"),
        ("missing", "'missing' .* cannot be loaded: AttributeError"),
        ("not_callable", "'not_callable' .* is not callable"),
    ],
)
def test_what_is_no_converter_is_told(name: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        load_entry_point(name)
    code, report = check(f"entry-point:{name}")
    assert (code, report["verdict"]) == (4, "converter failed")
    assert name in json.dumps(report["captures"])
