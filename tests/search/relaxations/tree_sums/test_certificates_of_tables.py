"""Certificates of tables: categories that models take as they are, with and without a density, and steps."""

from __future__ import annotations

import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from elsewise.search.relaxations.tree_sums.certificates import Recorder
from elsewise.search.relaxations.tree_sums.cover import EnsembleCover
from search.relaxations.tree_sums.certificate_checker import Checker, is_refuted
from search.relaxations.tree_sums.certificate_view import View, require
from search.relaxations.tree_sums.model_reading import read
from search.relaxations.tree_sums.small_ensembles import classifier

WITH_CATEGORIES = ["histograms", "xgboost", "lightgbm"]
LEVELS = (("a", "b", "c", "d", "e"), ("north", "south", "west"))


def table(seed, n=240):
    """Two numbers, a whole one and two categories, with labels."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, len(levels), n) for levels in LEVELS]
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "size": rng.normal(size=n), "wealth": rng.normal(size=n)})
    for name, code, levels in zip(("kind", "place"), codes, LEVELS):
        frame[name] = pd.Categorical.from_codes(code, list(levels))
    worth = rng.normal(size=5)[codes[0]] + (codes[1] == 1) + frame["size"] + frame.wealth / 2 + frame.age / 20
    worth += rng.normal(size=n) / 2
    return frame, (worth > worth.median()).astype(int)


def fitted(name, seed, n_trees=10, depth=3):
    """A table, and a classifier of it that takes its categories as they are."""
    frame, y = table(seed)
    model = classifier(name, seed, n_trees=n_trees, depth=depth)
    if name == "histograms":
        model.set_params(categorical_features="from_dtype")
    elif name == "xgboost":
        model.set_params(enable_categorical=True, max_cat_to_onehot=1 + 4 * (seed % 2))
    else:
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2, cat_smooth=1.0)
    return model.fit(frame, y), frame, y


def view_of(frame, n_features):
    """What the model sees: numbers as they are, in their columns, and codes of levels, missing ones last."""
    n_missing = n_features - 3 - sum(len(levels) for levels in LEVELS)
    codes, feature = {}, 3
    for column, levels in enumerate(LEVELS, 3):
        seen = [float(code) for code in range(len(levels))] + [np.nan] * (n_missing // len(LEVELS))
        for code in seen:
            codes[feature] = (column, code)
            feature += 1
    assert feature == n_features
    return View(codes=codes)


def cones_of(density, n_numbers):
    """Precision, mean, squared radius and penalties of every component that reaches the threshold anywhere."""
    mixture, found = density.mixture_, []
    for k, weight in enumerate(mixture.weights_):
        factor = mixture.precisions_cholesky_[k].T
        peak = np.log(weight) + np.log(np.diag(factor)).sum() - n_numbers / 2 * np.log(2 * np.pi)
        levels = [-2 * of_category[k] for of_category in mixture.log_probabilities_]
        penalties = np.concatenate([np.zeros(n_numbers), *levels])
        found.append((factor.T @ factor, mixture.means_[k], 2 * (peak - density.log_threshold_), penalties))
    return found


def certified(monkeypatch, model, explainer, rows, view, **options):
    """Explain rows of a table for class 1; give the answers, and all certificates with a checker of each."""
    recorder = Recorder()
    monkeypatch.setattr(EnsembleCover, "recorder", recorder)
    answers = explainer.explain(rows, 1, **options)
    monkeypatch.setattr(EnsembleCover, "recorder", None)
    reading, n_numbers = read(model), sum(dtype != "category" for dtype in rows.dtypes)
    cones = cones_of(explainer.densities_[1], n_numbers) if explainer.densities_ else []

    def predict(point):
        values = {rows.columns[f]: [view.number(f, float(point[0, f]))] for f in range(n_numbers)}
        for f, (column, code) in view.codes.items():
            if point[0, f] == 1:
                name = rows.columns[column]
                values[name] = pd.Categorical.from_codes([int(code)], dtype=rows[name].dtype)
        return bool(model.predict(pd.DataFrame(values)[list(rows.columns)])[0] == 1)

    def checker(one):
        # two indicators change where a level does
        steps = [2.0 if f in view.codes else float(view.steps.get(f, 1)) for f in range(len(one.price))]
        require(np.allclose(one.price, explainer.distance_.weights * steps, rtol=1e-12), "prices of another distance")
        centre = None if one.cone is None else one.row[:n_numbers] + one.cone.centre / one.price[:n_numbers]
        cone = min(cones, key=lambda each: np.abs(each[1] - centre).max()) if centre is not None else None
        return Checker(one, reading, 1, predict, cone, view)

    return answers, recorder.certificates, checker


@pytest.mark.parametrize("name", WITH_CATEGORIES)
@pytest.mark.parametrize("seed", range(4))
def test_categories_that_models_take_as_they_are(monkeypatch, name, seed):
    model, frame, y = fitted(name, seed)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) != 1][:8]
    rules = ew.Constraints(min_change="any", step="any", immutable=["age", "size"] if seed % 2 else [])
    view = view_of(frame, len(explainer.distance_.weights))
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, view, constraints=rules)
    assert set(answers.statuses) <= {"optimal", "infeasible"}
    assert len(certificates) >= len(rows)
    assert sum(checker(one).check() for one in certificates) >= len(rows) // 2
    assert {3} <= {node[1] for tree in read(model).trees for node in tree if node[0] == "split"}
    changed = answers.counterfactuals[["kind", "place"]].astype(str) != rows[["kind", "place"]].astype(str)
    assert changed.any(axis=None) or not seed % 2, "no level ever changes"


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("name", WITH_CATEGORIES)
@pytest.mark.parametrize("seed", range(2))
def test_categories_with_a_density(monkeypatch, name, seed, n_components):
    model, frame, y = fitted(name, seed, n_trees=8)
    density = ew.MixedMixtureDensity(n_components=n_components, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.5, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) != 1][:8]
    view = view_of(frame, len(explainer.distance_.weights))
    rules = ew.Constraints(min_change="any", step="any")
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, view, constraints=rules)
    assert set(answers.statuses) == {"optimal"}
    assert certificates
    assert all(one.cone is not None and one.cone.penalties.any() for one in certificates)
    assert sum(checker(one).check() for one in certificates) > len(certificates)


def whole_table(seed, n=150):
    """Whole numbers, with labels of three classes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 9, (n, 4)), columns=["a", "b", "c", "d"])
    return frame, np.digitize(frame.sum(axis=1) + 2 * (frame.a == 3) + rng.normal(size=n), [14, 18])


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0, 1.0), (0.5, 1.5, 0.25, 0.25), (1.0, 1.0, 1.0, np.sqrt(2))])
@pytest.mark.parametrize("name", ["forest", "extra trees", "histograms", "xgboost", "lightgbm"])
@pytest.mark.parametrize("seed", range(2))
def test_distances_that_go_in_steps(monkeypatch, name, seed, weights):
    frame, y = whole_table(seed)
    model = classifier(name, seed, n_trees=12, depth=4).fit(frame, y)
    distance = ew.Manhattan(np.array(weights))
    explainer = ew.Explainer(model, density=None, distance=distance, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) != 1][:6]
    rules = ew.Constraints(min_change="any", step="any")
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, View(), constraints=rules)
    assert set(answers.statuses) == {"optimal"}
    shown = [checker(one) for one in certificates]
    assert any(each.bound < 0.9 * each.given.lower_bound for each in shown), "no distance goes in steps"
    for each in shown:
        each.check()


def test_steps_are_what_the_search_relies_on(monkeypatch):
    frame, y = whole_table(0)
    model = classifier("forest", 0, n_trees=40, depth=5).fit(frame, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(np.ones(4)), learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) != 1][:12]
    _, certificates, checker = certified(monkeypatch, model, explainer, rows, View())
    for one in certificates:
        checker(one).check()
    monkeypatch.setattr(Checker, "least_to_show", lambda self: self.bound)
    assert any(is_refuted(checker, one) for one in certificates)


@pytest.mark.parametrize("name", ["forest", "histograms", "xgboost", "lightgbm"])
@pytest.mark.parametrize("seed", range(2))
def test_numbers_that_move_in_steps(monkeypatch, name, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"rate": 0.05 * rng.integers(0, 60, 200), "income": 500.0 * rng.integers(1, 99, 200)})
    frame["rate"] = frame.rate.round(2)
    frame["free"] = rng.normal(size=200)
    frame.loc[:2, "rate"] += 0.013  # may stay as they are
    y = (frame.rate + frame.income / 2e4 + np.abs(frame.free) + rng.normal(size=200) / 3 > 3.5).astype(int)
    model = classifier(name, seed, n_trees=12, depth=3).fit(frame, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    rows = frame[model.predict(frame) != 1][:8]
    view = View(steps={0: Fraction("0.05"), 1: Fraction(500)})
    rules = ew.Constraints(min_change="any", step={"rate": 0.05, "income": 500, "free": None})
    answers, certificates, checker = certified(monkeypatch, model, explainer, rows, view, constraints=rules)
    assert set(answers.statuses) == {"optimal"}
    assert len(certificates) >= len(rows)
    for one in certificates:
        assert one.integer[:2].all()
        checker(one).check()


@pytest.fixture(params=["categories", "categories with a density", "steps"])
def proof(monkeypatch, request):
    """Certificates of several boxes, and how to check them."""
    if request.param == "steps":
        frame, y = whole_table(3)
        model = classifier("forest", 1, n_trees=25, depth=5).fit(frame, y)
        settings, view = {"density": None, "distance": ew.Manhattan(np.ones(4))}, View()
    else:
        model, frame, y = fitted("lightgbm", 1, n_trees=25, depth=4)
        density = ew.MixedMixtureDensity(n_components=1, random_state=0) if "density" in request.param else None
        settings, view = {"density": density}, None
    explainer = ew.Explainer(model, learn_rules=False, **settings).fit(frame, y)
    view = view or view_of(frame, len(explainer.distance_.weights))
    rows = frame[model.predict(frame) != 1][:12]
    rules = ew.Constraints(min_change="any", step="any")
    _, certificates, checker = certified(monkeypatch, model, explainer, rows, view, constraints=rules)
    largest = [one for one in certificates if one.point is not None and len(one.boxes) > 2]
    assert len(largest) > 0
    return largest, checker


def with_dual(proof, change):
    """The same with other dual points."""
    boxes = copy.deepcopy(proof.boxes)
    for box in boxes.values():
        for step in box.steps:
            step.dual = change(step.dual)
    return replace(proof, boxes=boxes)


def with_other_prices(proof):
    return with_dual(proof, lambda dual: replace(dual, mu=dual.mu / 4))


def with_other_messages(proof):
    return with_dual(proof, lambda dual: replace(dual, theta=dual.theta[::-1].copy()))


def with_a_smaller_box(proof):
    proof = copy.deepcopy(proof)
    first = next(box for box in proof.boxes.values() if box.parent == -1)
    at_answer = proof.point[proof.feature]
    first.cells[(proof.low <= at_answer) & (at_answer <= proof.high)] = False
    return proof


def with_cheaper_features(proof):
    return replace(proof, price=proof.price * 0.9)


def with_larger_bound(proof):
    return replace(proof, lower_bound=proof.lower_bound * 1.01, value=np.inf, point=None)


TAMPERED = [with_other_prices, with_other_messages, with_a_smaller_box, with_cheaper_features, with_larger_bound]


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_a_tampered_certificate_is_refuted(proof, tamper):
    # boxes may be too far away for another reason than a dual point: its numbers do not matter then
    given, checker = proof
    for one in given:
        checker(one).check()
    refuted = sum(is_refuted(checker, tamper(one)) for one in given)
    assert refuted > 0
    assert refuted == len(given) or tamper in (with_other_messages, with_other_prices)
