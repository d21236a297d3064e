"""Cuts what a converter writes into lines, as it comes in pieces; at most one line and one piece are held."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from io import BytesIO

from validator.stream.protocol import ProtocolError

CHUNK = 1 << 16
"""Bytes that are read at once: a larger piece would be given back to the system, and cleared anew, each time."""


def cut(pieces: Iterable[bytes], longest: int) -> Generator[bytes, None, tuple[int, bytes]]:
    """Yield the lines, each with its LF; return how many they were, and what stands behind the last LF.

    Raises ``ProtocolError`` at a line of more than ``longest`` bytes.
    """
    number, held = 0, bytearray()
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        held += piece[:end] if end else piece
        if end:
            for line in BytesIO(held):
                number += 1
                _check(number, len(line), longest)
                yield line
            held = bytearray(piece[end:])
        _check(number + 1, len(held), longest)
    return number, bytes(held)


def _check(number: int, length: int, longest: int) -> None:
    if length > longest:
        raise ProtocolError(number, f"longer than {longest} bytes")
