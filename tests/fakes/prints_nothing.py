"""Prints nothing and says that all is well."""

import sys

sys.exit(0)
