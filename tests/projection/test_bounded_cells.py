"""Cones with a half-space within narrow bounds: features at their bounds, cones that hold by themselves, empty cells.

Bounds and slopes are proofs, so they must hold at every point of a cell; points come from projecting others onto it, in
a different distance, through the same door, and from Clarabel.
"""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.projection import project
from elsewise.projection.cells import CUTOFF, INFEASIBLE, OPTIMAL, Details, PackedCones, Polyhedra, pack
from elsewise.projection.distance import manhattan_coordinates
from reference import project_reference


def cell(rng, n):
    """A cone around a random centre, a half-space near it, and bounds some of which force features to move."""
    factor = np.eye(n) + 0.3 * rng.normal(size=(n, n))
    centre = rng.normal(size=n) * 2
    a = rng.normal(size=n) * rng.choice([0.2, 1.0, 5.0], n)
    b = a @ centre + rng.normal() * np.abs(a).sum() * 0.3
    low = -rng.integers(0, 4, n).astype(float)
    high = rng.integers(0, 4, n).astype(float)
    forced = rng.random(n) < 0.25
    low[forced], high[forced] = 1.0, 1.0 + rng.integers(0, 3, forced.sum())
    return factor, factor @ centre, a, b, low, high, rng.uniform(0.5, 4.0)


def solved(factor, g, a, b, low, high, radius, cutoff=np.inf):
    n = len(a)
    cells = pack(
        manhattan_coordinates(np.ones(n), np.zeros(n)),
        Polyhedra(a[None], np.array([b]), np.array([[0, 1]])),
        PackedCones(factor[None], np.zeros(1, dtype=np.int64), g[None], np.array([radius])),
    )  # fmt: skip
    return cells.project(
        np.zeros((1, n)), np.zeros(1, dtype=np.int64), np.array([[0, -1]]), np.zeros(1, dtype=np.int64),
        cutoff=np.array([cutoff]), margin=np.array([1e-9]), limits=(low[None], high[None]),
        details=Details(multipliers=True),
    )  # fmt: skip


@pytest.mark.parametrize("n", [2, 5, 12])
@pytest.mark.parametrize("seed", range(60))
def test_bounds_and_slopes_hold_at_the_points_of_a_cell(n, seed):
    rng = np.random.default_rng([n, seed])
    factor, g, a, b, low, high, radius = given = cell(rng, n)
    batch = solved(*given)
    of_cell = {"A": a[None], "b": np.array([b]), "lower": low, "upper": high, "F": factor, "g": g, "h0": radius}
    verdict, best, _ = project_reference(np.zeros(n), weights=np.ones(n), **of_cell)
    if batch.status[0] == INFEASIBLE:
        assert verdict == "infeasible"
        return
    assert batch.status[0] == OPTIMAL
    if verdict != "optimal":  # the reference gave up: its own optimum serves below
        best = batch.value[0]
    np.testing.assert_allclose(batch.value[0], best, rtol=1e-6, atol=1e-7)
    assert batch.bound[0] <= best * (1 + 1e-6) + 1e-7
    points = project(rng.normal(size=(40, n)) * 3, **of_cell).x
    points = points[np.isfinite(points).all(axis=1)]
    slopes = batch.slopes[0]
    if np.isfinite(slopes).all():
        assert (np.abs(slopes) <= 1 + 1e-9).all()
        assert (batch.bound[0] + points @ slopes <= 1e-7 * (1 + np.abs(points).sum(axis=1))).all()
    assert (np.abs(points).sum(axis=1) >= batch.bound[0] * (1 - 1e-9) - 1e-7).all()


@pytest.mark.parametrize("seed", range(30))
def test_a_cutoff_is_never_proven_below_the_optimum(seed):
    given = cell(np.random.default_rng([7, seed]), 6)
    full = solved(*given)
    if full.status[0] != OPTIMAL or full.value[0] == 0:
        return
    just_beyond, below = (solved(*given, cutoff=full.value[0] * share) for share in (1 + 1e-6, 0.9))
    assert just_beyond.status[0] == OPTIMAL
    assert below.status[0] in (CUTOFF, OPTIMAL)
    assert below.bound[0] <= full.value[0] * (1 + 1e-9)
