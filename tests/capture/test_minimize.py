"""A minimized capture still shows the finding, and nothing in it can go without the finding going too."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.commandline import run

ROOT = Path(__file__).parents[2]
CAPTURE = ROOT / "captures" / "0.19.0-undo"


def converter(name: str) -> str:
    return f"{sys.executable} {ROOT / 'tests' / 'fakes' / name}.py"


def rows(capture: Path) -> dict[str, int]:
    with closing(sqlite3.connect(capture / "home" / "state.db")) as store:
        names = [row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: store.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    return {name: count for name, count in found.items() if count and name != "sqlite_sequence"}


def test_what_is_left_shows_the_finding_and_no_row_can_go(tmp_path: Path) -> None:
    options = ["--converter", converter("drops_every_tenth")]
    done = run("capture", "minimize", str(CAPTURE), str(tmp_path / "small"), *options)
    assert done.code == 0, done.err
    # The converter leaves out the tenth record: ten units are the fewest that show it.
    assert sum(rows(tmp_path / "small").values()) == 10
    assert "10 of 16 rows and files show mapping.conservation" in done.out
    assert run("capture", "verify", str(tmp_path / "small")).code == 0
    report = json.loads(run("check", str(tmp_path / "small"), *options, "--json").out)
    assert "mapping.conservation" in {f["claim"] for c in report["captures"] for f in c["findings"]}


def test_a_converter_that_drops_everything_is_shown_by_one_row(tmp_path: Path) -> None:
    done = run(
        "capture", "minimize", str(CAPTURE), str(tmp_path / "small"), "--converter", converter("drops_everything")
    )
    assert done.code == 0, done.err
    assert sum(rows(tmp_path / "small").values()) == 1


def test_the_tries_can_be_limited_and_the_best_is_kept(tmp_path: Path) -> None:
    options = ["--converter", converter("drops_everything"), "--tries", "3"]
    done = run("capture", "minimize", str(CAPTURE), str(tmp_path / "small"), *options)
    assert "the tries are used up, it may be smaller still" in done.out
    assert 1 <= sum(rows(tmp_path / "small").values()) < 16


def test_the_manifest_says_that_it_is_no_whole_run(tmp_path: Path) -> None:
    options = ["--converter", converter("drops_everything"), "--claim", "mapping.conservation"]
    run("capture", "minimize", str(CAPTURE), str(tmp_path / "small"), *options)
    made = json.loads((tmp_path / "small" / "capture.json").read_text(encoding="utf-8"))
    assert "Reduced to what shows a violation of mapping.conservation; it is no whole run." in made["limitations"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "shows no violation with this converter; see validator check"),
        (["--claim", "links.fork"], "shows no violation of links.fork with this converter"),
    ],
)
def test_a_capture_without_the_finding_cannot_be_minimized(tmp_path: Path, more: list[str], message: str) -> None:
    done = run("capture", "minimize", str(CAPTURE), str(tmp_path / "small"), *more)
    assert (done.code, message in done.err, done.err.count("\n")) == (3, True, 1), done.err
    assert not (tmp_path / "small").exists()
