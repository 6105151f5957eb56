"""The frontier over changes: compared with linear programs over every set of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

import elsewise as ew

BOX = 3.0


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    y = (X @ [1.0, -0.9, 0.8, 0.7] + 0.2 * rng.normal(size=200) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    return ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X, y), X, model


def least_distance(model, row, columns):
    """Solve min |x - row|_1 over some columns, within the box and in the half-space of class 1."""
    weights, n = model.coef_[0, columns], len(columns)
    up, down = BOX - row[columns], row[columns] + BOX
    score = float(model.decision_function(pd.DataFrame([row], columns=list("abcd")))[0])
    solved = linprog(np.ones(2 * n), A_ub=-np.r_[weights, -weights][None], b_ub=[score],
                     bounds=[(0, end) for end in (*up, *down)])  # fmt: skip
    return solved.fun if solved.status == 0 else np.inf


def test_each_number_of_changes_has_its_nearest_answer(fitted):
    explainer, _, model = fitted
    row = np.array([-2.5, 2.5, -2.5, -2.5])
    rules = ew.Constraints(bounds=dict.fromkeys("abcd", (-BOX, BOX)))
    frontier = explainer.frontier(pd.Series(row, index=list("abcd")), 1, by="changes", constraints=rules)
    for count, answer in zip(frontier.max_changes.tolist(), frontier.explanations):
        subsets = [np.array(columns) for columns in combinations(range(4), count)]
        expected = min(least_distance(model, row, columns) for columns in subsets)
        assert answer.status == ("optimal" if np.isfinite(expected) else "infeasible")
        assert len(answer.changes) <= count
        if np.isfinite(expected):
            assert answer.distance == pytest.approx(expected, rel=1e-5)
            assert model.predict(pd.DataFrame([answer.counterfactual], columns=list("abcd")))[0] == 1
    assert frontier.max_changes.tolist() == list(range(1, len(frontier) + 1))
    assert np.isnan(frontier.distances[0])  # one column alone does not suffice
    assert frontier.distances[-1] == pytest.approx(least_distance(model, row, np.arange(4)), rel=1e-5)
    assert "changes: distance" in repr(frontier)
    assert str(frontier).count("\n") == len(frontier) + 1
    assert "ew-sentence" in frontier._repr_html_()
    assert frontier.to_frame()["max_changes"].tolist() == frontier.max_changes.tolist()
    assert ew.plot.frontier(frontier).get_xlabel().startswith("columns that may change")


def test_nothing_to_search_where_one_change_or_none_is_nearest(fitted):
    explainer, X, model = fitted
    is_one = model.predict(X) == 1
    assert explainer.frontier(X[is_one].iloc[0], 1, by="changes").max_changes.tolist() == [0]
    single = explainer.frontier(X[~is_one].iloc[0], 1, by="changes")
    assert single.max_changes.tolist() == [1]  # the Manhattan distance to a half-space
    assert repr(single).startswith("<ChangesFrontier: answers with 1 change: distance")


def test_no_answer_at_all_and_wrong_names(fitted):
    explainer, X, model = fitted
    row = X[model.predict(X) == 0].iloc[0]
    none = explainer.frontier(row, 1, by="changes", constraints=ew.Constraints(immutable=list("abcd")))
    assert none.explanations[0].status == "infeasible"
    assert "no answer" in str(none)
    with pytest.raises(ew.InvalidInputError, match="by: expected 'density' or 'changes'"):
        explainer.frontier(row, 1, by="columns")
