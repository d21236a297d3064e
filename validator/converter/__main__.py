"""The built-in converters as a converter command: ``python -m validator.converter`` with the protocol's arguments."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from validator.converter import ConversionError, Request, convert


def main() -> None:
    """Write the record stream that the arguments ask for."""
    parser = argparse.ArgumentParser(prog="validator.converter")
    for name in ("--format", "--source", "--snapshot"):
        parser.add_argument(name, required=True)
    for name in ("--namespace", "--after"):
        parser.add_argument(name)
    given = parser.parse_args()
    request = Request(given.format, Path(given.source), given.snapshot, given.namespace, given.after)
    try:
        sys.stdout.buffer.writelines(convert(request))
        sys.stdout.buffer.flush()
    except ConversionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
