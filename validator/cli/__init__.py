"""The command line: it parses, calls and prints.

Each verb is a module of this folder, named after it, with a click command of the same name; it is imported when
the verb is used, so that ``--help`` stays fast.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import signal
import sys
from pathlib import Path
from typing import Any

import click

from validator import __version__


class Verbs(click.Group):
    """Finds the verbs in this folder; imports one only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs, sorted."""
        return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a verb's command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{__name__}.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs with one line each, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, SUMMARIES.get(name, "")) for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest a verb that is spelled alike when there is none of that name."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            import difflib

            close = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(f"no such verb: {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


SUMMARIES = {
    "audit": "Tell what a version of the producer changes.",
    "capture": "Make captures of live stores and homes; verify, redact and minimize captures.",
    "check": "Replay captures through a converter and judge it.",
    "claims": "List the claims: are they enforced, what exercises them, are their mutants killed.",
    "convert": "Write the built-in converter's record stream.",
    "evidence": "Add evidence to a descriptor, hold it against a fresh replay, and publish it.",
    "explain": "Show one claim in full, with an example finding.",
    "gate": "Check, and fail where anything differs from a committed baseline.",
    "lint": "Hold descriptors, shapes, claims and evidence against their schemas and each other.",
    "matrix": "Hold versions against claims, over all captures.",
    "merge": "Make one report from the reports of several shards or machines.",
    "mutate": "Break the records in every way the claims know, and see that each is noticed.",
    "observe": "Write the observation of captures of one version.",
    "probe": "Run a release in isolation, and check what it wrote.",
}
"""One line for each verb, for ``--help``."""


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="validator-v%(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Tell whether a converter tells the truth about the sessions of a coding agent."""
    from validator.configuration import VERBS, ConfigurationError, find

    verb = context.invoked_subcommand
    if verb not in VERBS:
        return
    try:
        configuration = find()
    except ConfigurationError as error:
        from validator.cli._options import fail

        fail(str(error))
        return
    if configuration is not None:
        context.obj = configuration
        context.default_map = {verb: configuration.options(verb)}


def main() -> None:
    """Run the command line; the exit codes are documented in docs/command-line.md."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    # As if it ended by itself: what was begun is ended, and what is private is removed.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        cli(prog_name="validator")
    except OSError as error:
        # Python would try to flush standard output once more at its end, and complain.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        name = Path(error.filename).name if isinstance(error.filename, str) else "standard output"
        sys.stderr.write(f"validator: {name}: {error.strerror or error}; check that it can be read and written\n")
        sys.exit(2)
