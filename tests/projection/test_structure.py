"""Gram matrices that are a diagonal less a few directions: paths end where those without it do."""

from dataclasses import replace

import numpy as np
import pytest

import elsewise as ew
from elsewise.projection.cells import OPTIMAL, Cells, Details, PackedCones, Polyhedra, pack
from elsewise.projection.distance import manhattan_coordinates

N, N_INSTANCES = 48, 30


def _cells(rank, n_halfspaces, rng):
    """One polyhedron and two cones of different shapes, features in different units."""
    noise, weights = np.array([0.5, 0.2]), rng.uniform(0.5, 2.0, N)
    U = np.array([np.linalg.qr(rng.normal(size=(N, rank)))[0] if rank else np.empty((N, 0)) for _ in noise])
    variances = rng.uniform(2.0, 9.0, (2, rank))
    D = np.repeat(1 / noise[:, None], N, axis=1)
    directions = U * np.sqrt((1 - noise[:, None] / variances) / noise[:, None])[:, None, :]
    precisions = np.array([np.diag(d) - u @ u.T for d, u in zip(D, directions)])
    factors = np.array([np.linalg.cholesky(P).T for P in precisions])
    centres = rng.normal(0, 1, (2, N))
    normals = rng.normal(size=(n_halfspaces, N))
    return pack(
        manhattan_coordinates(weights, np.zeros(N)),
        Polyhedra(normals, (normals @ centres.T).max(axis=1) - 1.0, np.array([[0, n_halfspaces]])),
        PackedCones(
            factors=factors,
            shape=np.arange(2),
            centres=np.einsum("jab,jb->ja", factors, centres),
            radii=np.full(2, np.sqrt(3.0 * N)),
            structure=(D, directions),
        ),
    )


@pytest.mark.parametrize("is_bounded", [False, True])
@pytest.mark.parametrize("rank", [0, 1, 5])
def test_structure_changes_nothing_but_time(rank, is_bounded):
    rng = np.random.default_rng(rank)
    cells = _cells(rank, 4, rng)
    assert cells.diagonals.shape == (2, N)
    assert cells.directions.shape == (2, N, rank)
    np.testing.assert_allclose(
        cells.grams, [np.diag(d) - u @ u.T for d, u in zip(cells.diagonals, cells.directions)], atol=1e-12
    )
    dense = replace(cells, diagonals=np.empty((0, N)), directions=np.empty((0, N, 0)))
    X0 = rng.normal(0, 2.5, (N_INSTANCES, N))
    common = {
        "X0": X0,
        "row": np.arange(N_INSTANCES),
        "polyhedra": np.tile([0, -1], (N_INSTANCES, 1)),
        "cone": np.arange(N_INSTANCES) % 2,
        "cutoff": np.full(N_INSTANCES, np.inf),
        "margin": np.full(N_INSTANCES, 1e-9),
        "details": Details(multipliers=True),
    }
    if is_bounded:  # some features may not move one way, some are held back on theirs, one is fixed
        upper = np.where(rng.random(X0.shape) < 0.05, 0.0, rng.uniform(2.0, 12.0, X0.shape))
        lower = np.where(rng.random(X0.shape) < 0.05, 0.0, -rng.uniform(2.0, 12.0, X0.shape))
        lower[:, 0] = upper[:, 0] = 0.0
        common["limits"] = lower, upper
    by_structure, by_matrix = cells.project(**common), dense.project(**common)
    np.testing.assert_array_equal(by_structure.status, by_matrix.status)
    found = by_matrix.status == OPTIMAL
    assert found.mean() > 0.5
    np.testing.assert_allclose(by_structure.value[found], by_matrix.value[found], rtol=1e-7)
    np.testing.assert_allclose(by_structure.v[found], by_matrix.v[found], atol=1e-5)
    assert (by_structure.bound[found] <= by_matrix.value[found] * (1 + 1e-12)).all()
    # The paths were followed all the way: as many steps, and the bound is that of an exact end.
    np.testing.assert_array_equal(by_structure.iterations[found], by_matrix.iterations[found])


def test_structure_is_kept_for_many_features_alone():
    rng = np.random.default_rng(0)
    cells = _cells(20, 2, rng)
    assert cells.diagonals.shape == (0, N)
    joined = Cells.join([_cells(2, 2, rng), _cells(5, 2, rng)])
    assert joined.directions.shape == (4, N, 5)
    assert Cells.join([_cells(2, 2, rng), cells]).diagonals.shape == (0, N)


@pytest.mark.parametrize("settings", [{"covariance_type": "low_rank", "n_components": 2, "rank": 3},
                                      {"covariance_type": "diag", "n_components": 2}])  # fmt: skip
def test_densities_tell_their_structure(settings):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 40)) + rng.normal(0, 0.3, (200, 40))
    density = ew.GaussianMixtureDensity(**settings)
    cones = ew.density.class_density(density, rows).cones()
    assert cones.structure is not None
    grams = cones.factors.transpose(0, 2, 1) @ cones.factors
    written_out = [np.diag(d) - u @ u.T for d, u in zip(*cones.structure)]
    np.testing.assert_allclose(grams, written_out, atol=1e-8 * np.abs(grams).max())
