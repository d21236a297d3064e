"""docs/claims.md: its tables are the workbench's, and its example is run as it stands there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.claims.descriptors import ROLE
from tests.docs.claims_page import PARTS, rewritten
from tests.docs.fences import fences, page, sections
from validator.claims import lint as lint_station
from validator.claims.edits import CHOOSING
from validator.claims.lint import lint
from validator.claims.run import COLUMNS, SECONDS, nested
from validator.cli import cli
from validator.descriptor import load
from validator.workbench import create
from validator.workbench.encoding import LONGEST_TEXT

ROOT = Path(__file__).parents[2]
TEXT = page("claims.md")
SECTIONS = sections(TEXT)
EXAMPLE = SECTIONS["How to add a claim: an example"]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy of the descriptor that the example asks for, beside the captures, with no claims yet."""
    shutil.copytree(load().folder, tmp_path / "my-descriptor")
    for path in (tmp_path / "my-descriptor" / "claims").glob("*.toml"):
        path.unlink()
    (tmp_path / "captures").symlink_to(ROOT / "captures")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "my-descriptor" / "claims" / "example.toml"


def faults() -> list[str]:
    return [str(fault) for fault in lint(load("my-descriptor"))]


def draft() -> str:
    return fences(EXAMPLE, "toml")[0]


def finished() -> str:
    """The draft with the check that the example comes to."""
    return re.sub(r'violations = """.*?"""\n', lambda _: fences(EXAMPLE, "toml")[1], draft(), count=1, flags=re.DOTALL)


def test_the_generated_parts_are_those_of_the_code() -> None:
    assert set(re.findall(r"<!-- generated: (\w+) -->", TEXT)) == set(PARTS)
    assert rewritten(TEXT) == TEXT, "run: python -m tests.docs.claims_page"


@pytest.mark.parametrize("step", ["draft", "finished"])
def test_the_example_prints_what_the_page_shows(mine: Path, step: str) -> None:
    mine.write_text(draft() if step == "draft" else finished(), encoding="utf-8")
    command, shown = fences(EXAMPLE, "console")[0 if step == "draft" else 1].split("\n", 1)
    result = CliRunner().invoke(cli, command.removeprefix("$ validator ").split())
    assert result.stdout == shown
    assert result.exit_code == (1 if step == "draft" else 0)


def test_the_finished_example_is_sound_and_holds_on_every_capture(mine: Path) -> None:
    mine.write_text(finished(), encoding="utf-8")
    assert faults() == []
    commands = [line.strip() for line in EXAMPLE.splitlines() if line.startswith("    validator ")]
    assert [command.split()[1] for command in commands] == ["check", "explain"]
    report, explained = (CliRunner().invoke(cli, command.split()[1:]) for command in commands)
    assert "52 captures" in report.stdout
    assert " 0 errors" in report.stdout
    assert "An example, made by the mutant 'left out'" in explained.stdout


def test_the_mutants_of_the_page_are_sound(mine: Path) -> None:
    mutants = fences(SECTIONS["Mutants"], "toml")
    assert len(mutants) == 2
    mine.write_text(ROLE + "".join(mutants).replace("left out", "left out of results"), encoding="utf-8")
    assert faults() == []


def test_the_check_that_shows_both_sides_runs_in_the_workbench() -> None:
    (sql,) = fences(SECTIONS["Both sides"], "sql")
    columns = create(None, load().shapes).execute(f"SELECT * FROM {nested(sql)}").description
    assert {column[0] for column in columns} == set(COLUMNS)


def test_the_members_of_a_claim_are_those_that_the_lint_knows() -> None:
    rows = re.findall(r"^\| (`.+?`) \|", SECTIONS["The members of a claim"], flags=re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == set(lint_station._MEMBERS)


def test_the_columns_limits_and_choices_are_those_of_the_code() -> None:
    queries = SECTIONS["The two queries"]
    assert set(re.findall(r"^\| `(\w+)` \|", queries, flags=re.MULTILINE)) == set(COLUMNS)
    assert f"beyond {LONGEST_TEXT:,} characters" in " ".join(queries.split())
    assert SECONDS == 120 and "two minutes" in queries
    chooses = SECTIONS["Mutants"]
    assert all(f"`{name}`" in chooses for name in CHOOSING)
