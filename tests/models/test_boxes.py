"""Boxes of polyhedra, against the list of points that satisfy their rows."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.distances import ResolvedManhattan
from elsewise.fitted import space_of
from elsewise.models import union
from elsewise.pipeline.affine import AffineMap
from elsewise.search import compile_problem
from small_search import small_search


def boxes(polyhedra, group, weights=None):
    n = len(group)
    weights = np.ones(n) if weights is None else weights
    origin = np.where(group >= 0, 0.0, 3.0)
    space = space_of(AffineMap(np.eye(n), np.zeros(n)), ResolvedManhattan(weights), origin, group)
    problem = compile_problem([(union(polyhedra, n_features=n), None)], space)
    return problem.goals[0].cover.boxes


NUMBERS = np.array([-1, -1])
MIXED = np.array([-1, 0, 0, 0])


def test_rows_about_one_number_are_limits():
    A = np.array([[2.0, 0.0], [-1.0, 0.0], [0.0, 4.0], [0.0, 1.0], [1.0, 1.0]])
    box = boxes([(A, np.array([5.0, 1.0, 8.0, 7.0, -9.0]))], NUMBERS, np.array([0.5, 8.0]))
    np.testing.assert_allclose(box.lower, [[-1.0, -np.inf]])
    np.testing.assert_allclose(box.upper, [[2.5, 2.0]])
    assert not box.is_trivial


def test_whole_numbers_are_rounded_inwards_others_are_not():
    A = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    box = boxes([(A, np.array([2.5, -0.5, 2.5, -0.5]))], NUMBERS)
    lower, upper = box.rounded(np.array([True, False]))
    np.testing.assert_array_equal(lower, [[1.0, 0.5]])
    np.testing.assert_array_equal(upper, [[2.0, 2.5]])


@pytest.mark.parametrize("noise", [0.0, 1e-12, -1e-12])
def test_a_limit_that_is_whole_up_to_rounding_is_kept(noise):
    box = boxes([(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([7.0 + noise, -3.0 + noise]))], NUMBERS)
    lower, upper = box.rounded(np.array([True, True]))
    assert (lower[0, 0], upper[0, 0]) == (3.0, 7.0)


def test_rows_about_one_category_rule_levels_out():
    # The level of value 3 is beyond 2; the row -e1 <= -1/2 leaves the first level alone.
    beyond = (np.array([[0.0, 1.0, 2.0, 3.0]]), np.array([2.0]))
    only_first = (np.array([[0.0, -1.0, 0.0, 0.0]]), np.array([-0.5]))
    mixed = (np.array([[1.0, 1.0, 2.0, 3.0]]), np.array([2.0]))
    box = boxes([beyond, only_first, mixed], MIXED)
    np.testing.assert_array_equal(box.upper[:, 1:], [[1, 1, 0], [1, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(box.lower[:, 1:], np.zeros((3, 3)))


def test_only_rows_about_several_columns_say_nothing():
    assert boxes([(np.array([[1.0, 1.0]]), np.zeros(1))], NUMBERS).is_trivial
    assert boxes([(np.empty((0, 2)), np.empty(0))], NUMBERS).is_trivial
    box = boxes([(np.array([[1.0, 0.0, 1.0, 0.0]]), np.zeros(1))], MIXED)
    assert box.is_trivial
    np.testing.assert_array_equal(box.bounds(np.ones((2, 4)), np.ones(4), np.zeros(4, dtype=bool)), np.zeros((2, 1)))


def test_bounds_by_hand():
    # a <= 2.5 and the first level: from a = 4.2 (whole or not) and the third level.
    A = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]])
    box = boxes([(A, np.array([2.5, -0.5]))], MIXED)
    row, prices = np.array([[4.2, 0.0, 0.0, 1.0]]), np.array([2.0, 5.0, 5.0, 5.0])
    whole = np.array([True, False, False, False])
    np.testing.assert_allclose(box.bounds(row, prices, ~whole & False), [[2 * 1.7 + 5.0]])
    np.testing.assert_allclose(box.bounds(row, prices, whole), [[2 * 2.2 + 5.0]])
    # Inside, a broken value that may stay costs nothing.
    inside = np.array([[2.3, 1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(box.bounds(inside, prices, whole), [[0.0]])


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "broken"])
def test_no_point_of_a_polyhedron_is_outside_of_its_box_or_nearer_than_the_bound(broken):
    n_limited = 0
    for seed in range(40):
        problem = small_search(seed, density=False, ruled=False, broken=broken)
        goal, domain = problem.problem().goals[0], problem.domain()
        prices = problem.problem().coordinates.stretch
        bounds = goal.cover.boxes.bounds(problem.E, prices, domain.integer)
        lower, upper = goal.cover.boxes.rounded(domain.integer)
        n_limited += not goal.cover.boxes.is_trivial
        for row in range(len(problem.E)):
            points = problem.points(row)
            inside = problem.holds(points)[0]
            for k in range(len(problem.polyhedra)):
                mine = points[inside[:, k]]
                stays = mine == problem.E[row]
                assert (stays | ((lower[k] <= mine) & (mine <= upper[k]))).all()
                if len(mine):
                    assert bounds[row, k] <= problem.distance(row, mine).min() * (1 + 1e-12)
    assert n_limited > 10
