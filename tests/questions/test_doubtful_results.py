"""What a search says is not taken on trust: what rounding could have made is put right before it is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.projection.cells import Cells
from elsewise.questions.solving import answers


@pytest.fixture
def explainer():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(0, 1, (60, 2)), rng.normal(3, 1, (60, 2))])
    y = np.repeat([0, 1], 60)
    return ew.Explainer(LogisticRegression().fit(X, y), distance="manhattan", learn_rules=False).fit(X, y)


def with_results(monkeypatch, change):
    """Let ``change`` have its way with what every search of cells finds."""
    search = answers.search_cells

    def changed(*arguments, **options):
        found = search(*arguments, **options)
        change(found)
        return found

    monkeypatch.setattr(answers, "search_cells", changed)


def test_a_goal_that_is_not_empty_for_all_rows_is_proven_empty_for_none(explainer, monkeypatch):
    def lose_first(found):
        found.value[0], found.points[0] = np.inf, np.nan
        found.settled[0] = found.open[0] = np.inf

    rows = np.array([[0.0, 0.0], [0.5, -0.5]])
    assert list(explainer.explain(rows, target=1).statuses) == ["optimal", "optimal"]
    with_results(monkeypatch, lose_first)
    told = explainer.explain(rows, target=1)
    assert list(told.statuses) == ["unknown", "optimal"]
    assert told.lower_bounds[0] == 0.0


def test_no_bound_is_told_above_its_distance(explainer, monkeypatch):
    def claim_more(found):
        found.settled[:] = found.open[:] = np.nextafter(found.value, np.inf)

    rows = np.array([[0.0, 0.0], [0.5, -0.5]])
    with_results(monkeypatch, claim_more)
    told = explainer.explain(rows, target=1)
    np.testing.assert_array_equal(told.lower_bounds, told.distances)
    np.testing.assert_array_equal(told.gaps, [0.0, 0.0])


@pytest.mark.parametrize("distance", [ew.Manhattan(), ew.Manhattan(per_change=0.7)])
def test_slopes_that_are_not_known_are_not_used(distance, monkeypatch):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, 12, (200, 3)).astype(float), columns=["a", "b", "c"])
    y = (X.sum(axis=1) + rng.normal(0, 2, 200) > 17).to_numpy().astype(int)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, distance=distance, columns=dict.fromkeys(X, "integer")).fit(X, y)
    rules = ew.Constraints(linear=["a + 2*b <= 30"])
    rows = X[model.predict(X) == 0].iloc[:8]
    plain = explainer.explain(rows, target=1, constraints=rules)
    project = Cells.project

    def without_slopes(*arguments, **options):
        batch = project(*arguments, **options)
        return batch if batch.slopes is None else replace(batch, slopes=np.full_like(batch.slopes, np.nan))

    monkeypatch.setattr(Cells, "project", without_slopes)
    told = explainer.explain(rows, target=1, constraints=rules)
    np.testing.assert_allclose(told.distances, plain.distances, rtol=1e-9)
    assert set(told.statuses) == {"optimal"}
    assert np.isfinite(told.lower_bounds).all()
