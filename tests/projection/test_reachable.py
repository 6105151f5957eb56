"""The largest value of a linear form over what can be reached, against linear and conic programs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from elsewise.projection.reachable import Reachable
from projection.one_cone import one_cone
from reference import project_reference


def reachable(rng, n, *, cone, bounded, n_rules):
    """Random surroundings of a point."""
    factor, centre = rng.normal(size=(n, n)) + 2 * np.eye(n), rng.normal(size=n)
    cells = one_cone(factor, centre, 1.5)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    if bounded:
        low[: n // 2], high[: n // 2] = -0.7, 0.9
        low[0] = high[0] = 0.0
    normals = rng.normal(size=(n_rules, n))
    x0 = rng.normal(size=n)
    if bounded and cone:  # what is held is near the centre, or nothing may be left of the cone
        x0[: n // 2] = centre[: n // 2] + 0.3 * np.tanh(x0[: n // 2])
    # rules that a point near the centre keeps
    return Reachable(cells, x0, low, high, 0 if cone else -1, normals, normals @ (centre + 0.05) + 1.0), (
        factor,
        centre,
    )


def largest_by_linear_program(at, w, A, b, radius):
    n = len(w)
    x0 = at.x0
    G, o = np.vstack([A, at.normals]), np.concatenate([b, at.offsets])
    # v = p - q, sum p + q <= radius
    blocks = np.vstack([np.hstack([G, -G]), np.ones((1, 2 * n)), np.hstack([np.eye(n), -np.eye(n)])])
    rows = [o - G @ x0, [radius], np.minimum(at.high, 1e6)]
    blocks = np.vstack([blocks, np.hstack([-np.eye(n), np.eye(n)])])
    rows.append(np.minimum(-at.low, 1e6))
    solved = linprog(np.concatenate([-w, w]), A_ub=blocks, b_ub=np.concatenate(rows), bounds=[(0, None)] * (2 * n))
    return w @ x0 - solved.fun if solved.status == 0 else -np.inf


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_without_a_cone_it_is_the_optimum_of_a_linear_program(seed, bounded):
    rng = np.random.default_rng(seed)
    n = 6
    at, _ = reachable(rng, n, cone=False, bounded=bounded, n_rules=2)
    A, b = rng.normal(size=(2, n)), rng.normal(size=2) + 2 + np.abs(at.x0).sum()
    W, radius = rng.normal(size=(8, n)), 3.0
    found = at.largest(W, np.full(8, np.inf), A, b, radius=radius, near=at.x0, rounds=8)
    exact = np.array([largest_by_linear_program(at, w, A, b, radius) for w in W])
    assert np.isfinite(exact).all()
    assert (found >= exact - 1e-9).all()
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("from_trail", [False, True])
@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_with_a_cone_no_point_within_the_radius_has_more(seed, bounded, from_trail):
    """The distance to ``w x >= found`` is the radius at least, by another solver; a little below, it is nearer."""
    rng = np.random.default_rng(seed)
    n = 5
    at, (factor, centre) = reachable(rng, n, cone=True, bounded=bounded, n_rules=1)
    nearest = at.nearest(np.empty((0, n)), np.empty(0), cutoff=np.inf, margin=0.0)
    assert nearest.v is not None
    radius, W = nearest.bound * 1.5 + 0.2, rng.normal(size=(6, n))

    def distance(w, t):
        G, o = np.vstack([-w[None], at.normals]), np.concatenate([[-t], at.offsets])
        return project_reference(
            at.x0,
            weights=np.ones(n),
            A=G,
            b=o - G @ at.x0,
            F=factor,
            g=factor @ (centre - at.x0),
            h0=1.5,
            lower=at.low,
            upper=at.high,
        )[1]

    nothing, near = (np.empty((0, n)), np.empty(0)), at.x0 + nearest.v
    assert nearest.trail is not None
    start = nearest.trail if from_trail else None
    found = at.largest(W, np.full(6, np.inf), *nothing, radius=radius, near=near, rounds=8, start=start)
    for w, t in zip(W, found):
        beyond = distance(w, t + 1e-5 * (1 + abs(t)))  # where the cone ends there, the solver would see no inside
        assert beyond >= radius
        assert distance(w, t - 1e-2 * (1 + abs(t))) <= radius


def test_known_bounds_are_kept_and_nothing_is_said_without_a_radius():
    rng = np.random.default_rng(0)
    at, _ = reachable(rng, 4, cone=True, bounded=False, n_rules=0)
    W, high = rng.normal(size=(3, 4)), np.array([-100.0, np.inf, 0.0])
    nothing = np.empty((0, 4)), np.empty(0)
    assert at.largest(W, high, *nothing, radius=1.0, near=at.x0, rounds=2)[0] == -100.0
    np.testing.assert_array_equal(at.largest(W, high, *nothing, radius=np.inf, near=at.x0, rounds=2), high)


@pytest.mark.parametrize("rounds", [0, 1])
def test_forms_of_categories_hold_at_every_level(rounds):
    """What moves to a level leaves the row's own: a form of that one alone changes as well."""
    group, prices = np.array([-1, 0, 0, 0, 1, 1]), np.array([1.0, 1.5, 1.5, 1.5, 2.0, 2.0])
    row = np.array([0.3, 1.0, 0.0, 0.0, 0.0, 1.0])
    cells = replace(one_cone(np.eye(6), np.zeros(6), 1.0), group=group)
    low, high = np.where(group < 0, -np.inf, 0.0), np.where((group < 0) | (row == 0), np.inf, 0.0)
    nothing = np.empty((0, 6)), np.empty(0)
    at = Reachable(cells, prices * row, low, high, -1, *nothing)
    W, radius = np.vstack([np.eye(6), -np.eye(6), np.random.default_rng(0).normal(size=(6, 6))]), 3.0
    found = at.largest(W, np.full(len(W), np.inf), *nothing, radius=radius, near=prices * row, rounds=rounds)
    for first in range(3):
        for second in range(2):
            levels = np.concatenate([np.eye(3)[first], np.eye(2)[second]])
            left = radius - 0.5 * (prices[1:] * np.abs(levels - row[1:])).sum()
            for number in (row[0] - left, row[0] + left) if left >= 0 else ():
                assert (W @ (prices * np.append(number, levels)) <= found + 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_without_rounds_it_is_the_best_of_whole_levels_and_numbers_within_the_radius(seed):
    rng = np.random.default_rng(seed)
    group = np.array([-1, -1, -1, 0, 0, 0, 1, 1, 2, 2, 2])
    prices = np.where(group < 0, 1.0, 1.5)
    row = np.array([0.3, -0.4, 0.1, 0, 1, 0, 1, 0, 0, 0, 1.0])
    cells = replace(one_cone(np.eye(11), np.zeros(11), 1.0), group=group)
    low, high = np.zeros(11), np.where((group >= 0) & (row == 0), np.inf, 0.0)
    low[:3], high[:3] = [-np.inf, 0.2, -0.5], [0.7, 1.1, -0.1]  # the row's own value may be out of bounds
    high[3] = 0.0  # a level that is out
    at = Reachable(cells, row * prices, low, high, -1, np.empty((0, 11)), np.empty(0))
    W = rng.normal(size=(12, 11))
    for radius in (0.3, 1.0, 2.0, 3.5, 6.0):
        found = at.largest(
            W, np.full(12, np.inf), *(np.empty((0, 11)), np.empty(0)), radius=radius, near=at.x0, rounds=0
        )
        np.testing.assert_allclose(found, best_by_enumeration(at, W, group, radius), rtol=1e-9, atol=1e-9)


def best_by_enumeration(at, W, group, radius):
    """The largest forms over all combinations of levels, numbers by a linear program."""
    numbers, best = group < 0, np.full(len(W), -np.inf)
    levels = [[k for k in np.flatnonzero(group == c) if at.high[k] > 0 or at.x0[k] > 0] for c in range(group.max() + 1)]
    bounds = list(zip(at.low[numbers], at.high[numbers]))
    bounds = [(max(a, -20.0), min(b, 20.0)) for a, b in bounds]
    n = int(numbers.sum())
    for chosen in itertools.product(*levels):
        x = np.where(numbers, at.x0, 0.0)
        x[list(chosen)] = 1.5
        left = radius - 1.5 * sum(at.x0[k] == 0 for k in chosen)
        for k, w in enumerate(W if left >= 0 else []):
            # v within bounds and |v| <= t, sum t <= left
            A = np.vstack([np.hstack([np.eye(n), -np.eye(n)]), np.hstack([-np.eye(n), -np.eye(n)]), [0] * n + [1] * n])
            solved = linprog(
                np.concatenate([-w[numbers], np.zeros(n)]), A, [0] * 2 * n + [left], bounds=bounds + [(0, None)] * n
            )
            best[k] = max(best[k], w @ x - solved.fun) if solved.status == 0 else best[k]
    return best


@pytest.mark.parametrize("seed", range(5))
def test_huge_multipliers_prove_something_true(seed):
    """Rays of empty cells may have multipliers whose squares are no numbers; NaN would be taken for a bound."""
    rng = np.random.default_rng(seed)
    n, radius = 4, 2.0
    at, (factor, centre) = reachable(rng, n, cone=True, bounded=False, n_rules=2)
    points = at.x0 + rng.normal(size=(4_000, n)) * radius / n
    inside = (np.abs(points - at.x0).sum(axis=1) <= radius) & (points @ at.normals.T <= at.offsets).all(axis=1)
    inside &= np.linalg.norm((points - centre) @ factor.T, axis=1) <= 1.5
    W, t = rng.normal(size=(2, n)), np.array([0.5, 6.0])
    own, common, cone = np.ones(2), rng.random((2, 2)), rng.normal(size=(2, n + 1))
    cone[:, 0] = np.linalg.norm(cone[:, 1:], axis=1)
    for size in (1.0, 1e100, 1e300):
        bounds = at._proven(W, t, own * size, at.normals, at.offsets, common * size, cone * size, radius)
        assert np.isfinite(bounds).all()
        assert (bounds >= (points[inside] @ W.T).max(axis=0, initial=-np.inf)).all()
