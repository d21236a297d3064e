"""Provenance: the digests are those of the files, the bytes are always the same, the statement is an in-toto one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.claims.descriptors import ROLE, descriptor_with
from tests.commandline import run
from validator import schemas
from validator.capture.targets import shipped
from validator.evidence import digests

ROOT = Path(__file__).parents[2]
CAPTURE = shipped() / "0.15.1-text"


def made(folder: str, *options: str) -> dict[str, Any]:
    result = run("evidence", "provenance", folder, "--captures", str(CAPTURE), *options)
    assert result.code == 0
    document: dict[str, Any] = json.loads(result.out)
    return document


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_digests_are_those_of_the_files(tmp_path: Path) -> None:
    folder = descriptor_with(tmp_path, test=ROLE)
    document = made(folder)
    assert schemas.errors("provenance", document) == []
    assert document["descriptor"]["sha256"] == sha256(Path(folder) / "descriptor.json")
    files = {entry["file"]: entry["sha256"] for entry in document["files"]}
    assert files["claims/test.toml"] == sha256(Path(folder) / "claims" / "test.toml")
    assert set(files) >= {"sources.json", "formats/hermes-state-sqlite.json"}
    assert all(digest == sha256(Path(folder) / file) for file, digest in files.items())
    [capture] = document["observations"][0]["captures"]
    assert (capture["capture"], capture["sha256"]) == (CAPTURE.name, sha256(CAPTURE / "capture.json"))
    assert capture["counts"]["records"] == 3
    [converter] = document["converters"]
    assert converter["name"].startswith("hermes-state-sqlite-v")
    assert all(entry["sha256"] == sha256(ROOT / "validator" / entry["file"]) for entry in converter["files"])
    assert len(converter["files"]) == len(list((ROOT / "validator/converter/hermes_state_sqlite").rglob("*.py")))


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    folder = descriptor_with(tmp_path, test=ROLE)
    outputs = set()
    for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        outputs.add(
            subprocess.run(
                [sys.executable, "-m", "validator", "evidence", "provenance", folder, "--captures", str(CAPTURE)],
                cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}, capture_output=True, check=True,
            ).stdout
        )  # fmt: skip
    assert len(outputs) == 1


def test_the_side_file_is_written_beside_the_descriptor(tmp_path: Path) -> None:
    folder = descriptor_with(tmp_path, test=ROLE)
    assert run("evidence", "provenance", folder, "--captures", str(CAPTURE), "--write").code == 0
    assert json.loads((Path(folder) / "provenance.json").read_text(encoding="utf-8")) == made(folder)


def test_a_statement_of_a_test_that_passed(tmp_path: Path) -> None:
    document = made(descriptor_with(tmp_path, test=ROLE), "--in-toto")
    assert schemas.errors("in-toto-statement", document) == []
    predicate = document["predicate"]
    assert (predicate["result"], predicate["passedTests"], predicate["failedTests"]) == ("PASSED", ["test.role"], [])
    names = [resource["name"] for resource in predicate["configuration"]]
    assert f"capture/{CAPTURE.name}" in names
    assert "descriptor/com.nousresearch.hermes/claims/test.toml" in names


def test_a_statement_of_a_test_that_failed(tmp_path: Path) -> None:
    wrong = ROLE.replace("r.role IS NOT m.role", "r.role IS NOT 'nobody' AND m.role IS NOT NULL")
    predicate = made(descriptor_with(tmp_path, test=wrong), "--in-toto")["predicate"]
    assert (predicate["result"], predicate["passedTests"], predicate["failedTests"]) == ("FAILED", [], ["test.role"])


def test_a_statement_of_a_test_that_warned(tmp_path: Path) -> None:
    wrong = ROLE.replace("r.role IS NOT m.role", "r.role IS NOT 'nobody' AND m.role IS NOT NULL")
    wrong = wrong.replace('id = "test.role"', 'id = "test.role"\nlevel = "notice"')
    predicate = made(descriptor_with(tmp_path, test=wrong), "--in-toto")["predicate"]
    assert (predicate["result"], predicate["warnedTests"]) == ("WARNED", ["test.role"])


def test_a_claim_without_a_subject_is_no_test_that_passed(tmp_path: Path) -> None:
    idle = ROLE.replace("SELECT unit FROM native_message", "SELECT unit FROM native_message WHERE 0")
    predicate = made(descriptor_with(tmp_path, test=idle), "--in-toto")["predicate"]
    assert predicate["passedTests"] == []


git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in a repository of its own, committed."""
    package = tmp_path / "repository" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=package.parent, check=True)
    monkeypatch.setattr(digests, "PACKAGE", package)
    return package


@git
def test_a_checkout_as_committed_is_clean(checkout: Path) -> None:
    assert digests.clean() is True


@git
def test_a_file_that_was_changed_or_added_makes_it_unclean(checkout: Path) -> None:
    (checkout / "new.py").write_text("", encoding="utf-8")
    assert digests.clean() is False
    (checkout / "new.py").unlink()
    (checkout / "__init__.py").write_text("changed = True\n", encoding="utf-8")
    assert digests.clean() is False


@git
def test_files_in_another_project_s_repository_are_not_said_to_be_clean(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = checkout.parent / "venv" / "package"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("", encoding="utf-8")
    (checkout.parent / ".gitignore").write_text("venv\n", encoding="utf-8")
    monkeypatch.setattr(digests, "PACKAGE", installed)
    assert digests.clean() is None


def test_without_a_checkout_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "PACKAGE", tmp_path)
    assert digests.clean() is None
