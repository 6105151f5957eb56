"""First answers: made of known rows before anything is proven, and answers by every other judgement."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from bank_tables import bank
from elsewise.search.boxes import box_search

FRAME, LABELS = bank(900, seed=4)
MODELS = {
    "forest": RandomForestClassifier(40, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=40, random_state=0),
}


@pytest.fixture(scope="module", params=list(MODELS))
def explainer(request):
    """An explainer of a table with categories."""
    levels = FRAME.select_dtypes(exclude="number").columns.tolist()
    codes = make_column_transformer((OneHotEncoder(sparse_output=False), levels), remainder="passthrough")
    model = make_pipeline(codes, MODELS[request.param]).fit(FRAME, LABELS)
    return ew.Explainer(model).fit(FRAME, LABELS)


def rejected(explainer, n):
    """Rows that the model does not give the outcome."""
    return FRAME[explainer.model.predict(FRAME) == "no"].iloc[:n]


@pytest.mark.parametrize("constraints", [None, ew.Constraints(immutable=["age", "job"])])
def test_every_row_has_an_answer_at_once(explainer, constraints, monkeypatch):
    """Without a search: what is proposed is accepted by the model, dense enough and within the rules."""
    monkeypatch.setattr(box_search, "search_best_first", lambda tree, ledger: ledger)
    rows = rejected(explainer, 6)
    found = explainer.explain(rows, "yes", constraints=constraints)
    has_answer = np.isfinite(found.distances)
    assert has_answer.mean() >= (1.0 if constraints is None else 0.5)
    answers = found.counterfactuals[has_answer]
    assert (explainer.model.predict(answers) == "yes").all()
    changed = answers.to_numpy() != rows[has_answer].to_numpy()
    if constraints is not None:
        assert not changed[:, :2].any()


def test_what_is_proposed_is_no_nearer_than_the_optimum(explainer, monkeypatch):
    rows = rejected(explainer, 4)
    best = explainer.explain(rows, "yes", time_limit=5.0)
    monkeypatch.setattr(box_search, "search_best_first", lambda tree, ledger: ledger)
    first = explainer.explain(rows, "yes")
    assert (first.distances >= best.lower_bounds * (1 - 1e-9)).all()
    assert (best.distances <= first.distances * (1 + 1e-9)).all()
