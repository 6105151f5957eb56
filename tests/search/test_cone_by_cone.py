"""Cones of one row: all are searched, and others for a while before one takes long."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from elsewise.search import BoxAnswer
from elsewise.search.cone_by_cone import ConeByCone
from elsewise.search.constants import BOXES_ELSEWHERE
from elsewise.search.found import Found

ROW = np.zeros(1)


class Cover:
    """Has an answer in each cone, which takes so many boxes to prove; those that take long look elsewhere first."""

    def __init__(self, distances, boxes):
        self.distances, self.boxes, self.asked = distances, boxes, []

    def search_box(self, row, lower, upper, integer, *, inside, cutoff, most_boxes, **others):
        """Search one cone, as covers do."""
        j = inside.place
        self.asked.append((j, most_boxes))
        takes, distance = self.boxes[j], self.distances[j]
        if most_boxes is not None and takes > most_boxes:
            return BoxAnswer(None, np.inf, 0.5 * distance, most_boxes, True)
        if takes > BOXES_ELSEWHERE and inside.elsewhere is not None:
            cutoff = min(cutoff, inside.elsewhere())
        if distance >= cutoff:
            return BoxAnswer(None, np.inf, cutoff, takes, False)
        return BoxAnswer(np.array([distance]), distance, distance, takes, False)


def searched(distances, boxes, nearest, cutoff=np.inf, seconds=60.0):
    """Search cones whose nearest dense points are so near."""
    cover, found = Cover(distances, boxes), Found.nothing(ROW[None])
    inside = [SimpleNamespace(place=j, elsewhere=None) for j in range(len(distances))]
    domain = SimpleNamespace(
        lower=ROW[None], upper=ROW[None], integer=None, per_change=0.0, prices_are_separate=False, least_moves=None
    )
    order = sorted((bound, j) for j, bound in enumerate(nearest))
    ends = time.perf_counter() + seconds
    ConeByCone(found, SimpleNamespace(cover=cover), ROW, domain, inside, order, cutoff, 0.0, ends, None, None).run(True)
    assert all(each.elsewhere is None for each in inside)
    return found, cover.asked


def test_a_cone_that_takes_long_waits_for_the_others():
    found, asked = searched([9.0, 4.0, 7.0], [500, 20, 30], [1.0, 2.0, 3.0])
    assert asked == [(0, None), (1, BOXES_ELSEWHERE), (2, BOXES_ELSEWHERE)]
    assert (found.value[0], found.cone[0], found.points[0, 0]) == (4.0, 1, 4.0)
    assert found.lower_bound[0] == 4.0
    assert not found.timed_out[0]
    assert found.n_projections[0] == 550


def test_what_is_not_done_in_a_while_is_searched_again():
    found, asked = searched([9.0, 4.0], [500, 400], [1.0, 2.0])
    assert asked == [(0, None), (1, BOXES_ELSEWHERE), (1, None)]
    assert (found.value[0], found.lower_bound[0], found.cone[0]) == (4.0, 4.0, 1)
    assert not found.timed_out[0]


def test_cones_that_are_too_far_are_not_looked_into():
    found, asked = searched([3.0, 8.0], [500, 20], [1.0, 5.0], cutoff=5.0)
    assert asked == [(0, None)]
    assert (found.value[0], found.lower_bound[0]) == (3.0, 3.0)
    found, asked = searched([6.0, 8.0], [20, 20], [1.0, 5.5], cutoff=5.0)
    assert asked == [(0, None)]
    assert found.value[0] == np.inf
    assert found.lower_bound[0] == 5.0


def test_a_single_cone_looks_nowhere_else():
    found, asked = searched([3.0], [500], [1.0])
    assert asked == [(0, None)]
    assert found.value[0] == 3.0


def test_without_time_the_nearest_points_bound_what_is_left():
    found, asked = searched([3.0, 4.0], [5, 5], [1.0, 2.0], cutoff=10.0, seconds=-1.0)
    assert asked == []
    assert found.timed_out[0]
    assert found.lower_bound[0] == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_answer_of_all_cones_is_found_and_proven(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    distances = rng.uniform(2.0, 9.0, n)
    found, asked = searched(list(distances), list(rng.integers(1, 400, n)), list(distances - rng.uniform(0.0, 2.0, n)))
    assert found.value[0] == found.lower_bound[0] == distances.min()
    assert found.cone[0] == distances.argmin()
    assert len({j for j, most in asked if most is None}) == sum(most is None for _, most in asked)
