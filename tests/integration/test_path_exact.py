"""Whole paths against all sequences of components, each solved by Clarabel, from scikit-learn's own objects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.search import Ellipsoids, Ground, Terminal
from path_reference import reference


def made_up(seed, n):
    """Two classes, each of two blobs, and a linear model of them."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-3, 3, size=(4, n))
    label = np.arange(240) % 2
    blob = rng.integers(2, size=240) + 2 * label
    spread = 0.5 + rng.random((4, n))
    X = centres[blob] + spread[blob] * rng.normal(size=(240, n))
    return X, label


def components(explainer, label):
    """Log weight, mean and precision factor of every component, the class's share of rows counted in."""
    density = explainer.densities_[label]
    mixture = density.mixture_
    share = len(density.log_densities_) / sum(len(each.log_densities_) for each in explainer.densities_.values())
    for weight, mean, factor in zip(mixture.weights_, mixture.means_, mixture.precisions_cholesky_):
        yield np.log(weight * share), mean, factor.T


def ellipsoids(explainer, level):
    """Sets where one component alone reaches a level."""
    found = []
    for label in explainer.densities_:
        for log_weight, mean, factor in components(explainer, label):
            peak = log_weight - 0.5 * len(mean) * np.log(2 * np.pi) + np.log(np.diag(factor)).sum()
            if peak > level:
                found.append((factor, factor @ mean, np.sqrt(2 * (peak - level)), label))
    return found


def best_length(explainer, x, level, rules):
    """Shortest of all chains through all sequences of sets that end in answers of class 1."""
    norm, n = 1, len(x)
    found = ellipsoids(explainer, level)
    F = np.stack([item[0] for item in found])
    sets = Ellipsoids(
        F, np.einsum("jqa,jqb->jab", F, F), np.stack([item[1] for item in found]), np.array([item[2] for item in found])
    )
    ground = Ground(norm, rules["lower"], rules["upper"], np.empty((0, n)), np.empty(0), rules["direction"])
    normal, offset = -explainer.model.coef_, explainer.model.intercept_
    threshold = explainer.densities_[1].log_threshold_
    share = next(components(explainer, 1))[0] - np.log(explainer.densities_[1].mixture_.weights_[0])
    # answers: half-space of the model within a cone of class 1, in a set of the level (its own, or another's)
    cones = [item for item in ellipsoids(explainer, threshold + share) if item[3] == 1]
    best = np.inf
    for g_factor, g_centre, g_radius, _ in cones:
        for t in range(1, len(found) + 1):
            for sequence in itertools.permutations(range(len(found)), t):
                if np.linalg.norm(sets.factors[sequence[0]] @ x - sets.centres[sequence[0]]) > sets.radii[sequence[0]]:
                    continue
                own = next((j for j, item in enumerate(found) if np.array_equal(item[1], g_centre)), None)
                if sequence[-1] != own:
                    continue
                terminal = Terminal(own, g_factor, g_factor.T @ g_factor, g_centre, g_radius, normal, offset)
                value = reference(ground, x, sets, list(sequence), terminal)
                best = min(best, value) if np.isfinite(value) else best
    return best


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_paths_are_the_best_of_all_sequences(seed, ruled):
    n = 2 + seed % 2
    X, y = made_up(seed, n)
    model = LogisticRegression().fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=2)
    explainer = ew.Explainer(model, density=density, threshold=0.3).fit(X, y)
    rng = np.random.default_rng(seed)
    land = explainer.fitted_.landscape()
    n_compared = 0
    for i in rng.permutation(np.flatnonzero(model.predict(X) == 0))[:4]:
        x = X[i]
        level = min(land.log_max(x[None])[0], land.level(0.2)) - 0.05
        constraints, rules = None, {"lower": np.full(n, -np.inf), "upper": np.full(n, np.inf), "direction": np.zeros(n)}
        if ruled:
            high = float(max(x[1], np.quantile(X[:, 1], 0.9)))
            constraints = ew.Constraints(monotone={"x0": "increase"}, bounds={"x1": (None, high)})
            rules["direction"][0], rules["upper"][1], rules["lower"][0] = 1.0, high, x[0]
        path = explainer.path(x, 1, level=ew.LogDensity(level), constraints=constraints)
        best = best_length(explainer, x, path.log_level, rules)
        if np.isinf(best):
            assert path.status == "infeasible"
            continue
        n_compared += 1
        assert path.status in ("optimal", "feasible")
        assert path.lower_bound <= best * (1 + 1e-6) + 1e-7
        assert path.length >= best * (1 - 1e-6) - 1e-7
        assert path.length == pytest.approx(best, rel=1e-5, abs=1e-6)
        assert path.status == "optimal"
    assert n_compared or ruled
