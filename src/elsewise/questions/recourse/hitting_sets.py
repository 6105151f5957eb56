"""Smallest sets that share an element with each of several sets."""

from __future__ import annotations

from collections.abc import Sequence


def smallest_hitting_set(sets: Sequence[frozenset[int]], order: Sequence[int]) -> frozenset[int]:
    """Find a smallest set that shares an element with every one of ``sets``, none of which is empty.

    By iterative deepening: a set that is not hit yet, the smallest of them, has to lose one of its elements.

    Parameters
    ----------
    sets : sequence of sets of int
    order : sequence of int
        Elements that come first are tried first: of several smallest sets, one with early elements is found.
    """
    rank = {element: place for place, element in enumerate(order)}
    minimal = [each for each in sets if not any(other < each for other in sets)]
    most = 0
    while True:
        found = _hit(frozenset(), minimal, most, rank)
        if found is not None:
            return found
        most += 1


def _hit(
    chosen: frozenset[int], sets: Sequence[frozenset[int]], room: int, rank: dict[int, int]
) -> frozenset[int] | None:
    """Find a hitting set with at most ``room`` elements more than those chosen; None if there is none."""
    left = [each for each in sets if not each & chosen]
    if not left:
        return chosen
    if room < _disjoint(left):
        return None
    sizes = [(len(each), sorted(each)) for each in left]
    for element in sorted(min(sizes)[1], key=rank.__getitem__):
        found = _hit(chosen | {element}, left, room - 1, rank)
        if found is not None:
            return found
    return None


def _disjoint(sets: Sequence[frozenset[int]]) -> int:
    """Count disjoint sets, picked greedily: each needs an element of its own."""
    taken: set[int] = set()
    count = 0
    for each in sorted(sets, key=len):
        if not each & taken:
            taken |= each
            count += 1
    return count
