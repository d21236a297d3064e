"""Writes the parts of docs/command-line.md that the command line itself knows: every verb with its options.

``python -m tests.docs.command_line`` brings the page up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from validator.cli import SUMMARIES, cli

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
START, END = "<!-- generated: verbs -->", "<!-- end -->"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every verb, and the verbs below one."""
    assert isinstance(cli, click.Group)
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield from below(name, command)


def below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for inner in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), inner)
            assert found is not None
            yield from below(f"{name} {inner}", found)


def section(name: str, command: click.Command) -> str:
    """What stands on the page about one verb."""
    context = click.Context(command, info_name=f"validator {name}")
    usage = command.get_usage(context).removeprefix("Usage: ").replace("\n", " ")
    summary = SUMMARIES.get(name) or " ".join((command.help or "").split("\n\n")[0].split())
    parts = [f"## {name}", summary, f"    {re.sub(' +', ' ', usage)}"]
    if command.epilog:
        parts.append(f"Example: `{command.epilog.removeprefix('Example:').strip()}`")
    rows = [record for parameter in command.params if (record := parameter.get_help_record(context))]
    if rows and not isinstance(command, click.Group):
        table = ["| option | what |", "|---|---|"]
        table += [f"| `{cell(option)}` | {cell(' '.join(told.split()))} |" for option, told in rows]
        parts.append("\n".join(table))
    return "\n\n".join(parts)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def generated() -> str:
    """All verbs."""
    return "\n\n".join(section(name, command) for name, command in commands())


def up_to_date(page: str) -> str:
    """The page with its generated part made anew."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{generated()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(up_to_date(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
