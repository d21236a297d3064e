"""Source trees for tests of the audit: a module that creates the newest captured layout, and changes to it."""

from __future__ import annotations

from pathlib import Path

from tests.stores import layout_of

NEWEST = 31


def schema(*, without: tuple[str, ...] = ()) -> str:
    """The DDL of the newest captured layout, as a producer writes it."""
    tables = layout_of(NEWEST).tables.values()
    return ";\n".join(t.ddl() for t in tables if t.name not in (*without, "sqlite_sequence")) + ";\n"


def tree(folder: Path, *, more: str = "", files: dict[str, str] | None = None, sql: str | None = None) -> Path:
    """Write a source tree whose main module ends with more; other files by name."""
    folder.mkdir(exist_ok=True)
    written = schema() if sql is None else sql
    main = f'SCHEMA_VERSION = {NEWEST}\n\nSCHEMA_SQL = """\n{written}"""\n\nPATH = "state.db"\n\n{more}\n'
    for name, text in {"hermes_state.py": main, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
