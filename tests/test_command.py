"""What `--converter` may say, and what becomes of its relative paths."""

import stat
from pathlib import Path

import pytest

from validator.stream import CommandError
from validator.stream.command import read_command, resolve_argv, split_command


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with a program, a file, a package and a folder."""
    (tmp_path / "bin").mkdir()
    for place in ("bin/convert", "convert.sh"):
        (tmp_path / place).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / place).chmod(0o755)
    (tmp_path / "convert.js").write_text("", encoding="utf-8")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "data.toml").write_text("", encoding="utf-8")
    return tmp_path


def test_words_are_split_as_a_shell_splits_them_and_nothing_is_expanded() -> None:
    assert split_command("""node 'a b.js' "c d" e\\ f $HOME *.db | > x ~""") == (
        "node", "a b.js", "c d", "e f", "$HOME", "*.db", "|", ">", "x", "~",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "   ", "''", "\n"])
def test_an_empty_command_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(CommandError, match=r"^--converter: the command is empty; write the program"):
        split_command(text)


@pytest.mark.parametrize("text", ["node 'convert.js", 'node "convert.js', "node convert.js \\"])
def test_an_open_quotation_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match=r"^--converter: No "):
        split_command(text)


def test_a_nul_character_is_refused() -> None:
    with pytest.raises(CommandError, match="NUL"):
        split_command("node\0")


def test_a_program_without_a_slash_is_looked_up_in_path_only(here: Path) -> None:
    assert resolve_argv(("convert",), here, search=str(here / "bin")) == (f"{here}/bin/convert",)
    with pytest.raises(CommandError, match=r"no program 'convert.sh' in PATH; .* write \./convert\.sh$"):
        resolve_argv(("convert.sh",), here, search=str(here / "bin"))


def test_a_relative_entry_of_path_starts_where_the_caller_stands(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "bin")
    assert resolve_argv(("convert",), here) == (f"{here}/bin/convert",)


def test_a_program_with_a_slash_is_a_path(here: Path) -> None:
    assert resolve_argv(("./convert.sh",), here) == (f"{here}/convert.sh",)
    assert resolve_argv((f"{here}/convert.sh",), Path("/")) == (f"{here}/convert.sh",)


@pytest.mark.parametrize("word", ["./missing", "package/", "./package"])
def test_a_path_that_is_no_file_is_no_program(word: str, here: Path) -> None:
    with pytest.raises(CommandError, match="there is no program"):
        resolve_argv((word,), here)


def test_a_file_that_is_not_executable_is_refused_with_the_remedy(here: Path) -> None:
    assert not (here / "convert.js").stat().st_mode & stat.S_IXUSR
    with pytest.raises(CommandError, match=r"not executable; .*as in 'python3 convert\.py'"):
        resolve_argv(("./convert.js",), here)


def test_the_link_of_a_program_is_kept(here: Path) -> None:
    (here / "bin" / "python").symlink_to(here / "convert.sh")
    assert resolve_argv(("python",), here, search=str(here / "bin")) == (f"{here}/bin/python",)


@pytest.mark.parametrize(
    ("word", "is_made"),
    [
        ("convert.js", "{here}/convert.js"),
        ("./convert.js", "{here}/convert.js"),
        ("package/data.toml", "{here}/package/data.toml"),
        ("package/../convert.js", "{here}/convert.js"),
        ("./package", "{here}/package"),
        ("package", "package"),
        ("missing.js", "missing.js"),
        ("--config=convert.js", "--config=convert.js"),
        ("-", "-"),
        ("", ""),
        ("x" * 5000, "x" * 5000),
        ("/etc", "/etc"),
    ],
)
def test_an_argument_that_names_something_here_is_made_absolute(word: str, is_made: str, here: Path) -> None:
    resolved = resolve_argv(("./convert.sh", word), here)
    assert resolved[1] == is_made.format(here=here)


def test_a_command_keeps_what_the_user_wrote(here: Path) -> None:
    command = read_command("./convert.sh convert.js", here)
    assert command.text == "./convert.sh convert.js"
    assert command.argv == (f"{here}/convert.sh", f"{here}/convert.js")
