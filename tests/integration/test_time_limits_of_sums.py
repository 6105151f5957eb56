"""Time limits of models that are sums of curves: refining one piece is many projections, and looks at the clock."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

import elsewise as ew
from elsewise.projection.cells import Cells
from elsewise.search import ledger
from elsewise.search.branch_and_bound.node_search import EAGER_AT_ONCE

MODELS = {
    "two layers": MLPClassifier((16, 16), solver="lbfgs", alpha=1.0, max_iter=5000, random_state=0),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "splines": make_pipeline(SplineTransformer(6), LogisticRegression(max_iter=1000)),
}
# Seconds of a projection on the clock of these tests; what a row may take beyond its limit there: what is done between
# two looks at the clock, a first relaxation and its roundings among it.
SLOW, BETWEEN_LOOKS = 1e-3, 0.02
LIMIT = 0.03


class SlowProjections:
    """A clock that moves with projections alone, by as much for each, whatever the machine does."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        project = Cells.project

        def slowly(cells, points, rows, *args, **kwargs):
            self.now += SLOW * len(rows)
            return project(cells, points, rows, *args, **kwargs)

        monkeypatch.setattr(Cells, "project", slowly)
        modules = (
            "search.ledger",
            "search.branch_and_bound.branching",
            "search.branch_and_bound.surroundings",
            "search._whole",
        )
        for module in (*modules, "questions.solving.answers", "questions.solving.deadline"):
            monkeypatch.setattr(f"elsewise.{module}.time", self)

    def perf_counter(self):
        return self.now

    def spent(self, call):
        before = self.now
        result = call()
        return result, self.now - before


def data(n_columns=6):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, n_columns))
    y = ((X[:, :3] ** 2).sum(axis=1) + np.sin(2 * X[:, 3:]).sum(axis=1) + rng.normal(0, 0.3, 200) > 3).astype(int)
    return X, y


@pytest.mark.parametrize("density", [None, "auto"], ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_refining_keeps_the_limit(name, density, monkeypatch):
    X, y = data()
    model = MODELS[name].fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    rows = X[model.predict(X) == 0][[4, 22]]
    clock = SlowProjections(monkeypatch)
    patient, spent = clock.spent(lambda: explainer.explain(rows, target=1))
    allowed = LIMIT + ledger.GRACE + BETWEEN_LOOKS
    assert spent > 2 * allowed  # a search that does not look at the clock takes longer
    each = [clock.spent(lambda row=row: explainer.explain(row[None], target=1, time_limit=LIMIT)) for row in rows]
    for k, (answers, spent) in enumerate(each):
        assert spent <= allowed
        # what was cut short is still true
        assert answers.lower_bounds[0] <= patient.distances[k] * (1 + 1e-9)
        assert not answers.found[0] or answers.distances[0] >= patient.lower_bounds[k] * (1 - 1e-9)
    _, spent = clock.spent(lambda: explainer.explain(rows, target=1, time_limit=LIMIT))
    assert spent <= 2 * allowed
    _, spent = clock.spent(lambda: explainer.explain(rows[:1], target=1, n_counterfactuals=3, time_limit=LIMIT))
    assert spent <= allowed + BETWEEN_LOOKS


@pytest.mark.parametrize("name", ["two layers", "quadratic discriminant"])
def test_why_not_keeps_the_limit(name, monkeypatch):
    rng = np.random.default_rng(0)
    columns = [f"c{i}" for i in range(8)]
    frame = pd.DataFrame(rng.integers(0, 20, size=(200, 8)), columns=columns)
    y = (frame.sum(axis=1) + rng.normal(0, 5, 200) > 76).astype(int).to_numpy()
    terms = " + ".join(f"2 * {column}" for column in columns)
    odd = ew.Constraints(linear=[f"{terms} <= 161.5", f"{terms} >= 160.5"])  # twice a whole number is never 161
    model = MODELS[name].fit(frame.to_numpy(), y)
    explainer = ew.Explainer(model).fit(frame, y)
    row = frame[model.predict(frame.to_numpy()) == 0].iloc[0]
    clock = SlowProjections(monkeypatch)
    why, spent = clock.spent(lambda: explainer.why_not(row, 1, odd, time_limit=0.2))
    assert not why.is_finished
    assert 0.2 <= spent <= 0.2 + ledger.GRACE + SLOW * EAGER_AT_ONCE  # a wave of nodes is one call
