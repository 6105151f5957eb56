"""Rounding: roundings are points of the domain's kind, and the check says what plain comparisons say."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.search.branch_and_bound.rounding import Rounding
from small_search import SmallSearch, small_search


def candidates(problem: SmallSearch, margin: float = 1e-9, use_region: bool = True) -> Rounding:
    goal = np.zeros(len(problem.E), dtype=np.int64)
    return Rounding(problem.problem(), problem.E, goal, problem.domain(), margin, use_region)


def relaxed(problem: SmallSearch, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and points with broken numbers and shared categories."""
    rows = rng.integers(len(problem.E), size=count)
    points = problem.E[rows].copy()
    moves = rng.random((count, problem.n_numbers)) < 0.6
    points[:, : problem.n_numbers] += np.where(moves, rng.uniform(-2, 2, size=moves.shape), 0.0)
    for c, levels in enumerate(problem.levels):
        at = np.flatnonzero(rng.random(count) < 0.6)
        points[np.ix_(at, np.flatnonzero(problem.group == c))] = rng.dirichlet(np.ones(levels), size=len(at))
    return rows, points


def is_a_point(problem: SmallSearch, rows: np.ndarray, points: np.ndarray) -> bool:
    """Numbers are whole or the row's own, one level of each category is 1, the others are 0."""
    numbers, own = points[:, : problem.n_numbers], problem.E[rows][:, : problem.n_numbers]
    one_hot = [
        (np.sort(points[:, problem.group == c], axis=1) == np.eye(levels)[-1]).all()
        for c, levels in enumerate(problem.levels)
    ]
    return bool(((numbers == np.round(numbers)) | (numbers == own)).all() and all(one_hot))


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "broken"])
def test_roundings_are_whole_and_one_hot(broken):
    rng = np.random.default_rng(0)
    for seed in range(20):
        problem = small_search(seed, broken=broken)
        made = candidates(problem)
        rows, points = relaxed(problem, rng, 8)
        n_columns = problem.domain().layout.n_columns
        score = np.where(rng.random((8, n_columns)) < 0.7, rng.random((8, n_columns)), 0.0)
        nearest, around = made.around(rows, points, score)
        assert is_a_point(problem, rows, nearest)
        assert is_a_point(problem, np.repeat(rows, around.shape[1]), around.reshape(-1, points.shape[1]))
        assert (around == nearest[:, None, :]).all(axis=2).any(axis=1).all()
        # Numbers go to one of their neighbours, shares to one of the two largest.
        apart = np.abs(around - points[:, None, :])[:, :, : problem.n_numbers]
        assert (apart < 1).all()
        assert (np.abs(nearest - points)[:, : problem.n_numbers] <= 0.5).all()
        for c in range(len(problem.levels)):
            share, chosen = points[:, problem.group == c], nearest[:, problem.group == c]
            np.testing.assert_array_equal((share * chosen).sum(axis=1), share.max(axis=1))


def test_both_ways_of_a_broken_column_are_among_them():
    problem = small_search(3, n_numbers=2, n_categories=1, ruled=False)
    point = problem.E[0].copy()
    point[:2] = [1.3, 2.0]
    _, around = candidates(problem).around(np.array([0]), point[None], np.array([[0.3, 0.0, 0.0]]))
    assert set(around[0, :, 0]) >= {1.0, 2.0}
    assert set(around[0, :, 1]) == {2.0}


@pytest.mark.parametrize("use_region", [True, False], ids=["region", "none"])
def test_check_is_what_plain_comparisons_say(use_region):
    n_good = 0
    for seed in range(30):
        problem = small_search(seed, density=seed % 3 > 0 or not use_region)
        made = candidates(problem, use_region=use_region)
        everything = small_search(seed, density=False, ruled=False)  # the same features without rules: more points
        for row in range(len(problem.E)):
            points = everything.points(row)
            allowed = {tuple(point) for point in problem.points(row)}
            inside, dense = problem.holds(points)
            expected = np.array([tuple(point) in allowed for point in points]) & dense.any(axis=1)
            if use_region:
                expected &= inside.any(axis=1)
            checked = made.check(np.full(len(points), row), points)
            np.testing.assert_array_equal(checked.holds, expected)
            good = np.flatnonzero(expected)
            if use_region:
                assert inside[good, checked.part[good]].all()
            if problem.cones is not None:
                assert dense[good, checked.cone[good]].all()
            n_good += len(good)
    assert n_good > 100


def test_values_are_distances():
    for seed in range(10):
        problem = small_search(seed)
        points = problem.points(0)
        rows = np.zeros(len(points), dtype=np.int64)
        np.testing.assert_allclose(candidates(problem).values(rows, points), problem.distance(0, points), rtol=1e-12)


def test_neighbours_take_part_of_one_change_back():
    rng = np.random.default_rng(1)
    n_made = 0
    for seed in range(20):
        problem = small_search(seed, ruled=False)
        made = candidates(problem)
        points = problem.points(0)
        points = points[rng.permutation(len(points))[:6]]
        rows = np.zeros(len(points), dtype=np.int64)
        near_rows, near = made.neighbours(rows, points)
        assert (near_rows == 0).all()
        assert is_a_point(problem, near_rows, near)
        n_made += len(near)
        before = problem.changed(0, points)
        # As many as there are changes at least, each of them nearer than a point it comes from, in one column.
        assert len(near) >= before.sum()
        for point in near:
            differ = np.array([problem.changed(0, point[None] - one + problem.E[0])[0] for one in points])
            parents = np.flatnonzero(differ.sum(axis=1) == 1)
            assert (problem.distance(0, points[parents]) > problem.distance(0, point[None])[0]).any()
    assert n_made > 50
