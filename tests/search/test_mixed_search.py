"""Categories, numbers beside whole ones, clauses, least moves: the kernel's search and the general one against lists.

Every discrete point of a small problem is listed; where a number is left to solve for, what each part, cone and rule
allows of it is an interval in closed form. Nothing of the search judges its own answers.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import elsewise.search.tree_search as tree_search
from elsewise.search import SearchRequest, search_tree
from elsewise.search.domains.clauses import Clauses
from elsewise.search.domains.least_moves import LeastMoves
from small_search import HIGH, LOW, SmallSearch, small_search

SEEDS = range(20)


@pytest.fixture(params=["kernel", "general"])
def searched_by(request, monkeypatch):
    """Run the kernel's search or the general one; count the rows of the former."""
    rows, search = [], tree_search.search_whole
    if request.param == "general":
        monkeypatch.setattr(tree_search, "is_for_kernel", lambda *_: False)

    def counted(*args, **options):
        found = search(*args, **options)
        rows.append(len(found.value))
        return found

    monkeypatch.setattr(tree_search, "search_whole", counted)
    yield request.param
    assert (sum(rows) > 0) == (request.param == "kernel")


def drawn_clauses(problem: SmallSearch, rng: np.random.Generator) -> Clauses:
    """Draw alternatives of two or three intervals and levels; some rows need not keep them."""
    n, features, first, ends = len(problem.E), [], [], []
    for _ in range(int(rng.integers(1, 4))):
        first.append(len(features))
        for feature in rng.choice(problem.E.shape[1], size=min(int(rng.integers(2, 4)), problem.E.shape[1])).tolist():
            features.append(feature)
            if problem.group[feature] >= 0:
                ends.append((-np.inf, 0.0) if rng.random() < 0.7 else (1.0, np.inf))
            else:
                low = float(rng.integers(LOW, HIGH + 1)) - 0.5 * float(rng.integers(0, 2))
                ends.append((low, low + 1.5) if rng.random() < 0.5 else (-np.inf, low))
    low, high = (np.tile([end[side] for end in ends], (n, 1)) for side in range(2))
    binds = rng.random((n, len(first))) < 0.8
    return Clauses(np.array(features), np.array(first), low, high, binds)


def keep_clauses(clauses: Clauses, row: int, points: np.ndarray) -> np.ndarray:
    """Whether points keep the clauses of a row, by comparing literal by literal."""
    keep, ends = np.ones(len(points), dtype=bool), [*clauses.first.tolist()[1:], len(clauses.feature)]
    for clause, (start, stop) in enumerate(zip(clauses.first.tolist(), ends)):
        holds = np.zeros(len(points), dtype=bool)
        for k in range(start, stop):
            value = points[:, clauses.feature[k]]
            holds |= (clauses.low[row, k] <= value) & (value <= clauses.high[row, k])
        keep &= holds | ~clauses.binds[row, clause]
    return keep


@pytest.mark.parametrize("density", [True, False])
def test_clauses_and_least_moves_among_all_points(searched_by, density):
    n_found = n_ruled_out = 0
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 1])
        problem = small_search(seed, n_numbers=2, n_categories=2, density=density)
        clauses = drawn_clauses(problem, rng)
        least = np.where(problem.group >= 0, 0.0, rng.choice([0.0, 1.5, 2.0], size=len(problem.group)))
        moves = LeastMoves.of(problem.E, least, problem.group < 0)
        domain = replace(problem.domain(), clauses=clauses, least_moves=moves if least.any() else None)
        goals = np.zeros(len(problem.E), dtype=np.int64)
        found = search_tree(SearchRequest.plain(problem.problem(), problem.E, goals, domain))
        for row in range(len(problem.E)):
            points, values = problem.nearest(row)
            apart = np.abs(points - problem.E[row])
            keep = ((apart == 0) | (apart >= least)).all(axis=1) & keep_clauses(clauses, row, points)
            best = values[keep].min(initial=np.inf)
            np.testing.assert_allclose(found.value[row], best, rtol=1e-9, atol=1e-12)
            assert best * (1 - 1e-8) - 1e-12 <= found.lower_bound[row] <= best * (1 + 1e-12)
            n_found += np.isfinite(best)
            n_ruled_out += len(values) > 0 and best > values[0]
    assert n_found > 10
    assert n_ruled_out > 3


def interval(problem: SmallSearch, row: int, point: np.ndarray, part: int, cone: int) -> tuple[float, float]:
    """What the last number may be where all else is as in a point: limits, half-spaces, rules and a quadratic."""
    f = problem.n_numbers - 1
    low, high = problem.lower[row, f], problem.upper[row, f]
    A, b = problem.polyhedra[part]
    A, b = np.vstack([A, problem.rules[0]]), np.concatenate([b, problem.rules[1]])
    rest = np.where(np.arange(len(point)) == f, 0.0, point)
    for a, right in zip(A, b - A @ rest):
        if a[f] > 0:
            high = min(high, right / a[f])
        elif a[f] < 0:
            low = max(low, right / a[f])
        elif right < 0:
            return np.inf, -np.inf
    if problem.cones is None:
        return low, high
    F = problem.cones.factors[problem.cones.shape[cone]]
    squared = problem.cones.radii[cone] ** 2 - point[problem.group >= 0] @ problem.cones.penalties[cone]
    start, way = F @ (rest[problem.group < 0] - problem.cones.centres[cone]), F[:, f]
    # |start + t way|^2 <= squared
    half, length = start @ way / (way @ way), way @ way
    inside = half**2 - (start @ start - squared) / length
    if inside < 0:
        return np.inf, -np.inf
    return max(low, -half - np.sqrt(inside)), min(high, -half + np.sqrt(inside))


def nearest_with_a_number(problem: SmallSearch, row: int, least: float) -> float:
    """Smallest distance where the last number need not be whole, and moves by ``least`` at least if it does."""
    f, own = problem.n_numbers - 1, problem.E[row]
    ways = [[float(v) for v in np.arange(problem.lower[row, i], problem.upper[row, i] + 1)] for i in range(f)]
    for c in range(len(problem.levels)):
        ways.append(np.flatnonzero((problem.group == c) & (problem.upper[row] > 0)).tolist())
    best, n_cones = np.inf, 1 if problem.cones is None else len(problem.cones.radii)
    for way in itertools.product(*ways):
        point = np.where(problem.group >= 0, 0.0, own)
        point[:f] = way[:f]
        point[np.array(way[f:], dtype=int)] = 1.0
        n_changed = problem.changed(row, point[None])[0].sum()  # the number stays as it is in this point
        most = np.inf if problem.max_changes is None else problem.max_changes
        for part, cone in itertools.product(range(len(problem.polyhedra)), range(n_cones)):
            low, high = interval(problem, row, point, part, cone)
            for from_, to in ((own[f], own[f]), (-np.inf, own[f] - least), (own[f] + least, np.inf)):
                lowest, highest = max(low, from_), min(high, to)
                moved = point.copy()
                moved[f] = min(max(own[f], lowest), highest)
                if lowest <= highest and n_changed + (moved[f] != own[f]) <= most:
                    best = min(best, float(problem.distance(row, moved[None])[0]))
    return best


def with_a_number(problem: SmallSearch, least: float):
    """Search where the last number need not be whole."""
    number = np.arange(len(problem.group)) == problem.n_numbers - 1
    moves = LeastMoves.of(problem.E, np.where(number, least, 0.0), ~number)
    domain = replace(problem.domain(), integer=(problem.group < 0) & ~number, least_moves=moves if least else None)
    compiled = replace(problem, rules=no_rules(problem)).problem()
    if len(problem.rules[1]):  # rules about numbers are moved by less than those about whole ones
        compiled = compiled.with_rules(*problem.rules, domain.discrete)
    return search_tree(SearchRequest.plain(compiled, problem.E, np.zeros(len(problem.E), dtype=np.int64), domain))


def no_rules(problem: SmallSearch) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((0, len(problem.group))), np.empty(0)


@pytest.mark.parametrize("least", [0.0, 1.3])
@pytest.mark.parametrize("density", [True, False])
def test_a_number_beside_whole_ones_and_categories(searched_by, density, least):
    n_found = 0
    for seed in SEEDS:
        problem = small_search(seed, n_numbers=2, n_categories=2, density=density)
        problem = replace(problem, rules=no_rules(problem))
        found = with_a_number(problem, least)
        for row in range(len(problem.E)):
            best = nearest_with_a_number(problem, row, least)
            np.testing.assert_allclose(found.value[row], best, rtol=2e-6, atol=1e-7)
            assert found.lower_bound[row] <= best * (1 + 1e-9) + 1e-9
            assert found.lower_bound[row] >= best * (1 - 1e-6) - 1e-7
            n_found += np.isfinite(best)
    assert n_found > 10


@pytest.mark.parametrize("least", [0.0, 1.3])
def test_rules_about_a_number(searched_by, least):
    """A rule that leaves a single value to a number may not be met, for margins are kept; bounds are always true."""
    n_met = n_found = 0
    for seed in SEEDS:
        problem = small_search(seed, n_numbers=3, n_categories=1)
        if not len(problem.rules[1]):
            continue
        found = with_a_number(problem, least)
        for row in range(len(problem.E)):
            best = nearest_with_a_number(problem, row, least)
            assert found.lower_bound[row] <= best * (1 + 1e-9) + 1e-9
            assert found.value[row] >= best * (1 - 1e-9) - 1e-9
            if np.isfinite(best):
                n_found += 1
                n_met += found.value[row] <= best * (1 + 2e-6) + 1e-7
            else:
                assert np.isinf(found.value[row])
    assert n_met > 0.9 * n_found > 10
