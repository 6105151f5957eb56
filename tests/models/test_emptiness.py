"""Which cells are empty for every row: against SciPy and against the reference solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import elsewise as ew
from elsewise.models import Label, region_of
from elsewise.questions.solving.infeasibility import densest_log_density
from elsewise.search.relaxations.polyhedra.emptiness import squared_radii_needed
from fitted_models import CLASSIFIERS, PIPELINES
from reference import project_reference

FAMILIES = [family for family in [*CLASSIFIERS, *PIPELINES]
            if str(family) in ("softmax", "gmlvq", "tree", "pca softmax", "nested", "robust lda")]  # fmt: skip


def fitted(family, seed=1, threshold=0.5):
    model, X, y = family.fitted(seed=seed)
    density = ew.GaussianMixtureDensity(n_components=3)
    return ew.Explainer(model, density=density, threshold=threshold).fit(X, y), X


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_radii_are_distances_from_centres_to_polyhedra(family):
    explainer, _ = fitted(family)
    to_model = explainer.fitted_.to_model
    for index, label in enumerate(explainer.classes_):
        region, cones = region_of(explainer.fitted_.estimator, Label(index)), explainer.densities_[label].cones()
        needed = squared_radii_needed(region, cones, to_model.matrix, to_model.offset)
        assert needed.shape == (region.n_polyhedra, len(cones.radii))
        M, c = to_model.matrix, to_model.offset
        # Work in the image of the data: z = c + M x for some x, that is z = c + U t.
        U = np.linalg.svd(M, full_matrices=False)[0]
        for i in range(min(region.n_polyhedra, 6)):
            A, b = region.polyhedron(i)
            for j in range(len(cones.radii)):
                L = cones.factors[cones.shape[j]]
                omega = U.T @ L.T @ L @ U
                at = np.linalg.solve(omega, U.T @ L.T @ L @ (cones.centres[j] - c))
                beyond = L @ (c + U @ at - cones.centres[j])
                _, value, _ = project_reference(at, omega=omega, A=A @ U, b=b - A @ (c + U @ at))
                np.testing.assert_allclose(needed[i, j], value + beyond @ beyond, rtol=1e-6, atol=1e-7)
                assert needed[i, j] <= (value + beyond @ beyond) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_cells_said_to_be_empty_hold_no_sample(family):
    explainer, X = fitted(family, threshold=0.8)
    rng = np.random.default_rng(0)
    samples = np.repeat(X, 40, axis=0) + rng.normal(scale=0.5, size=(40 * len(X), X.shape[1]))
    Z = explainer.to_model_space(samples)
    some_empty = False
    for index, goal in enumerate(explainer.fitted_.problem(explainer.fitted_.labels).goals):
        density = explainer.densities_[explainer.classes_[index]]
        dense = density.log_components(Z)[:, density.cones().component] >= density.log_threshold_
        inside = goal.cover.region.slacks(Z) >= 0
        occupied = dense.T.astype(int) @ inside.astype(int) > 0
        assert not (occupied & ~goal.possible).any()
        some_empty |= bool((~goal.possible).any())
    if str(family) == "tree":
        assert some_empty


def test_the_densest_point_of_a_region_is_found():
    explainer, X = fitted(FAMILIES[0])
    for index, label in enumerate(explainer.classes_):
        region, density = region_of(explainer.model, Label(index)), explainer.densities_[label]
        A, b = region.polyhedron(0)
        best = densest_log_density(explainer.fitted_.problem(explainer.fitted_.labels).goals[index].cover, density)
        local = [
            minimize(
                lambda z, j=j, density=density: -density.log_components(z[None])[0, j],
                X[explainer.model.predict(X) == label].mean(axis=0),
                constraints={"type": "ineq", "fun": lambda z, A=A, b=b: b - A @ z},
                method="SLSQP",
                options={"ftol": 1e-12, "maxiter": 500},
            )
            for j in range(3)
        ]
        np.testing.assert_allclose(best, max(-found.fun for found in local), rtol=1e-5)
