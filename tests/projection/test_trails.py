"""Trails save time and nothing else: projections from any of them end where they would without."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.projection.reachable import Reachable
from elsewise.projection.warm_starts import renumbered, trail_of
from projection.one_cone import one_cone
from reference import project_reference

N, RADIUS = 6, 1.5


def surroundings(seed, *, inside, bounded=False, n_rules=1):
    """A point in a random cone, or far from it; rules hold in its middle."""
    rng = np.random.default_rng(seed)
    factor, centre = rng.normal(size=(N, N)) + 2 * np.eye(N), rng.normal(size=N)
    cells = one_cone(factor, centre, RADIUS)
    x0 = centre + (0.02 if inside else 1.0) * rng.normal(size=N)
    low, high = np.full(N, -0.25 if bounded else -np.inf), np.full(N, 0.25 if bounded else np.inf)
    normals = rng.normal(size=(n_rules, N))
    at = Reachable(cells, x0, low, high, 0, normals, normals @ centre + 2.0)
    # half-spaces that the point violates, and a point of the cone keeps
    way = rng.normal(size=N)
    kept = centre + (0.95 if inside else 0.6) * RADIUS * np.linalg.solve(factor, way / np.linalg.norm(way))
    A = rng.normal(size=(3, N))
    A *= np.sign(A @ (x0 - kept))[:, None]
    return at, A, A @ kept + 0.1 * np.abs(A @ (x0 - kept)), (factor, centre)


def distance(at, factor, centre, A, b):
    G, o = np.vstack([A, at.normals]), np.concatenate([b, at.offsets])
    return project_reference(
        at.x0,
        weights=np.ones(N),
        A=G,
        b=o - G @ at.x0,
        F=factor,
        g=factor @ (centre - at.x0),
        h0=RADIUS,
        lower=at.low,
        upper=at.high,
    )[1]


def same(one, other):
    assert (one.v is None) == (other.v is None)
    if one.v is not None:
        np.testing.assert_allclose(one.bound, other.bound, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(np.abs(one.v).sum(), np.abs(other.v).sum(), rtol=1e-7, atol=1e-9)


def test_half_spaces_get_other_numbers_and_bounds_stay():
    # features 2 up and 0 down; half-spaces 1, 0 and 3, and the upper bound of feature 1
    trail = np.array([2, 4, 3, -1, 0, 0, 1, -4, 0, 3], dtype=np.int32)
    found = renumbered(trail, np.array([5, -1, 7, 2]))
    assert found[:6].tolist() == [2, 3, 3, -1, 0, 0]
    assert found[6 : 6 + found[1]].tolist() == [-4, 5, 2]


def test_the_trail_of_an_optimum_has_what_moves_and_what_holds_it():
    v, high = np.array([0.0, 0.5, -0.2, 0.9]), np.array([1.0, 1.0, 1.0, 0.9])
    trail = trail_of(v, np.array([0.0, 2.0]), -high, high)
    assert trail.tolist() == [2, 2, 2, -3, 0, 0, 1, -8, 0, 0]
    assert trail_of(np.zeros(4), np.array([1.0]), -high, high) is None


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_projection_ends_where_it_does_without_a_trail(seed, inside, bounded):
    at, A, b, _ = surroundings(seed, inside=inside, bounded=bounded)
    first = at.nearest(A[:2], b[:2], cutoff=np.inf, margin=1e-9)
    plain = at.nearest(A, b, cutoff=np.inf, margin=1e-9)
    if first.trail is not None:
        same(plain, at.nearest(A, b, cutoff=np.inf, margin=1e-9, start=renumbered(first.trail, np.array([0, 1, 3]))))
    if plain.trail is not None:
        same(plain, at.nearest(A, b, cutoff=np.inf, margin=1e-9, start=plain.trail))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_trails_that_lead_nowhere_do_no_harm(seed, inside):
    at, A, b, _ = surroundings(seed, inside=inside)
    plain, rng = at.nearest(A, b, cutoff=np.inf, margin=1e-9), np.random.default_rng(seed)
    for _ in range(20):
        moving = rng.permutation(N)[: rng.integers(1, N + 1)]
        active = rng.permutation(4)[: rng.integers(0, 4)]
        trail = np.zeros(2 + 2 * N, dtype=np.int32)
        trail[:2] = len(moving), len(active)
        trail[2 : 2 + len(moving)] = rng.choice([-1, 1], size=len(moving)) * (moving + 1)
        trail[2 + N : 2 + N + len(active)] = active
        same(plain, at.nearest(A, b, cutoff=np.inf, margin=1e-9, start=trail))


@pytest.mark.parametrize("inside", [False, True])
def test_forms_bounded_along_paths_against_another_solver(inside):
    """Nothing within the radius exceeds a bound, and bounds are better than those of a guess."""
    n_paths, missed, missed_by_guesses = 0, 0.0, 0.0
    for seed in range(8):
        at, A, b, cone = surroundings(seed, inside=inside)
        nearest = at.nearest(A, b, cutoff=np.inf, margin=0.0)
        if nearest.v is None or nearest.trail is None:  # there is none, or the cone does not hold it
            continue
        n_paths += 1
        radius, W = 1.3 * nearest.bound + 0.1, np.random.default_rng(seed).normal(size=(4, N))
        asked = {"radius": radius, "near": at.x0 + nearest.v}
        found = at.largest(W, np.full(4, np.inf), A, b, **asked, rounds=1, start=nearest.trail)
        for w, t in zip(W, found):
            assert distance(at, *cone, np.vstack([A, -w]), np.append(b, -t - 1e-5 * (1 + abs(t)))) >= radius
        exact = at.largest(W, np.full(4, np.inf), A, b, **asked, rounds=12)
        missed += (found - exact).sum()
        missed_by_guesses += (at.largest(W, np.full(4, np.inf), A, b, **asked, rounds=1) - exact).sum()
    assert n_paths >= 4
    assert missed < missed_by_guesses / 2
