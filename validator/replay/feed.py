"""Feeds the lines of a converter's run to the workbench.

What goes wrong with the converter is a ``Failure``, never a finding.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from validator.converter import ConversionError
from validator.descriptor import Descriptor
from validator.replay.converters import ConverterFailed, Lines
from validator.replay.runs import Run
from validator.stream.ingest import Ingest, SchemaError, batches
from validator.stream.protocol import ProtocolError

SCHEMA = "record-stream"


@dataclass(frozen=True)
class Failure:
    """Why the converter failed: crash, time-out, protocol, no ``end``."""

    message: str
    line: int | None = None
    stderr: str | None = None


@dataclass
class Fed:
    """What one run gave."""

    spool: Path
    """The lines that the converter wrote."""
    converter: str | None = None
    streams: int = 0
    broken_lines: int = 0
    schema_errors: list[SchemaError] = field(default_factory=list)
    failure: Failure | None = None


def feed(
    bench: sqlite3.Connection, run: Run, lines: Lines, engine: str, descriptor: Descriptor, folder: Path,
    progress: Callable[[int], None] | None = None, foreseen: Mapping[str, int] | None = None,
) -> Fed:  # fmt: skip
    """Load the records of a run's lines; the lines are kept in the folder. ``foreseen``: see ``Ingest``."""
    check, explain = checks(engine)
    first = bench.execute("SELECT coalesce(max(line), 0) FROM record").fetchone()[0]
    ingest = Ingest(bench, run.number, run.keys, check, explain, descriptor.aliases, first, foreseen)
    kept: Path | None = getattr(lines, "spool", None)  # what runs in a process of its own has a file already
    fed = Fed(spool=kept or folder / "stream.jsonl")
    bench.execute("BEGIN")
    try:
        with nullcontext() if kept else (folder / "stream.jsonl").open("wb") as spool:
            for batch in batches(lines):
                if spool is not None:
                    spool.writelines(batch)
                ingest.lines(batch)
                if progress is not None:
                    progress(len(batch))
        ingest.finish()
    except ProtocolError as error:
        fed.failure = Failure(f"the converter broke the protocol: {error}", error.line or None, lines.close())
    except ConverterFailed as error:
        fed.failure = Failure(f"the converter failed: {error}", stderr=lines.close())
    except OSError as error:
        fed.failure = Failure(f"the stream could not be kept: {error.strerror}; free some disk space")
    finally:
        lines.close()
        bench.execute("COMMIT")
    if ingest.begin is not None:
        told = ingest.begin["converter"]
        fed.converter = f"{told['name']}-v{told['version']}"
    fed.streams = len(ingest.used_streams)
    fed.broken_lines, fed.schema_errors = ingest.broken_lines, ingest.schema_errors
    return fed


def engine_name(engine: str) -> str:
    """Return the package that judges the lines when an engine is asked for."""
    from validator.schemas import fast_validator_for

    fast = engine != "python" and fast_validator_for(SCHEMA) is not None
    return "jsonschema-rs" if fast else "jsonschema"


def checks(engine: str) -> tuple[Callable[[Any], bool], Callable[[Any], list[tuple[str, str]]]]:
    """Return how lines are judged by an engine, and how a broken one is explained (always by ``jsonschema``)."""
    from validator.schemas import errors, fast_validator_for, validator_for

    def explain(item: Any) -> list[tuple[str, str]]:
        return list(errors(SCHEMA, item))

    fast = None if engine == "python" else fast_validator_for(SCHEMA)
    if fast is not None:
        return fast.is_valid, explain
    if engine == "rust":
        raise ConversionError("--engine rust: the package jsonschema-rs is not installed")
    return validator_for(SCHEMA).is_valid, explain
