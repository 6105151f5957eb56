"""The two references for tables against each other, and against optima known in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixed_enumeration import by_enumeration
from mixed_problem import Cone, MixedProblem
from mixed_reference import scip

pytest.importorskip("pyscipopt", reason="the mixed-integer reference needs pyscipopt")


def random_problem(seed: int) -> MixedProblem:
    """Two continuous features, two whole ones, categories of two and three levels, and a random choice of the rest."""
    rng = np.random.default_rng(seed)
    group = np.array([-1, -1, -1, -1, 0, 0, 1, 1, 1])
    column = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5])
    numeric, n = np.flatnonzero(group < 0), len(group)
    integer = np.array([False, False, True, True] + [False] * 5)
    x0 = np.zeros(n)
    x0[:2], x0[2:4] = rng.normal(size=2), rng.integers(0, 3, size=2)
    x0[4 + rng.integers(2)] = x0[6 + rng.integers(3)] = 1.0
    price = rng.uniform(0.3, 2.0, size=6)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    lower[2:4], upper[2:4] = -1.0, 3.0
    if rng.random() < 0.5:
        lower[:2], upper[:2] = x0[:2] - rng.uniform(0.0, 2.0, size=2), x0[:2] + rng.uniform(0.0, 2.0, size=2)
    reachable = np.ones(n, dtype=bool)
    if rng.random() < 0.5:
        reachable[rng.choice([6, 7, 8])] = False
    some_rules = rng.random() < 0.4
    cones = None
    if rng.random() < 0.7:
        cones = [random_cone(rng, x0, group) for _ in range(rng.integers(1, 3))]
    return MixedProblem(
        x0=x0,
        weights=price[column],
        group=group,
        column=column,
        polyhedra=[random_polyhedron(rng, x0) for _ in range(rng.integers(1, 4))],
        cones=cones,
        numeric=numeric,
        integer=integer,
        lower=lower,
        upper=upper,
        reachable=reachable,
        normals=rng.normal(size=(1, n)) if some_rules else np.empty((0, n)),
        offsets=rng.normal(loc=1.0, size=1) if some_rules else np.empty(0),
        max_changes=int(rng.integers(1, 4)) if rng.random() < 0.4 else None,
    )


def random_polyhedron(rng: np.random.Generator, x0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    A = rng.normal(size=(rng.integers(1, 3), len(x0)))
    return A, A @ x0 - rng.uniform(0.2, 3.0, size=len(A))


def random_cone(rng: np.random.Generator, x0: np.ndarray, group: np.ndarray) -> Cone:
    penalties = np.where(group < 0, 0.0, rng.exponential(2.0, size=len(group)))
    if rng.random() < 0.2:
        penalties[4 + rng.integers(2)] = np.inf
    factor = np.triu(0.5 * rng.normal(size=(4, 4))) + np.eye(4)
    return Cone(factor, x0[:4] + rng.normal(size=4), float(rng.uniform(1.0, 12.0)), penalties)


SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_scip_and_brute_force_agree(seed):
    problem = random_problem(seed)
    theirs, expected = scip(problem, tuned=seed % 2 == 0), by_enumeration(problem)
    assert theirs.status == expected.status
    if expected.point is None:
        assert theirs.point is None
        assert theirs.value == np.inf
        return
    np.testing.assert_allclose(theirs.value, expected.value, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(theirs.bound, theirs.value, rtol=1e-6, atol=1e-7)
    for answer in (theirs, expected):
        assert problem.violation(answer.point) < 1e-6
        np.testing.assert_allclose(problem.distance(answer.point), answer.value, rtol=1e-7, atol=1e-7)


def test_the_random_problems_are_of_every_kind():
    problems = [random_problem(seed) for seed in SEEDS]
    found = [scip(problem) for problem in problems]
    assert 5 < sum(answer.status == "infeasible" for answer in found) < len(found) // 2
    moved = [p.x0 != a.point for p, a in zip(problems, found) if a.point is not None]
    for features in (slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 9)):
        assert sum(change[features].any() for change in moved) > 5
    binding = [scip(replace(p, max_changes=None)).value < 0.999 * a.value for p, a in zip(problems, found)]
    assert sum(binding) > 5
    assert sum(p.cones is None for p in problems) > 5


SCORE = np.array([[1.0, 0.0, 1.0, 1.5]])  # number + (0, 1, 1.5)[level]


def table(**changes) -> MixedProblem:
    """One whole number at 2 (price 0.5), one category at the first of three levels (price 1); a score is asked for."""
    problem = MixedProblem(
        x0=np.array([2.0, 1.0, 0.0, 0.0]),
        weights=np.array([0.5, 1.0, 1.0, 1.0]),
        group=np.array([-1, 0, 0, 0]),
        column=np.array([0, 1, 1, 1]),
        polyhedra=[(-SCORE, np.array([-3.75]))],
        cones=None,
        numeric=np.array([0]),
        integer=np.array([True, False, False, False]),
        lower=np.array([0.0, 0.0, 0.0, 0.0]),
        upper=np.array([9.0, 1.0, 1.0, 1.0]),
        reachable=np.ones(4, dtype=bool),
        normals=np.empty((0, 4)),
        offsets=np.empty(0),
    )
    return replace(problem, **changes)


@pytest.mark.parametrize("solve", [scip, by_enumeration])
@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({}, 1.0),  # two steps of the number, 2 -> 4
        ({"integer": np.zeros(4, dtype=bool)}, 0.875),  # 2 -> 3.75
        ({"upper": np.array([3.0, 1.0, 1.0, 1.0])}, 1.5),  # one step and another level
        ({"upper": np.array([3.0, 1.0, 1.0, 1.0]), "max_changes": 1}, np.inf),
        ({"upper": np.array([2.0, 1.0, 1.0, 1.0])}, np.inf),  # the best level gives 3.5, the number stays at 2
        ({"lower": np.array([5.0, 0.0, 0.0, 0.0])}, 1.5),  # 2 -> 5, whatever the model says
        ({"reachable": np.array([True, True, True, False]), "weights": np.array([2.0, 1.0, 1.0, 1.0])}, 3.0),
        (
            {"weights": np.array([2.0, 1.0, 1.0, 1.0]), "polyhedra": [(-SCORE, np.array([-3.5]))]},
            1.0,
        ),  # the third level
        ({"normals": np.array([[1.0, 0.0, 0.0, 0.0]]), "offsets": np.array([3.0])}, 1.5),
        ({"cones": []}, np.inf),
        ({"polyhedra": []}, np.inf),
        # |e - 4| <= 1 on the first two levels, |e - 4|^2 <= 1 - 2 on the third
        ({"cones": [Cone(np.eye(1), np.array([4.0]), 1.0, np.array([0.0, 0.0, 0.0, 2.0]))]}, 1.0),
        ({"cones": [Cone(np.eye(1), np.array([7.0]), 1.0, np.array([0.0, 0.0, 0.0, 0.0]))]}, 2.0),
        ({"cones": [Cone(np.eye(1), np.array([7.0]), 2.0, np.array([0.0, 1.0, 0.0, 1.0]))]}, 2.0),
        ({"cones": [Cone(np.eye(1), np.array([7.0]), 4.0, np.array([0.0, 3.5, 0.0, 1.0]))]}, 2.5),
    ],
)
def test_known_optima(solve, changes, value):
    answer = solve(table(**changes))
    np.testing.assert_allclose(answer.value, value, rtol=1e-8)
    assert answer.status == ("optimal" if np.isfinite(value) else "infeasible")


def test_bounds_prune_cells():
    near, far = table().polyhedra[0], (-SCORE, np.array([-9.0]))
    answer = scip(table(polyhedra=[far, near, far]))
    assert answer.cell == (1, -1)
    assert answer.n_solved == 1
