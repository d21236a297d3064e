"""Prints a summary that tells of three errors and no record, and exits with 0."""

import json

print(json.dumps({"records": 0, "errors": ["401", "401", "401"]}))
