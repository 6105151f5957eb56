"""Certificates of densities whose columns go together: diagonals that follow the spread, columns cut off."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import elsewise as ew
from search.relaxations.tree_sums.certificate_view import RefutedError
from search.relaxations.tree_sums.small_ensembles import classifier
from search.relaxations.tree_sums.test_certificates import certified


def correlated_numbers(seed, n_features=5, n=200):
    """Rows whose columns are nearly the same two numbers, with labels that ask for their differences."""
    rng = np.random.default_rng(seed)
    both = rng.normal(size=(n, 2)) @ rng.normal(size=(2, n_features))
    X = both + 0.25 * rng.normal(size=(n, n_features))
    return X, (X[:, 0] + np.abs(X[:, 1]) - X[:, 2] + 0.3 * rng.normal(size=n) > 0.5).astype(int)


@pytest.fixture
def proofs(monkeypatch):
    """Certificates of rows in one cone, interrupted early so that columns are cut off, and how to check them."""
    monkeypatch.setattr("elsewise.search.relaxations.tree_sums.inside_search.BOXES_AT_FIRST", 2)
    X, y = correlated_numbers(0)
    model = classifier("forest", 0, n_trees=12, depth=3).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=1, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=ew.TrainingQuantile(0.5)).fit(X, y)
    answers, certificates, checker = certified(monkeypatch, model, explainer, X[model.predict(X) != 1][:6], 1)
    assert set(answers.statuses) == {"optimal"}
    return certificates, checker


def with_dual(certificate, change):
    """The same certificate with other dual points."""
    boxes = copy.deepcopy(certificate.boxes)
    for box in boxes.values():
        for step in box.steps:
            step.dual = change(step.dual)
    return replace(certificate, boxes=boxes)


def test_they_hold(proofs):
    certificates, checker = proofs
    assert sum(checker(one).check() for one in certificates) > len(certificates)
    diagonals = [step.dual.diagonal for one in certificates for box in one.boxes.values() for step in box.steps]
    assert any((diagonal < 0).any() for diagonal in diagonals)
    assert len({diagonal.tobytes() for diagonal in diagonals}) > len(certificates)
    assert any(one.cuts for one in certificates)


def test_a_diagonal_that_is_too_large_is_refuted(proofs):
    certificates, checker = proofs
    one = max(certificates, key=lambda each: sum(len(box.steps) for box in each.boxes.values()))
    precision = np.diag(one.cone.factor.T @ one.cone.factor)
    wrong = with_dual(one, lambda dual: replace(dual, diagonal=dual.diagonal + precision))
    with pytest.raises(RefutedError, match="diagonal is too large"):
        checker(wrong).check()


def test_a_cut_that_goes_too_far_is_refuted(proofs):
    certificates, checker = proofs
    one = next(each for each in certificates if each.cuts and each.point is not None)
    last = max(one.cuts, key=lambda cut: cut.side)
    inside = replace(last, end=float(one.point[last.feature]) - 1e-3 * last.side)
    with pytest.raises(RefutedError, match="cut off that is near"):
        checker(replace(one, cuts=[*one.cuts, inside], lower_bound=one.lower_bound * (1 + 1e-3))).check()


@pytest.mark.parametrize("name", ["forest", "boosting", "xgboost", "lightgbm"])
def test_answers_are_the_same_as_without_cuts(monkeypatch, name):
    X, y = correlated_numbers(1)
    model = classifier(name, 0, n_trees=12, depth=3).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.4).fit(X, y)
    rows = X[model.predict(X) != 1][:8]
    plain = explainer.explain(rows, 1)
    monkeypatch.setattr("elsewise.search.relaxations.tree_sums.inside_search.BOXES_AT_FIRST", 2)
    early = explainer.explain(rows, 1)
    assert set(plain.statuses) | set(early.statuses) == {"optimal"}
    assert early.distances == pytest.approx(plain.distances, rel=1e-6)
