"""The two witnesses share no code: each works where the other is not even there."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from validator.census import Store
from validator.converter import Request, convert
from validator.descriptor import load
from validator.workbench import create

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "validator"
STORES = ["captures/0.19.0-edit-review", "captures/iot-0.22.2.post1-branch", "tests/constructed/costs"]
SNAPSHOT = "sha256:" + "0" * 64

CONVERT = """
import sys
from pathlib import Path
from validator.converter import Request, convert
sys.stdout.buffer.writelines(convert(Request("hermes-state-sqlite", Path(sys.argv[1]), sys.argv[2], "n")))
"""

COUNT = """
import json, sys
from pathlib import Path
from validator.census import Store
from validator.descriptor import load
from validator.workbench import create
descriptor = load()
bench = create(None, descriptor.shapes)
store = Store(Path(sys.argv[1]), descriptor.shape("hermes-state-sqlite"))
store.load(bench, 1, 1)
units = bench.execute("SELECT tab, key, digest FROM native_unit")
json.dump([[tab, key, digest.hex()] for tab, key, digest in units], sys.stdout)
"""


def without(folder: Path, *parts: str) -> Path:
    """A copy of the package, and of the descriptors beside it, without some of its folders."""
    copied = folder / "installed"
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, copied / "validator", ignore=leave_out)
    shutil.copytree(ROOT / "descriptors", copied / "descriptors")
    for part in parts:
        shutil.rmtree(copied / part)
    return copied


def run(installed: Path, program: str, *words: str) -> bytes:
    """Run a program with the copy of the package, and with no other."""
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(
        command, cwd=installed, env={"PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def private(folder: Path, capture: str, name: str) -> Path:
    return shutil.copyfile(ROOT / capture / "home" / "state.db", folder / name)


@pytest.mark.parametrize("capture", STORES)
def test_the_converter_runs_alone_and_without_the_descriptor(capture: str, tmp_path: Path) -> None:
    others = [f"validator/{path.name}" for path in PACKAGE.iterdir() if path.is_dir() and path.name != "converter"]
    left_out = [part for part in others if not part.endswith("__pycache__")]
    assert {"validator/census", "validator/claims", "validator/stream", "validator/workbench"} <= set(left_out)
    installed = without(tmp_path, *left_out, "descriptors")
    alone = run(installed, CONVERT, str(private(tmp_path, capture, "one.db")), SNAPSHOT)
    request = Request("hermes-state-sqlite", private(tmp_path, capture, "two.db"), SNAPSHOT, "n")
    assert alone == b"".join(convert(request))
    assert alone.count(b'"line":"record"') > 10


@pytest.mark.parametrize("capture", STORES)
def test_the_census_counts_where_there_is_no_converter(capture: str, tmp_path: Path) -> None:
    installed = without(tmp_path, "validator/converter")
    alone = json.loads(run(installed, COUNT, str(private(tmp_path, capture, "one.db"))))
    descriptor = load()
    bench = create(None, descriptor.shapes)
    store = Store(private(tmp_path, capture, "two.db"), descriptor.shape("hermes-state-sqlite"))
    store.load(bench, 1, 1)
    store.close()
    units = bench.execute("SELECT tab, key, digest FROM native_unit").fetchall()
    assert [tuple(row) for row in alone] == [(tab, key, digest.hex()) for tab, key, digest in units]
    assert len(alone) > 10


def imports(path: Path) -> set[str]:
    """The modules of the package that a module names in its imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in found if name.split(".")[0] == "validator"}


def station(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_no_module_of_the_converter_names_another_station() -> None:
    named = {station(name) for path in (PACKAGE / "converter").rglob("*.py") for name in imports(path)}
    assert named <= {"", "converter", "__version__"}


@pytest.mark.parametrize(
    "judge", ["census", "claims", "workbench", "descriptor", "stream/ingest.py", "stream/columns.py"]
)
def test_no_module_that_judges_names_the_converter(judge: str) -> None:
    place = PACKAGE / judge
    modules = [place] if place.is_file() else list(place.rglob("*.py"))
    assert modules
    assert [path.name for path in modules if any(station(name) == "converter" for name in imports(path))] == []


def test_the_claims_are_data_that_the_converter_does_not_read() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (PACKAGE / "converter").rglob("*.py")]
    assert not any("descriptors" in text or ".toml" in text for text in sources)
    assert {path.suffix for path in (load().folder / "claims").iterdir()} == {".toml"}
