"""Descriptors with claims of a test's own, beside the shapes that ship."""

from __future__ import annotations

import shutil
from pathlib import Path

from validator.descriptor import load

HEAD = """
[[claim]]
id = "test.role"
statement = "The role is the stored role."
evidence = [0]
source = "A test"
remedy = "Write the role."
subjects = "SELECT unit FROM native_message"
violations = \"\"\"
SELECT r.unit, r.line, '/role' AS at, m.role AS expected, r.role AS found
FROM record AS r LEFT JOIN native_message AS m ON m.unit = r.unit WHERE r.role IS NOT m.role
\"\"\"
"""

MUTANTS = """
[[claim.mutants]]
name = "all alike"
sql = "UPDATE record SET role = 'user' WHERE role IS NOT NULL"

[[claim.mutants]]
name = "left out"
lines = "remove"
where = {pointer = "/role", table = "messages", take = "last"}
"""

ROLE = HEAD + MUTANTS
"""A sound claim with two mutants."""


def descriptor_with(folder: Path, **files: str) -> str:
    """Copy the descriptor that ships, with these claims files (by name, without .toml) in place of its own."""
    copied = folder / "descriptor"
    shutil.copytree(load().folder, copied)
    shutil.rmtree(copied / "claims")
    (copied / "notices.toml").unlink(missing_ok=True)
    (copied / "claims").mkdir()
    for name, text in files.items():
        (copied / "claims" / f"{name}.toml").write_text(text, encoding="utf-8")
    return str(copied)
