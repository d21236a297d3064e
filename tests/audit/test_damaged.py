"""A store of which a part cannot be read is not audited to the end, and says so with its exit code."""

from pathlib import Path

from tests.commandline import run
from tests.stores import damage


def test_a_damaged_store_is_unreadable_whatever_else_is_found(tmp_path: Path) -> None:
    damage.zeroed_leaf(tmp_path / "state.db")
    result = run("audit", str(tmp_path / "state.db"))
    assert result.code == 3
    assert "malformed" in result.out
