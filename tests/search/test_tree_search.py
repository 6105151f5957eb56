"""Branch and bound against the list of all points of small problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewise.search import EarlierAnswer
from small_search import SmallSearch, small_search

KINDS = {
    "numbers": {"n_categories": 0, "n_numbers": 3},
    "categories": {"n_numbers": 0, "n_categories": 3},
    "both": {"n_numbers": 2, "n_categories": 2},
    "without a density": {"density": False},
    "without rules": {"ruled": False},
    "broken values": {"broken": True, "n_numbers": 3},
    "broken values without a density": {"broken": True, "n_numbers": 3, "density": False, "n_categories": 1},
}
SEEDS = range(25)


def compare(problem: SmallSearch, found, *, without: float = 1e-12) -> int:
    """Check value, bound and place of every row against the list; return how many have an answer."""
    for row in range(len(problem.E)):
        points, values = problem.nearest(row)
        best = values[0] if len(values) else np.inf
        np.testing.assert_allclose(found.value[row], best, rtol=1e-9, atol=without)
        assert best * (1 - 1e-8) - without <= found.lower_bound[row] <= best * (1 + 1e-12)
        if len(values):
            inside, dense = problem.holds(found.points[[row]])
            assert (points == found.points[row]).all(axis=1).any()
            assert inside[0, found.part[row]]
            assert dense[0, found.ellipsoid[row]]
        else:
            assert np.isnan(found.points[row]).all()
            assert (found.part[row], found.ellipsoid[row]) == (-1, -1)
    return int(np.isfinite(found.value).sum())


@pytest.mark.parametrize("kind", KINDS)
def test_the_general_search_finds_the_nearest_of_all_points(kind, monkeypatch):
    """Such problems are the kernel's; what it does not carry goes this way."""
    monkeypatch.setattr("elsewise.search.tree_search.is_for_kernel", lambda *_: False)
    n_found = sum(compare(problem, problem.search()) for problem in (small_search(k, **KINDS[kind]) for k in SEEDS))
    assert n_found > 20


@pytest.mark.parametrize("kind", KINDS)
def test_finds_the_nearest_of_all_points(kind):
    n_found = 0
    for seed in SEEDS:
        problem = small_search(seed, **KINDS[kind])
        n_found += compare(problem, problem.search())
    assert n_found > 20


@pytest.mark.parametrize("most", [0, 1, 2])
def test_max_changes(most):
    n_found = 0
    for seed in SEEDS:
        problem = replace(small_search(seed, n_numbers=3, n_categories=1), max_changes=most)
        found = problem.search()
        n_found += compare(problem, found)
        for row in np.flatnonzero(np.isfinite(found.value)):
            assert problem.changed(row, found.points[[row]]).sum() <= most
    assert n_found


def test_cutoff_leaves_out_what_is_not_nearer():
    n_found = 0
    for seed in SEEDS:
        problem = small_search(seed)
        whole = problem.search()
        at = np.flatnonzero(np.isfinite(whole.value) & (whole.value > 0))
        above, below = problem.search(at, cutoff=whole.value[at] * 1.01), problem.search(at, cutoff=whole.value[at])
        np.testing.assert_array_equal(above.points, whole.points[at])
        assert np.isinf(below.value).all()
        assert (below.lower_bound >= whole.value[at] * (1 - 1e-8)).all()
        n_found += len(at)
    assert n_found > 20


def test_banned_polyhedra_are_not_looked_into():
    n_moved = 0
    for seed in SEEDS:
        problem = small_search(seed, n_polyhedra=3)
        banned = np.random.default_rng([seed, 1]).random((len(problem.E), 3)) < 0.5
        found = problem.search(banned=banned)
        for row in range(len(problem.E)):
            left = [part for part, out in zip(problem.polyhedra, banned[row]) if not out]
            value = replace(problem, polyhedra=left).nearest(row)[1] if left else np.empty(0)
            np.testing.assert_allclose(found.value[row], value[0] if len(value) else np.inf, rtol=1e-9)
            n_moved += found.part[row] >= 0
    assert n_moved > 5


def test_without_the_model_the_density_alone_counts():
    for seed in SEEDS:
        problem = small_search(seed)
        everywhere = [(np.zeros((1, problem.E.shape[1])), np.ones(1))]
        compare(replace(problem, polyhedra=everywhere), problem.search(use_region=False))


@pytest.mark.parametrize("density", [True, False], ids=["density", "none"])
def test_refused_points_one_after_the_other_give_the_whole_list(density):
    """Refusing each answer in turn, the search lists all answers in order of distance, and then says there is none."""
    n_listed = 0
    for seed in range(12):
        problem = small_search(seed, n_rows=1, n_numbers=1, n_categories=1, density=density)
        _, values = problem.nearest(0)
        refused: list[np.ndarray] = []
        for value in values[:12]:
            found = problem.search(refused=[refused])
            np.testing.assert_allclose(found.value[0], value, rtol=1e-9, atol=1e-12)
            assert found.lower_bound[0] >= value * (1 - 1e-8) - 1e-12
            assert not any((found.points[0] == point).all() for point in refused)
            refused.append(found.points[0])
        n_listed += len(refused)
        if len(values) <= 12:
            last = problem.search(refused=[refused])
            assert np.isinf(last.value[0])
            assert np.isinf(last.lower_bound[0])
    assert n_listed > 30


def next_that_differs(problem: SmallSearch, row: int, answered: list[EarlierAnswer]) -> float:
    """Distance of the nearest point that leaves alone a column of, or is far enough from, each earlier answer."""
    points, values = problem.nearest(row)
    changed = problem.changed(row, points)
    for at in range(len(points)):
        differs = [
            not changed[at][earlier.columns].all()
            if earlier.apart is None
            else between(problem, points[at], earlier.point) >= earlier.apart
            for earlier in answered
        ]
        if all(differs):
            return float(values[at])
    return np.inf


def between(problem: SmallSearch, point: np.ndarray, other: np.ndarray) -> float:
    """Distance of two points."""
    apart = np.abs(point - other) * problem.prices[problem.column]
    return float((apart * np.where(problem.group >= 0, 0.5, 1.0)).sum())


@pytest.mark.parametrize("differ", ["by columns", "by distance"])
@pytest.mark.parametrize("kind", ["numbers", "categories", "both", "without a density", "broken values"])
def test_further_answers_are_the_next_best_that_differ(kind, differ):
    n_further = n_ended = 0
    for seed in SEEDS:
        problem = small_search(seed, **KINDS[kind], n_rows=2)
        apart = None if differ == "by columns" else float(problem.prices.max() * (1 + seed % 3))
        answered: list[list[EarlierAnswer]] = [[], []]
        for _ in range(4):
            expected = [next_that_differs(problem, row, answered[row]) for row in range(2)]
            found = problem.search(earlier=answered)
            np.testing.assert_allclose(found.value, expected, rtol=1e-9, atol=1e-12)
            assert (found.lower_bound >= np.array(expected) * (1 - 1e-8) - 1e-12).all()
            for row in np.flatnonzero(np.isfinite(expected)).tolist():
                n_further += len(answered[row]) > 0
                changed = problem.changed(row, found.points[[row]])[0]
                answered[row].append(EarlierAnswer(np.flatnonzero(changed), found.points[row], apart))
        n_ended += sum(len(each) < 4 for each in answered)
    assert n_further > 2
    assert n_ended


def test_a_row_has_the_same_bits_alone_and_in_a_batch():
    for seed in range(10):
        problem = small_search(seed, n_rows=6)
        together = problem.search()
        for row in range(6):
            alone = problem.search(slice(row, row + 1))
            for name in ("value", "lower_bound", "points", "part", "ellipsoid", "n_projections", "model_free"):
                np.testing.assert_array_equal(getattr(alone, name)[0], getattr(together, name)[row], err_msg=name)


@pytest.mark.usefixtures("any_grace")
def test_time_limit_leaves_a_point_and_a_valid_bound():
    n_timed_out = 0
    for seed in SEEDS:
        problem = small_search(seed, n_numbers=3, n_categories=2)
        whole, hurried = problem.search(), problem.search(seconds=1e-9)
        np.testing.assert_array_equal(np.isfinite(hurried.value), np.isfinite(whole.value))
        found = np.isfinite(whole.value)
        assert (hurried.value[found] >= whole.value[found] * (1 - 1e-9)).all()
        assert (hurried.lower_bound[found] <= whole.value[found] * (1 + 1e-9)).all()
        finished = ~hurried.timed_out & found
        np.testing.assert_allclose(hurried.value[finished], whole.value[finished], rtol=1e-9)
        n_timed_out += hurried.timed_out.sum()
    assert n_timed_out


def test_model_free_answers_are_those_without_the_model():
    n_free = n_bound = 0
    for seed in SEEDS:
        problem = small_search(seed)
        found, free = problem.search(), problem.search(use_region=False)
        for row in np.flatnonzero(np.isfinite(found.value)):
            if found.model_free[row]:
                np.testing.assert_allclose(found.value[row], free.value[row], rtol=1e-7)
                n_free += 1
            n_bound += found.value[row] > free.value[row] * (1 + 1e-7)
    assert n_free
    assert n_bound
