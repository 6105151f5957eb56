"""The effort of a question: counted work ends a search that is not proven, the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier

import elsewise as ew
from elsewise.questions import options

X, y = make_classification(400, 6, n_informative=5, n_redundant=0, random_state=3)
MODELS = {
    "forest": RandomForestClassifier(40, max_depth=6, random_state=0),
    "network": MLPClassifier((12, 6), max_iter=60, early_stopping=True, random_state=0),
}


@pytest.fixture(scope="module", params=[(name, dense) for name in MODELS for dense in (False, True)], ids=str)
def asked(request):
    """Return an explainer, rows and targets, and the proven answers."""
    name, dense = request.param
    model = MODELS[name].fit(X, y)
    explainer = ew.Explainer(model, **({} if dense else {"density": None})).fit(X, y)
    rows = X[:4]
    targets = 1 - model.predict(rows)
    return explainer, rows, targets, explainer.explain(rows, targets, effort="proof")


def test_a_proof_goes_on_to_the_end(asked):
    assert set(asked[3].statuses) == {"optimal"}


def test_counted_work_ends_a_search(asked, monkeypatch):
    explainer, rows, targets, proven = asked
    monkeypatch.setitem(options.WORK, "default", 2e-4)  # more where a row has no point yet
    found = [explainer.explain(rows, targets) for _ in range(2)]
    one_by_one = [explainer.explain(rows[[k]], targets[k]) for k in range(len(rows))]
    for name in ("distances", "lower_bounds", "statuses", "n_projections"):
        first = np.asarray(getattr(found[0], name))
        assert np.array_equal(first, getattr(found[1], name)), name
        assert np.array_equal(first, np.concatenate([getattr(each, name) for each in one_by_one])), name
    assert "feasible" in found[0].statuses
    assert (found[0].lower_bounds <= proven.distances * (1 + 1e-9)).all()
    assert (found[0].distances >= proven.distances * (1 - 1e-9)).all()
    ended = [reason for reason, status in zip(found[0].reasons, found[0].statuses) if status == "feasible"]
    assert all("the allowed amount of work was done" in reason for reason in ended)


def test_quick_has_every_answer(asked):
    explainer, rows, targets, proven = asked
    quick = explainer.explain(rows, targets, effort="quick")
    assert set(quick.statuses) <= {"optimal", "feasible"}
    assert (explainer.model.predict(quick.counterfactuals) == targets).all()
    assert (quick.n_projections <= proven.n_projections).all()
    assert (quick.lower_bounds <= proven.distances * (1 + 1e-9)).all()


def test_the_clock_decides_where_there_is_a_time_limit(monkeypatch):
    monkeypatch.setitem(options.WORK, "default", 1e-6)
    assert options.Options(time_limit=3.0).work == np.inf
    assert options.Options().work == 1e-6
    assert options.Options(time_limit=3.0, effort="quick").work == options.WORK["quick"]
