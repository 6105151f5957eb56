"""Certificates of whole searches, checked by a slow and simple program that shares nothing with the search."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import elsewise as ew
from elsewise.search.relaxations.tree_sums.certificates import OPEN, Recorder
from elsewise.search.relaxations.tree_sums.cover import EnsembleCover
from search.relaxations.tree_sums.certificate_checker import Checker
from search.relaxations.tree_sums.certificate_view import RefutedError
from search.relaxations.tree_sums.model_reading import read
from search.relaxations.tree_sums.small_ensembles import classifier, numbers

LIBRARIES = ["forest", "extra trees", "boosting", "histograms", "xgboost", "lightgbm"]


def wide_numbers(seed, n_features=6, n=200):
    """Rows of several numbers, with labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) @ (np.eye(n_features) + rng.normal(size=(n_features, n_features)) / 3)
    return X, (X.sum(axis=1) + np.abs(X[:, 0]) + rng.normal(size=n) > 0.5).astype(int)


def cones_of(density, n):
    """Precision, mean and squared radius of every component that reaches the threshold anywhere."""
    mixture, found = density.mixture_, []
    for k in range(len(mixture.weights_)):
        factor = mixture.precisions_cholesky_[k].T
        constant = np.log(mixture.weights_[k]) + np.log(np.diag(factor)).sum() - n / 2 * np.log(2 * np.pi)
        if constant >= density.log_threshold_:
            found.append((factor.T @ factor, mixture.means_[k], 2 * (constant - density.log_threshold_), np.zeros(n)))
    return found


def cone_of(certificate, cones):
    """The cone that a certificate is about: that of its centre."""
    centre = certificate.row + certificate.cone.centre / certificate.price
    return min(cones, key=lambda cone: np.abs((cone[1] - centre) * certificate.price).max())


def certified(monkeypatch, model, explainer, rows, target, **options):
    """Explain rows; give the answers, and all certificates with a checker of each."""
    recorder = Recorder()
    monkeypatch.setattr(EnsembleCover, "recorder", recorder)
    answers = explainer.explain(rows, target, **options)
    monkeypatch.setattr(EnsembleCover, "recorder", None)
    reading, wanted = read(model), lambda point: bool(model.predict(point)[0] == target)
    cones = cones_of(explainer.densities_[target], rows.shape[1]) if explainer.densities_ else None

    def checker(certificate):
        cone = None if certificate.cone is None else cone_of(certificate, cones)
        return Checker(certificate, reading, list(model.classes_).index(target), wanted, cone)

    return answers, recorder.certificates, checker


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(6))
def test_small_ensembles_of_several_classes(monkeypatch, name, seed):
    X, y, _ = numbers(seed, 3 if seed % 2 else 2)
    model = classifier(name, seed, n_trees=6).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) != 1][:8]
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, 1)
    assert len(certificates) >= len(rows)
    for certificate in certificates:
        checker(certificate).check()
    for row, answer in zip(rows, answers):
        own = [one for one in certificates if (one.row == row * 1.0).all()]
        assert own, "a row without a certificate"
        assert answer.lower_bound <= max(one.lower_bound for one in own) * (1 + 1e-12)


@pytest.mark.parametrize("name", LIBRARIES)
def test_medium_ensembles(monkeypatch, name):
    X, y = wide_numbers(1)
    model = classifier(name, 0, n_trees=20, depth=3).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    _, certificates, checker = certified(monkeypatch, model, explainer, X[model.predict(X) != 1][:5], 1)
    assert sum(checker(certificate).check() for certificate in certificates) >= len(certificates)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("name", LIBRARIES)
def test_with_a_density(monkeypatch, name, n_components):
    X, y = wide_numbers(n_components, 4)
    model = classifier(name, 0, n_trees=8, depth=2).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=n_components, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.3).fit(X, y)
    answers, certificates, checker = certified(monkeypatch, model, explainer, X[model.predict(X) != 1][:5], 1)
    assert certificates
    assert set(answers.statuses) == {"optimal"}
    for certificate in certificates:
        checker(certificate).check()


def levels_and_numbers(seed, n=250, n_levels=4):
    """Two numbers and the indicators of two categories, with labels."""
    rng = np.random.default_rng(seed)
    levels = [rng.integers(0, n_levels, n) for _ in range(2)]
    X = np.column_stack([4 * rng.normal(size=(n, 2)), *(np.eye(n_levels)[of] for of in levels)])
    worth = X[:, 0] / 4 + np.sin(X[:, 1] / 2) + rng.normal(size=n_levels)[levels[0]] + 1.5 * (levels[1] == 2)
    columns = {
        f"c{place}": ew.OneHot(columns=[f"x{2 + n_levels * place + k}" for k in range(n_levels)]) for place in (0, 1)
    }
    return X, (worth + 0.3 * rng.normal(size=n) > 0.4).astype(int), columns


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(4))
def test_categories(monkeypatch, name, seed):
    X, y, columns = levels_and_numbers(seed)
    model = classifier(name, seed, n_trees=12, depth=3).fit(X, y)
    explainer = ew.Explainer(model, density=None, columns=columns).fit(X, y)
    rows = X[model.predict(X) != 1][:8]
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, 1)
    assert len(certificates) >= len(rows)
    assert set(answers.statuses) == {"optimal"}
    assert (answers.counterfactuals[:, 2:] != rows[:, 2:]).any(), "no level ever changes"
    for certificate in certificates:
        checker(certificate).check()


RULES = [
    {"immutable": ["x0"]},
    {"bounds": {"x0": (-4.0, 1.0), "x1": (None, 4.0)}},
    {"monotone": {"x1": "increase"}, "immutable": ["c1"]},
    {"immutable": ["c0", "x1"]},
]


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("rules", RULES)
def test_simple_rules(monkeypatch, name, rules):
    X, y, columns = levels_and_numbers(7)
    model = classifier(name, 3, n_trees=12, depth=3).fit(X, y)
    explainer = ew.Explainer(model, density=None, columns=columns).fit(X, y)
    inside = (X[:, 0] > -4) & (X[:, 0] < 1) & (X[:, 1] < 4)
    rows = X[(model.predict(X) != 1) & inside][:6]
    answers, certificates, checker = certified(
        monkeypatch, model, explainer, rows, 1, constraints=ew.Constraints(**rules)
    )
    assert len(certificates) >= len(rows)
    assert set(answers.statuses) <= {"optimal", "infeasible"}
    for certificate in certificates:
        checker(certificate).check()


def test_a_search_that_was_stopped_proves_what_it_says(monkeypatch):
    X, y = wide_numbers(3, 8)
    model = classifier("forest", 0, n_trees=30, depth=4).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) != 1][:4]
    monkeypatch.setattr("elsewise.search.relaxations.tree_sums.deepening.MOST_BOXES", 3)
    _, certificates, checker = certified(monkeypatch, model, explainer, rows, 1)
    assert any(one.lower_bound < one.value * (1 - 1e-6) for one in certificates)
    for certificate in certificates:
        checker(certificate).check()


@pytest.fixture(params=["numbers", "categories"])
def proof(monkeypatch, request):
    """A certificate of several boxes, and how to check it."""
    X, y, columns = (*wide_numbers(5), None) if request.param == "numbers" else levels_and_numbers(5)
    model = classifier("forest", 1, n_trees=25, depth=4).fit(X, y)
    explainer = ew.Explainer(model, density=None, columns=columns).fit(X, y)
    _, certificates, checker = certified(monkeypatch, model, explainer, X[model.predict(X) != 1][:8], 1)
    largest = max(certificates, key=lambda one: len(one.boxes))
    assert len(largest.boxes) > 4
    return largest, checker


def without_a_box(proof):
    leaf = next(number for number, box in proof.boxes.items() if box.closed != OPEN)
    return replace(proof, boxes={number: box for number, box in proof.boxes.items() if number != leaf})


def with_larger_bound(proof):
    return replace(proof, lower_bound=proof.lower_bound * 1.01, value=proof.value * 1.01)


def with_larger_bound_alone(proof):
    return replace(proof, lower_bound=proof.lower_bound * 1.01, value=np.inf, point=None)


def with_a_cell_less(proof):
    proof = copy.deepcopy(proof)
    first = next(box for box in proof.boxes.values() if box.parent == -1)
    own = int(np.flatnonzero(proof.low[: proof.first_cell[1]] <= proof.row[0])[-1])
    first.cells[own] = False
    return proof


def with_other_messages(proof):
    proof = copy.deepcopy(proof)
    for box in proof.boxes.values():
        for step in box.steps:
            step.dual.theta[:] = 0.0
    return proof


def with_dead_leaves(proof):
    proof = copy.deepcopy(proof)
    step = next(step for box in proof.boxes.values() for step in box.steps if step.dead is not None)
    step.dead[:] = True
    return proof


def with_a_negative_weight(proof):
    proof = copy.deepcopy(proof)
    for box in proof.boxes.values():
        for step in box.steps:
            step.dual.pi[:] *= -1.0
    return proof


def with_wider_cells(proof):
    return replace(proof, high=np.where(np.isfinite(proof.high), proof.high + 1e-3, proof.high))


TAMPERED = [
    without_a_box,
    with_larger_bound,
    with_larger_bound_alone,
    with_a_cell_less,
    with_other_messages,
    with_dead_leaves,
    with_a_negative_weight,
    with_wider_cells,
]


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_a_tampered_certificate_is_refuted(proof, tamper):
    given, checker = proof
    checker(given).check()
    with pytest.raises(RefutedError):
        checker(tamper(given)).check()
