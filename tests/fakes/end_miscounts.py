"""Says in `end` that it wrote one record more than it did."""

from honest import items, say

*stream, end = items()
say(*stream, end | {"records": end["records"] + 1})
