"""The census of one store in a process of its own: ``python -m validator.census < REQUEST``.

The request is a pickled ``Request`` of the validator itself. What is made is a workbench of the native tables only,
which the caller attaches to its own. Nothing is printed; a store that cannot be read leaves with its reason on standard
error.
"""

from __future__ import annotations

import pickle
import sys

from validator import workbench as workbench_station
from validator.census import Store, StoreError
from validator.census.request import Request


def main() -> None:
    """Take the census that the request on standard input asks for."""
    request: Request = pickle.load(sys.stdin.buffer)
    bench = workbench_station.create(request.workbench, request.shapes, parts=(workbench_station.NATIVE,))
    try:
        store = Store(request.store, request.shape)
        store.log = request.log
        store.load(bench, request.run, request.source)
        store.close()
    except StoreError as error:
        sys.exit(str(error))
    workbench_station.index_native(bench, [request.shape])
    bench.close()


if __name__ == "__main__":
    main()
