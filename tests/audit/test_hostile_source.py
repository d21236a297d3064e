"""Source that means harm costs the audit nothing but a message."""

from __future__ import annotations

import io
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.audit.trees import schema, tree
from validator.audit import UnreadableError, audit
from validator.audit.constants import LONGEST, Evaluator, NotConstant, Scope
from validator.audit.ddl import build, statements
from validator.audit.members import Tree, TreeError, read_tree
from validator.audit.modules import Modules
from validator.cli import cli
from validator.descriptor import load


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH DATABASE '/tmp/x' AS x",
        "CREATE TABLE t AS SELECT load_extension('x')",
        "CREATE TABLE t (x CHECK (load_extension('x')))",
        "CREATE INDEX i ON messages (randomblob(1000000000))",
        "PRAGMA writable_schema = ON",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "CREATE TEMP TABLE t (x)",
        "CREATE TABLE temp.t (x)",
        "INSERT INTO messages VALUES (1)",
        "DROP TABLE messages",
        "VACUUM INTO '/tmp/x'",
    ],
)
def test_nothing_but_tables_columns_and_indexes_is_made(sql: str) -> None:
    run = [s for s in statements(f"CREATE TABLE messages (id); {sql};") if s.kind in ("table", "index", "column")]
    assert set(build(run).tables) == {"messages"}


def test_a_statement_behind_a_column_is_not_run() -> None:
    made = build(statements("CREATE TABLE a (x); ALTER TABLE a ADD COLUMN y); DROP TABLE a; --"))
    assert set(made.tables) == {"a"}


def value(expression: str) -> object:
    source = Tree({"m.py": f"X = {expression}\n".encode()}, None, None)
    modules = Modules(source)
    module = modules.get("m.py")
    assert module is not None
    evaluator = Evaluator(modules)
    return Scope(evaluator.globals(module)).lookup("X")


@pytest.mark.parametrize(
    "expression",
    [
        "'x' * 10**9",
        "'%1000000000s' % 'x'",
        "'{:>1000000000}'.format('x')",
        "'{0.__class__}'.format('x')",
        "f'{1:>1000000000}'",
        "__import__('os').system('true')",
        "open('/etc/passwd').read()",
        "'a'.__class__",
        "X + 'x'",
        "[c for c in iter(int, 1)]",
        "''.join('x' * 2 for _ in range(10))",
        "(lambda: 'x')()",
    ],
)
def test_an_expression_that_is_not_plainly_constant_has_no_value(expression: str) -> None:
    with pytest.raises(NotConstant):
        value(expression)


def test_a_text_that_doubles_again_and_again_stops_at_the_limit() -> None:
    source = "A0 = 'xxxxxxxxxxxxxxxx'\n" + "".join(f"A{n} = A{n - 1} + A{n - 1}\n" for n in range(1, 40))
    modules = Modules(Tree({"m.py": source.encode()}, None, None))
    module = modules.get("m.py")
    assert module is not None
    scope = Scope(Evaluator(modules).globals(module))
    assert len(scope.lookup("A10")) == 16 * 2**10
    with pytest.raises(NotConstant):
        scope.lookup("A39")
    assert LONGEST < 16 * 2**39


@pytest.mark.parametrize(
    "bomb",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "-" * 200_000 + "1",
        "x = " + "+".join(["1"] * 100_000),
        "x = " + "'CREATE TABLE a (x)' + " * 50_000 + "''",
        "def f():\n" + "".join(" " * n + "if 1:\n" for n in range(1, 95)) + " " * 96 + "pass",
        "x = [" + ",".join(["[]"] * 300_000) + "]",
        "\x00",
        "x = '\udcff'",
        "def f(:",
    ],
    ids=["brackets", "signs", "sums", "texts", "blocks", "items", "nul", "bytes", "broken"],
)
def test_a_file_that_cannot_be_parsed_does_not_stop_the_audit(tmp_path: Path, bomb: str) -> None:
    target = tree(tmp_path)
    text = f"# CREATE TABLE x\nPATH = 'state.db'\n{bomb}\n"
    (target / "bomb.py").write_bytes(text.encode("utf-8", "surrogateescape"))
    try:
        assert [d.name for d in audit(str(target), load()).drift] in ([], ["a"])
    except UnreadableError as error:
        assert "damaged or hostile" in str(error)


def test_loops_within_loops_stop_at_the_budget(tmp_path: Path) -> None:
    numbers = "N = (" + "1," * 1000 + ")\n"
    loops = "".join(" " * n + f"for i{n} in N:\n" for n in range(6)) + " " * 6 + "x = 'ALTER TABLE a ADD COLUMN b'\n"
    target = tree(tmp_path, files={"hermes_state_more.py": f"import hermes_state\n{numbers}{loops}"})
    start = time.process_time()
    assert "budget of steps" in "\n".join(audit(str(target), load()).unread)
    assert time.process_time() - start < 60


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def main() -> bytes:
    return f'SCHEMA_VERSION = 31\nSQL = """{schema()}"""\n'.encode()


def test_a_wheel_is_read_in_memory_and_nothing_is_extracted(tmp_path: Path) -> None:
    wheel = archive(
        tmp_path / "hermes_agent-9.0-py3-none-any.whl",
        {
            "hermes_state.py": main(),
            "../../escape.py": b"SQL = 'CREATE TABLE x (y)'",
            "/absolute.py": b"SQL = 'CREATE TABLE x (y)'",
            "hermes_agent-9.0.dist-info/METADATA": b"Name: hermes-agent\nVersion: 9.0\n\nName: other\n",
        },
    )
    before = sorted(tmp_path.rglob("*"))
    found = audit(str(wheel), load())
    assert (found.target.package, found.target.version, found.drift) == ("hermes-agent", "9.0", ())
    assert sorted(tmp_path.rglob("*")) == before


def test_an_sdist_is_read_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "hermes_agent-9.0.tar.gz"
    with tarfile.open(path, "w:gz") as made:
        for name, data in (
            ("hermes_agent-9.0/PKG-INFO", b"Name: hermes-agent\nVersion: 9.0\n"),
            ("hermes_agent-9.0/hermes_state.py", main()),
        ):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("hermes_agent-9.0/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    found = audit(str(path), load())
    assert (found.target.package, found.target.version, found.drift) == ("hermes-agent", "9.0", ())


def test_a_member_that_unpacks_without_end_is_skipped_and_named(tmp_path: Path) -> None:
    wheel = archive(tmp_path / "a-1.whl", {"hermes_state.py": main(), "bomb.py": b"#" * (64 * 2**20)})
    assert "bomb.py: larger than" in "\n".join(read_tree(wheel).unread)


def test_an_archive_of_very_many_large_files_is_refused(tmp_path: Path) -> None:
    piece = b"#" * (4 * 2**20)
    wheel = archive(tmp_path / "a-1.whl", {f"m{n}.py": piece for n in range(130)})
    with pytest.raises(TreeError, match="unpacks to more than"):
        read_tree(wheel)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04" + b"\x00" * 100, b"\x1f\x8b" + b"\x00" * 100, b"x" * 1000])
def test_a_file_that_is_no_archive_is_said_to_be_unreadable(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a-1.whl"
    path.write_bytes(data)
    done = CliRunner().invoke(cli, ["audit", str(path)])
    assert done.exit_code == 3
    assert done.stderr.startswith("validator: a-1.whl: ")
    assert "Traceback" not in done.stderr


def test_source_of_another_program_is_said_to_be_unreadable(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("SQL = 'CREATE TABLE things (id)'", encoding="utf-8")
    with pytest.raises(UnreadableError, match="creates none of the tables"):
        audit(str(tmp_path), load())
