"""The built-in converter with one lie, in the record of the last message: its role. A converter command."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).parents[2]))

from validator.converter.__main__ import main


class Liar:
    """Standard output that changes the message of the highest id; it stands last in its stream."""

    def __init__(self) -> None:
        self.buffer = self
        self.last: dict[str, object] | None = None

    def writelines(self, lines: list[bytes]) -> None:
        """Write lines, each message one message late, so that the last one is known."""
        out = sys.__stdout__.buffer  # type: ignore[union-attr]
        for line in lines:
            item = orjson.loads(line)
            if item["line"] == "record" and item["family"] == "transcript":
                self._write_held(out)
                self.last = item
            elif self.last is not None and item["line"] in ("stream", "gap", "notice"):
                out.write(line)
            else:
                if self.last is not None:
                    self.last["role"] = "narrator"
                    self._write_held(out)
                out.write(line)

    def _write_held(self, out: object) -> None:
        if self.last is not None:
            out.write(orjson.dumps(self.last) + b"\n")  # type: ignore[attr-defined]
            self.last = None

    def flush(self) -> None:
        """Flush the real output."""
        sys.__stdout__.flush()  # type: ignore[union-attr]


with contextlib.redirect_stdout(Liar()):  # type: ignore[type-var]
    main()
