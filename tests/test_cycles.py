"""Circles among units that name a parent: every one, once, however long, in one walk."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from validator.census.cycles import NONE, circles


def test_a_chain_has_no_circle() -> None:
    assert circles(array("q", [NONE, 0, 1, 2])) == []


def test_what_hangs_below_a_circle_is_not_in_it() -> None:
    assert [sorted(circle) for circle in circles(array("q", [1, 2, 1, 0]))] == [[1, 2]]


def test_a_long_circle_is_one() -> None:
    length = 100_000
    assert [len(circle) for circle in circles(array("q", [*range(1, length), 0]))] == [length]


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
def test_a_member_is_in_a_circle_if_and_only_if_it_is_its_own_ancestor(parents: list[int]) -> None:
    def own_ancestor(start: int) -> bool:
        at = parents[start]
        for _ in parents:
            if at in (start, NONE):
                break
            at = parents[at]
        return at == start

    found = [member for circle in circles(array("q", parents)) for member in circle]
    assert sorted(found) == [member for member in range(len(parents)) if own_ancestor(member)]
