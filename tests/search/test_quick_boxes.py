"""Boxes in which a cone and limits are all there is are relaxed as all others are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import elsewise as ew
from elsewise.search.quick_boxes import QuickBoxes


def questions(whole):
    """An explainer of a small forest with a density, of whole numbers or not, and rows of the other class."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(160, 4)) @ rng.normal(size=(4, 4))
    X = np.round(4 * X) if whole else X
    y = (X[:, 0] + np.abs(X[:, 1]) > np.median(X[:, 0] + np.abs(X[:, 1]))).astype(int)
    model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    constraints = ew.Constraints(integer=["x0", "x2"]) if whole else None
    explainer = ew.Explainer(model, density="auto", constraints=constraints).fit(X, y)
    return explainer, X[model.predict(X) == 0][:6]


@pytest.mark.parametrize("whole", [False, True])
def test_answers_and_bounds_are_those_of_the_general_relaxation(monkeypatch, whole):
    explainer, rows = questions(whole)
    asked, relax = [], QuickBoxes.relax

    def counted(self, lower, upper, limit):
        asked.append(limit)
        return relax(self, lower, upper, limit)

    monkeypatch.setattr(QuickBoxes, "relax", counted)
    quick = explainer.explain(rows, 1)
    assert asked
    monkeypatch.setattr(QuickBoxes, "relax", lambda *_: None)
    general = explainer.explain(rows, 1)
    assert (quick.statuses == general.statuses).all()
    assert quick.distances == pytest.approx(general.distances, rel=1e-9)
    assert quick.lower_bounds == pytest.approx(general.lower_bounds, rel=1e-6)
