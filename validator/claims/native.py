"""The native side of a large store, in a process of its own: ``python -m validator.claims.native REQUEST``.

The request is a file with a pickled ``Request`` of the validator itself. The census of the store is taken into a
workbench of the native tables that is there already, and the line ``TAKEN`` written to standard output. From then on
others read that workbench too, and all is asked that is about native tables only: what is noticed goes into a database
of its own, and on the second line stands a JSON object that says how many subjects each claim has, where that can be
told without records. It leaves with ``UNREADABLE`` or ``WRONG`` and the reason on standard error where the store cannot
be read or a query fails.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from validator import workbench as workbench_station
from validator.census import Store, StoreError
from validator.claims import Claim, NoticeRule
from validator.claims.run import authorize_native, count_subjects, guarded, note
from validator.descriptor import DescriptorError
from validator.descriptor.shape import Shape

TAKEN = b"taken\n"
UNREADABLE, WRONG = 3, 2
"""Exit codes: of a store that cannot be read, and of a query that fails."""


@dataclass(frozen=True)
class Request:
    """A store of which a census is to be taken, and what is to be asked then."""

    shape: Shape
    store: Path
    workbench: Path
    noted: Path
    """The database to make for what is noticed: a table like ``native_notice``."""
    run: int
    source: int
    log: tuple[str, str | None] | None
    """The notice that its write-ahead log deserves; the log is used up by looking."""
    rules: tuple[NoticeRule, ...]
    claims: tuple[Claim, ...]


def main() -> None:
    """Take the census that the file of the request asks for."""
    request: Request = pickle.loads(Path(sys.argv[1]).read_bytes())
    # sqlite3 looks long for an adapter before it binds NULL; this one, of this process only, gives it back as it is.
    sqlite3.register_adapter(type(None), lambda null: null)
    bench = workbench_station.opened(request.workbench)
    try:
        store = Store(request.store, request.shape)
        store.log = request.log
        store.load(bench, request.run, request.source)
        store.close()
        workbench_station.index_native(bench, [request.shape])
        sys.stdout.buffer.write(TAKEN)
        sys.stdout.buffer.flush()
        bench.execute("ATTACH ? AS noted", (str(request.noted),))
        bench.execute("PRAGMA noted.journal_mode = OFF")
        bench.execute("CREATE TABLE noted.notice AS SELECT * FROM native_notice WHERE 0")
        note(bench, request.rules, "noted.notice")
    except StoreError as error:
        _leave(UNREADABLE, str(error))
    except OSError as error:
        _leave(UNREADABLE, error.strerror or "unreadable")
    except sqlite3.Error as error:
        if not workbench_station.out_of_space(error):
            raise
        _leave(UNREADABLE, f"{error}; free some disk space, or set TMPDIR")
    except DescriptorError as error:
        _leave(WRONG, str(error))
    json.dump(_subjects(bench, request.claims), sys.stdout)
    bench.close()


def _subjects(bench: sqlite3.Connection, claims: Sequence[Claim]) -> dict[str, int]:
    """Count the subjects of the claims; a query that fails without records is asked again when they are there."""
    counted = {}
    with guarded(bench, authorize_native):
        for claim in claims:
            try:
                counted[claim.id] = count_subjects(bench, claim)
            except DescriptorError:
                continue
    return counted


def _leave(code: int, reason: str) -> NoReturn:
    sys.stderr.write(f"{reason}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
