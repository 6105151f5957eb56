"""Answers that outlive the model: the cone of a logistic regression, and bootstraps of others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import elsewise as ew


def table(n=379):
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order][:n], y[order][:n], X[order][n:]


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def test_refits_agree_with_answers_as_often_as_asked():
    X, y, others = table()
    model = logistic().fit(X, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(1 / X.std(axis=0)), rules=None).fit(X, y)
    rows = others[model.predict(others) == 0][:15]
    plain = explainer.explain(rows, 1)
    lasting = explainer.explain(rows, 1, other_models=ew.refits(model, X, y, 1, agreement=0.975))
    assert set(lasting.statuses.tolist()) == {"optimal"}
    assert (lasting.distances > plain.distances).all()
    rng = np.random.default_rng(1)
    shares = []
    for answers in (plain, lasting):
        agreed = []
        for _ in range(20):
            chosen = rng.integers(0, len(X), len(X))
            agreed.append(logistic().fit(X[chosen], y[chosen]).predict(answers.counterfactuals) == 1)
        shares.append(np.mean(agreed))
    assert shares[0] < 0.6
    assert shares[1] > 0.95


@pytest.mark.parametrize("target", [0, 1])
def test_the_cone_is_met_at_its_nearest_point(target):
    X, y, _ = table(200)
    X = StandardScaler().fit_transform(X[:, :3])
    model = LogisticRegression().fit(X, y)
    [(robust, wanted)] = ew.refits(model, X, y, target)
    assert wanted == target
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False, rules=None).fit(X, y)
    rows = X[model.predict(X) != target][:4]
    answers = explainer.explain(rows, target, other_models=[(robust, target)])
    assert set(answers.statuses.tolist()) == {"optimal"}
    assert (robust.predict(answers.counterfactuals) == target).all()
    inside = X[robust.predict(X) == target][0]
    for row, distance in zip(rows, answers.distances):
        best = minimize(  # ups and downs of each column, none negative
            lambda moves: moves.sum(),
            np.concatenate([np.maximum(inside - row, 0.0), np.maximum(row - inside, 0.0)]),
            bounds=[(0, None)] * 6,
            constraints={
                "type": "ineq",
                "fun": lambda moves, row=row: -robust.cone(target).values((row + moves[:3] - moves[3:])[None])[0][0],
            },
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        assert best.success
        np.testing.assert_allclose(distance, best.fun, rtol=1e-4)


def test_other_models_are_trained_again():
    X, y, _ = table(120)
    X = X[:, :4]
    model = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    made = ew.refits(model, X, y, 1, agreement=0.6)
    assert len(made) == 12
    assert len({tuple(one.predict(X)) for one, _ in made}) > 1
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    answers = explainer.explain(X[model.predict(X) == 0][:3], 1, other_models=made)
    assert answers.found.all()
    assert all((one.predict(answers.counterfactuals) == 1).all() for one, _ in made)


def test_what_is_refused():
    X, y, _ = table(100)
    X = X[:, :2]
    model = LogisticRegression(max_iter=1000).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="agreement: expected a share"):
        ew.refits(model, X, y, 1, agreement=0.4)
    with pytest.raises(ew.InvalidInputError, match="as many labels as rows"):
        ew.refits(model, X, y[:5], 1)
    with pytest.raises(ew.InvalidInputError, match=r"expected one of \[0, 1\], received 7"):
        ew.refits(model, X, y, 7)
    with pytest.raises(ew.InvalidInputError, match="robust_to: expected 'retraining' or None"):
        ew.Explainer(model, robust_to="drift").fit(X, y)
    line = LinearRegression().fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="expected the labels y"):
        ew.Explainer(line, robust_to="retraining").fit(X)


def test_robust_to_retraining_is_what_refits_are():
    X, y, others = table(200)
    X, others = X[:, :4], others[:, :4]
    model = logistic().fit(X, y)
    plain = ew.Explainer(model, density=None, rules=None).fit(X, y)
    lasting = ew.Explainer(model, density=None, rules=None, robust_to="retraining").fit(X, y)
    answers = lasting.explain(others[:12])  # each row the other label
    assert set(model.predict(others[:12]).tolist()) == {0, 1}
    assert set(answers.statuses.tolist()) == {"optimal"}
    for target in (0, 1):
        rows = others[:12][model.predict(others[:12]) != target]
        same = plain.explain(rows, target, other_models=ew.refits(model, X, y, target))
        np.testing.assert_allclose(answers.distances[model.predict(others[:12]) != target], same.distances, rtol=1e-9)
        assert (same.distances > plain.explain(rows, target).distances).all()
        [(robust, _)] = ew.refits(model, X, y, target)
        assert (robust.predict(same.counterfactuals) == target).all()


def test_robust_to_retraining_of_a_regressor(tmp_path):
    X, y, others = table(120)
    X, y, others = X[:, 1:4], X[:, 0], others[:, 1:4]
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None, robust_to="retraining").fit(X, y)
    answers = explainer.explain(others[:3], (15.0, None))
    rng = np.random.default_rng(1)
    chosen = [rng.integers(0, len(X), len(X)) for _ in range(40)]
    agreed = [DecisionTreeRegressor(max_depth=3, random_state=0).fit(X[c], y[c]) for c in chosen]
    assert answers.found.all()
    assert np.mean([one.predict(answers.counterfactuals) >= 15.0 for one in agreed]) > 0.9
    explainer.save(tmp_path / "explainer.elsewise")
    again = ew.load(tmp_path / "explainer.elsewise").explain(others[:3], (15.0, None))
    assert (again.counterfactuals == answers.counterfactuals).all()
