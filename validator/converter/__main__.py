"""The built-in converters as a converter command: ``python -m validator.converter`` with the protocol's arguments."""

from __future__ import annotations

import sys

from validator.converter import ConversionError, convert
from validator.converter.arguments import request_from

BUFFER = 1 << 16
"""Bytes that are written at once; by itself standard output takes few lines together."""


def main() -> None:
    """Write the record stream that the arguments ask for."""
    request = request_from("validator.converter", sys.argv[1:])
    try:
        with open(sys.stdout.fileno(), "wb", buffering=BUFFER, closefd=False) as out:
            out.writelines(convert(request))
    except ConversionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
