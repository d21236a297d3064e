"""The wheel: it carries the schemas and the descriptors, and what is installed from it finds them."""

import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

# Asked of the installed copy: where it lies, and what it finds by itself.
QUESTION = """
import json, validator
from validator import descriptor, schemas
descriptor.load()
print(json.dumps({
    "package": validator.__file__,
    "schemas": schemas.names(),
    "judged": schemas.errors("report", {}) != [],
    "descriptors": descriptor.available(),
    "root": str(descriptor.descriptors_root()),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed, so no wheel was built: pip install '.[test]'")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    [built] = folder.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.fixture(scope="module")
def installed(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's files, as pip would lay them out."""
    folder = tmp_path_factory.mktemp("site")
    wheel.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def answer(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-c", QUESTION],
        cwd=tmp_path_factory.mktemp("elsewhere"), env={"PYTHONPATH": str(installed)},
        check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_the_wheel_carries_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    here = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "validator").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "validator/schemas/report.json" in here
    assert here <= set(wheel.namelist())


def test_the_wheel_carries_every_file_of_the_descriptors(wheel: zipfile.ZipFile) -> None:
    here = {
        f"validator/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "descriptors").rglob("*") if path.is_file()
    }
    assert "validator/descriptors/com.nousresearch.hermes/descriptor.json" in here
    assert here <= set(wheel.namelist())


def test_the_wheel_carries_nothing_but_the_package(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"validator", "session_format_validator-0.1.0.dist-info"}


def test_the_installed_copy_is_what_answers(answer: dict[str, Any], installed: Path) -> None:
    assert Path(answer["package"]).is_relative_to(installed)


def test_the_installed_copy_finds_its_schemas(answer: dict[str, Any]) -> None:
    assert "report" in answer["schemas"]
    assert answer["judged"]


def test_the_installed_copy_finds_its_descriptors(answer: dict[str, Any], installed: Path) -> None:
    assert Path(answer["root"]).is_relative_to(installed)
    assert "com.nousresearch.hermes" in answer["descriptors"]
