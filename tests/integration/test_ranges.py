"""Numbers stay in the range of the training rows: the same answers as with bounds that say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew


def table(load) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


def bounds_of(frame: pd.DataFrame, row: pd.Series) -> dict[str, tuple[float, float]]:
    return {name: (min(frame[name].min(), row[name]), max(frame[name].max(), row[name])) for name in frame}


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)], ids=["free", "dense"])
@pytest.mark.parametrize("model", ["logistic", "forest"])
def test_answers_are_those_under_bounds(model, density):
    X, y = table(load_wine)
    X = X.iloc[:, :6]
    made = make_pipeline(StandardScaler(), LogisticRegression()) if model == "logistic" else RandomForestClassifier(
        10, max_depth=3, random_state=0
    )  # fmt: skip
    made.fit(X, y)
    train, labels = X.iloc[::2], y[::2]  # half of the rows: the others leave its range
    explainer = ew.Explainer(made, density=density).fit(train, labels)
    plain = ew.Explainer(made, density=density, learn_rules=False).fit(train, labels)
    rows = X.iloc[1::16].copy()
    rows.iloc[0, 0] = train.iloc[:, 0].max() + 2.0
    answers = explainer.explain(rows, 2, constraints=ew.Constraints(min_change="any"))
    left = 0
    for place in range(len(rows)):
        row = rows.iloc[[place]]
        bounds = bounds_of(train, row.iloc[0])
        rules = ew.Constraints(bounds=bounds, step=explainer.steps_)
        expected = plain.explain(row, 2, constraints=rules)[0]
        assert answers[place].status == expected.status == "optimal"
        assert answers[place].distance == pytest.approx(expected.distance, rel=1e-6)
        free = plain.explain(row, 2)[0].counterfactual
        left += any(not low <= free[name] <= high for name, (low, high) in bounds.items())
        found = answers[place].counterfactual
        assert all(low <= found[name] <= high for name, (low, high) in bounds.items())
    assert left > 0 or model == "forest" or density is not None  # otherwise nothing was put to the test


def test_bounds_widen_the_range_on_their_side():
    X, y = table(load_iris)
    name = X.columns[2]
    model = LogisticRegression(max_iter=1000).fit(X, y)
    is_short = X[name] < 6.0
    X, y = X[is_short], y[is_short]
    explainer = ew.Explainer(model, density=None).fit(X, y)
    low, high = X[name].min(), X[name].max()
    row = X.iloc[[0]]
    fixed = {"immutable": [other for other in X if other != name]}
    explain = lambda **rules: explainer.explain(row, 2, constraints=ew.Constraints(**fixed, **rules))[0]  # noqa: E731
    needed = explain(range="any").counterfactual[name]
    assert needed > high  # the answer without the range leaves it
    assert explain().status == "infeasible"
    assert explain(bounds={name: (None, needed + 1.0)}).counterfactual[name] == pytest.approx(needed, rel=1e-6)
    assert explain(bounds={name: (low - 1.0, None)}).status == "infeasible"
    assert explain(range=[X.columns[0]]).counterfactual[name] == pytest.approx(needed, rel=1e-6)
    why = explainer.why_not(row.iloc[0], 2, ew.Constraints(**fixed))
    assert f"{name} stays in the range of the training rows ({low:g} to {high:g})" in why.conflict


def test_arrays_stay_in_the_range_too():
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(max_iter=300, C=0.01).fit(X[:600], y[:600])
    plain, taught = (
        ew.Explainer(model, density=None, distance="manhattan", learn_rules=rules).fit(X[:600], y[:600])
        for rules in (False, True)
    )
    rows = X[600:][model.predict(X[600:]) != 2][:40]
    low, high = np.minimum(X[:600].min(axis=0), rows), np.maximum(X[:600].max(axis=0), rows)
    free, kept = plain.explain(rows, 2), taught.explain(rows, 2)
    assert (kept.statuses == "optimal").all()
    assert ((low <= kept.counterfactuals) & (kept.counterfactuals <= high)).all()
    leaves = ((free.counterfactuals < low) | (free.counterfactuals > high)).any(axis=1)
    assert 5 < leaves.sum() < 40
    assert (kept.distances >= free.distances * (1 - 1e-9)).all()
    np.testing.assert_allclose(kept.distances[~leaves], free.distances[~leaves], rtol=1e-6)
    any_range = taught.explain(rows, 2, constraints=ew.Constraints(range="any"))
    np.testing.assert_array_equal(any_range.counterfactuals, free.counterfactuals)
    bounds = ew.Constraints(
        range="any", bounds={f"x{k}": (a, b) for k, (a, b) in enumerate(zip(X[:600].min(0), X[:600].max(0)))}
    )
    np.testing.assert_allclose(plain.explain(rows, 2, constraints=bounds).distances, kept.distances, rtol=1e-6)


@pytest.mark.parametrize(
    ("rules", "match"),
    [
        ({"range": "some"}, r"range: expected 'training', 'any' or a list"),
        ({"range": 3}, r"range: expected 'training', 'any' or a list"),
        ({"unseen": "no"}, r"unseen: expected 'forbid' or 'allow', received 'no'"),
        ({"codes": "go"}, r"codes: expected 'change' or 'stay', received 'go'"),
    ],
)
def test_malformed_settings_are_refused(rules, match):
    with pytest.raises(ew.InvalidInputError, match=match):
        ew.Constraints(**rules)


def test_an_unknown_column_is_refused():
    X, y = table(load_iris)
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match=r"range: 'petal' is no column"):
        explainer.explain(X[:1], 2, constraints=ew.Constraints(range=["petal"]))


def test_settings_survive_a_file():
    rules = ew.Constraints(range=["a"], unseen="allow", codes="change", implies={"a == 1": "b > 2"})
    assert ew.Constraints.from_mapping(rules.to_mapping()) == rules
