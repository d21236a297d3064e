"""The census of one store in a process of its own: ``python -m validator.census < REQUEST``.

The request is a JSON object: descriptor (folder), format, store, workbench (a file to make), run, source, log. What
is made is a workbench of the native tables only, which the caller attaches to its own. Nothing is printed; a
store that cannot be read leaves with its reason on standard error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from validator import workbench as workbench_station
from validator.census import Store, StoreError
from validator.descriptor import load


def main() -> None:
    """Take the census that the request on standard input asks for."""
    request = json.load(sys.stdin)
    descriptor = load(request["descriptor"])
    shape = descriptor.shape(request["format"])
    bench = workbench_station.create(
        Path(request["workbench"]), descriptor.shapes, parts=(workbench_station.NATIVE,)
    )
    try:
        store = Store(Path(request["store"]), shape)
        store.log = tuple(request["log"]) if request["log"] else None
        store.load(bench, request["run"], request["source"])
        store.close()
    except StoreError as error:
        sys.exit(str(error))
    workbench_station.index_native(bench, [shape])
    bench.close()


if __name__ == "__main__":
    main()
