"""Constructed Hermes stores for tests: any schema, any cell, and files that are stores only by name.

`build` writes an ordinary store; `formats`, `journals`, `damage` and `strangers` write the special ones; `draw`
draws stores for Hypothesis. Every function says what stands in the file it wrote.
"""

from tests.stores.cells import BadText, Cell
from tests.stores.construct import Contents, Row, Rows, build
from tests.stores.layouts import NEWER, layout_of, layouts

__all__ = ["NEWER", "BadText", "Cell", "Contents", "Row", "Rows", "build", "layout_of", "layouts"]
