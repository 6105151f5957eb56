"""Boxes in which a cone, limits and least moves are all there is are relaxed as all others are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import elsewise as ew
from elsewise.search.boxes.inside_boxes import InsideBoxes, QuickBoxes


def questions(whole, least):
    """An explainer of a small forest with a density, of whole numbers or not, and rows of the other class."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(160, 4)) @ rng.normal(size=(4, 4))
    X = np.round(4 * X) if whole else X
    y = (X[:, 0] + np.abs(X[:, 1]) > np.median(X[:, 0] + np.abs(X[:, 1]))).astype(int)
    model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    sizes = {"x0": 0.5, "x1": 2.5, "x3": 1.5} if least else "any"
    constraints = ew.Constraints(integer=["x0", "x2"] if whole else [], min_change=sizes)
    explainer = ew.Explainer(model, density="auto", constraints=constraints).fit(X, y)
    return explainer, X[model.predict(X) == 0][:6]


@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_answers_and_bounds_are_those_of_the_general_relaxation(monkeypatch, whole, least):
    explainer, rows = questions(whole, least)
    asked, relax = [], QuickBoxes.relax

    def counted(self, lower, upper, limit):
        asked.append(limit)
        assert (self.least is not None) == least
        return relax(self, lower, upper, limit)

    monkeypatch.setattr(QuickBoxes, "relax", counted)
    quick = explainer.explain(rows, 1)
    assert asked
    monkeypatch.setattr(QuickBoxes, "relax", lambda *_: None)
    general = explainer.explain(rows, 1)
    assert (quick.statuses == general.statuses).all()
    assert quick.distances == pytest.approx(general.distances, rel=1e-9)
    assert quick.lower_bounds == pytest.approx(general.lower_bounds, rel=1e-6)
    if least:
        moved = np.abs(quick.counterfactuals - rows)[:, [0, 1, 3]]
        assert ((moved == 0) | (moved >= np.array([0.5, 2.5, 1.5]) * (1 - 1e-9))).all()
        assert (np.abs(quick.distances - questions(whole, False)[0].explain(rows, 1).distances) > 1e-6).any()


def test_boxes_are_relaxed_alike(monkeypatch):
    explainer, rows = questions(False, True)
    general, compared = InsideBoxes.relax, []

    def both(self, lower, upper, limit):
        quick, answers = self.quick, general(self, lower, upper, limit)
        with monkeypatch.context() as patch:
            patch.setattr(self, "quick", None)
            slow = general(self, lower, upper, limit)
        assert quick is not None
        assert (answers.bound >= limit) == (slow.bound >= limit)
        if slow.point is not None and slow.bound < limit:
            compared.append(slow.bound)
            assert answers.bound == pytest.approx(slow.bound, rel=1e-12)
            np.testing.assert_array_equal(answers.point, slow.point)
            np.testing.assert_array_equal(answers.fractions, slow.fractions)
        return answers

    monkeypatch.setattr(InsideBoxes, "relax", both)
    explainer.explain(rows, 1)
    assert len(compared) > len(rows)
