"""EllipsoidTree of one row: one queue, the lowest bound first, and the bound without the density for all of them."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from elsewise.search import BoxAnswer, BoxRequest
from elsewise.search.best_first import search_best_first
from elsewise.search.boxes.ellipsoids import BOXES_A_SLICE, EllipsoidTree
from elsewise.search.ledger import Ledger

ROW = np.zeros(1)


class Search:
    """Has an answer at a distance, found with the last box; its bound rises evenly, from where it starts."""

    def __init__(self, place, lowest, distance, boxes, log):
        self.place, self.lowest, self.distance, self.boxes, self.log, self.done = place, lowest, distance, boxes, log, 0

    def bound(self):
        """Return what is proven so far."""
        return self.lowest + (self.distance - self.lowest) * self.done / self.boxes

    def go_on(self, cutoff, seconds, most_boxes, until, work):
        """Search a slice, as covers do."""
        self.log.append(self.place)
        n = 0
        while self.done < self.boxes and self.bound() < min(cutoff, until) and not (most_boxes and n == most_boxes):
            self.done, n = self.done + 1, n + 1
        if self.bound() >= cutoff:
            return BoxAnswer(None, np.inf, cutoff, n, False)
        if self.done < self.boxes:
            return BoxAnswer(None, np.inf, self.bound(), n, False, True)
        return BoxAnswer(np.array([self.distance]), self.distance, self.distance, n, False)


class Cover:
    """Answers of ellipsoids, and of the model alone, at given distances."""

    def __init__(self, lowest, distances, boxes, alone=None, is_large=False):
        self.given, self.is_large = list(zip(lowest, distances, boxes)), is_large
        self.alone, self.log, self.starts = alone, [], []

    def open_box(self, box, *, inside, start):
        """Open a search."""
        if inside is None:
            return Search("alone", 0.0, *(self.alone or (0.0, 1)), self.log)
        self.starts.append(start)
        return Search(inside.place, *self.given[inside.place], self.log)


def searched(cover, cutoff=np.inf, seconds=60.0, proposed=None):
    """Search all ellipsoids of a cover."""
    found = Ledger(ROW[None], np.array([cutoff]))
    if proposed is not None:
        found.offer(np.zeros(1, dtype=int), np.array([proposed]), np.full((1, 1), proposed))
    box = BoxRequest(ROW, ROW, ROW, np.zeros(1, dtype=bool), 0.0)
    inside = [SimpleNamespace(place=j) for j in range(len(cover.given))]
    order = [(lowest, j) for j, (lowest, _, _) in enumerate(cover.given)]
    goal = SimpleNamespace(cover=cover, has_density=True)
    ends = time.perf_counter() + seconds
    return search_best_first(EllipsoidTree(goal, box, inside, order, True, ends), found)


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_answer_is_found_and_proven(seed, is_large):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    distances = rng.uniform(2.0, 9.0, n)
    alone = (float(distances.min() * rng.uniform(0.2, 1.0)), int(rng.integers(1, 60)))
    cover = Cover(distances - rng.uniform(0.0, 2.0, n), distances, rng.integers(1, 400, n), alone, is_large)
    found = searched(cover, proposed=30.0 if is_large else None)
    assert found.value[0] == found.lower_bound[0] == distances.min()
    assert found.ellipsoid[0] == distances.argmin()
    assert not found.timed_out[0]


def test_the_lowest_bound_is_next():
    cover = Cover([1.0, 2.0], [9.0, 3.0], [800, 20])
    found = searched(cover)
    # the first one until its bound passes 2, in slices; then the second one, whose answer leaves the first one behind
    n_slices = int(np.ceil(800 / 8.0 / BOXES_A_SLICE))
    assert cover.log[: n_slices + 1] == [0] * n_slices + [1]
    assert (found.value[0], found.ellipsoid[0]) == (3.0, 1)


def test_ellipsoids_beyond_the_cutoff_are_not_opened():
    cover = Cover([1.0, 5.5], [3.0, 8.0], [500, 20])
    found = searched(cover, cutoff=5.0)
    assert set(cover.log) == {"alone", 0}
    assert found.lower_bound[0] == 3.0
    assert searched(Cover([1.0], [8.0], [20]), cutoff=5.0).lower_bound[0] == 5.0


def test_one_that_is_not_searched_counts_with_its_own_bound():
    cover = Cover([1.0, 2.0], [3.0, 4.0], [5, 5])
    found = searched(cover, cutoff=10.0, seconds=-1.0)
    assert cover.log == []
    assert found.timed_out[0]
    assert found.lower_bound[0] == 1.0


def test_what_the_model_alone_proves_bounds_all_ellipsoids():
    cover = Cover([1.0, 2.0], [6.0, 7.0], [500, 500], alone=(6.0, 40))
    found = searched(cover, proposed=6.0)
    assert set(cover.log) == {"alone"}
    assert found.lower_bound[0] == found.value[0] == 6.0
    assert not found.timed_out[0]


def test_a_point_nearer_than_all_ellipsoids_ends_the_search_without_density():
    cover = Cover([4.0], [6.0], [20], alone=(3.0, 1))
    assert searched(cover, proposed=7.0).value[0] == 6.0
    assert cover.log.count("alone") == 1


def test_large_covers_are_searched_deeper_and_deeper():
    cover = Cover([1.0], [6.0], [40], alone=(5.0, 40), is_large=True)
    found = searched(cover, proposed=9.0, cutoff=9.0)
    assert cover.log.count("alone") > 1  # within 2.7 first
    assert found.lower_bound[0] == found.value[0] == 6.0


def test_searches_start_from_a_proposed_point_and_find_it_again():
    cover = Cover([1.0], [6.0 - 1e-8], [20])
    found = searched(cover, proposed=6.0)
    np.testing.assert_array_equal(cover.starts, [[6.0]])
    assert found.value[0] == 6.0 - 1e-8
