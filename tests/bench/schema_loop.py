"""A plain ``jsonschema`` loop over a record stream. ``python -m tests.bench.schema_loop STREAM``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from validator.schemas import validator_for

judge = validator_for("record-stream")
with Path(sys.argv[1]).open(encoding="utf-8") as stream:
    print(sum(judge.is_valid(json.loads(line)) for line in stream))
