"""Rows whose nearest dense point lies on many bounds at once: rounding there must not cost them their answer."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

# Rows that ended "unknown", each with candidates up to 1e-6 short of the density asked for.
CASES = [
    (LogisticRegression(max_iter=5000), [2, 3, 8, 22, 32, 33, 45, 67]),
    (DecisionTreeClassifier(max_depth=7, random_state=0), [3, 28, 32, 81, 97, 142]),
]
# The widest margin that is kept from a boundary.
WIDEST = 1e-4


@pytest.mark.parametrize(("model", "places"), CASES, ids=["linear", "tree"])
def test_digits_within_their_ranges_are_answered(model, places):
    X, y = load_digits(return_X_y=True)
    train, rows, labels, _ = train_test_split(X, y, random_state=0, stratify=y)
    model.fit(train, labels)
    within = ew.Constraints(range="training")
    explainer = ew.Explainer(model, rules=None, constraints=within).fit(train, labels)
    rows = rows[places]
    targets = (model.predict(rows) + 1) % 10
    found = explainer.explain(rows, targets)
    for row, target, one in zip(rows, targets, found, strict=True):
        assert one.status in ("optimal", "feasible")
        assert one.distance <= one.lower_bound * (1 + WIDEST)
        answer = one.counterfactual
        assert model.predict(answer[None])[0] == target
        low, high = np.minimum(train.min(axis=0), row), np.maximum(train.max(axis=0), row)
        assert (answer >= low).all()
        assert (answer <= high).all()
        density = explainer.densities_[target]
        assert density.log_components_of(answer[None]).max() >= density.log_threshold_
