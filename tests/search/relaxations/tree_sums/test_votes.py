"""Forests of pure leaves: votes tie, and ties are not answers. Against all cells."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import elsewise as ew
from elsewise.models import Label, region_of
from search.relaxations.tree_sums.small_ensembles import nearest_of_numbers, numbers


def assert_nearest(model, X, y, target, n_rows=6):
    """Answers are those of a list of all cells; says how many rows there were."""
    explainer = ew.Explainer(model, density=None).fit(X, y)
    cuts = region_of(model, Label(target)).trees.cuts()
    rows = X[model.predict(X) != target][:n_rows]
    for row, answer in zip(rows, explainer.explain(rows, target)):
        wanted = nearest_of_numbers(cuts, row, explainer.distance_.weights, lambda Z: model.predict(Z) == target)
        assert answer.status == ("optimal" if np.isfinite(wanted.distance) else "infeasible")
        if answer.status == "optimal":
            np.testing.assert_allclose(answer.distance, wanted.distance, rtol=1e-9, atol=1e-12)
            assert answer.lower_bound <= wanted.distance * (1 + 1e-12)
    return len(rows)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_pure_leaves_with_ties(seed, n_classes):
    X, y, _ = numbers(seed, n_classes, n=40)
    model = RandomForestClassifier(2 * (1 + seed % 3), random_state=seed).fit(X, y)
    ties = np.sort(model.predict_proba(X + X.std(axis=0) * 0.3), axis=1)
    assert (ties[:, -1] == ties[:, -2]).any()  # or there is nothing to be wrong about
    assert sum(assert_nearest(model, X, y, target) for target in range(n_classes)) > 0


@pytest.mark.parametrize("seed", range(8))
def test_shares_of_thirds_and_votes(seed):
    # sums of thirds that are equal are not so to the last bit: rounding decides, and `predict` is asked
    X, y, _ = numbers(seed, 2, n=24)
    model = ExtraTreesClassifier(4 + seed % 3, min_samples_leaf=3, random_state=seed).fit(X, y)
    assert sum(assert_nearest(model, X, y, target) for target in (0, 1)) > 0


def test_ties_need_few_boxes():
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    explainer = ew.Explainer(model, density=None).fit(X[::2], y[::2])
    rows = X[1::2][model.predict(X[1::2]) == 0][:12]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert max(answer.n_projections for answer in answers) < 1000  # several thousand if ties were gone through
