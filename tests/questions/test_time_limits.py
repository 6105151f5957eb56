"""A time limit is for the whole question about one row, however many searches that takes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.questions import explain
from elsewise.questions.paths import setting
from elsewise.questions.solving.answers import Answers
from elsewise.questions.solving.deadline import Deadline
from elsewise.questions.thresholds import highest_quantile

LIMIT = 40.0  # seconds: far more than anything here takes


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    return X, y


@pytest.fixture
def limits(monkeypatch):
    """Seconds that every search for answers is given."""
    given, search = [], Answers._search

    def told(self, places, goals, margin, banned, seconds):
        given.append(float(seconds.max()))
        return search(self, places, goals, margin, banned, seconds)

    monkeypatch.setattr(Answers, "_search", told)
    return given


def test_quantiles_of_a_frontier_share_the_limit(flowers, limits):
    X, y = flowers
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    quantiles = (0.1, 0.3, 0.5, 0.7, 0.9)
    curve = explainer.frontier(X[0], 1, quantiles, time_limit=LIMIT)
    assert (curve.explanations.statuses == "optimal").all()
    assert 1 < len(limits) <= len(quantiles)
    for number, seconds in enumerate(limits):
        assert seconds <= LIMIT / (len(quantiles) - number)
    np.testing.assert_array_equal(curve.distances, explainer.frontier(X[0], 1, quantiles).distances)


def test_several_answers_share_the_limit(flowers, limits):
    X, y = flowers
    explainer = ew.Explainer(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)).fit(X, y)
    found = explainer.explain_one(X[0], 1, n_counterfactuals=2, diversity=0.5, time_limit=LIMIT)
    assert len(found) == 2
    assert limits[0] <= LIMIT / 2


def test_classes_share_the_limit_of_the_densest(flowers, monkeypatch):
    X, y = flowers
    model = LogisticRegression(max_iter=1000).fit(X, y)
    explainer = ew.Explainer(model, condition_on_fixed=False).fit(X, y)
    rules = ew.Constraints(immutable=["x0", "x1"], bounds={"x2": (0.0, 2.6), "x3": (0.0, 3.0)})
    begun = []
    monkeypatch.setattr(highest_quantile, "Deadline", lambda seconds: begun.append(seconds) or Deadline(seconds))
    answer = explainer.explain(X[:1], constraints=rules, on_infeasible="densest", time_limit=LIMIT)[0]
    assert answer.status in ("densest", "infeasible")
    assert len(begun) == 1  # not one for each of the two other classes
    assert begun[0] < LIMIT


def test_all_of_a_path_has_one_limit(flowers, monkeypatch):
    X, y = flowers
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    given, search = [], setting.search_paths

    def told(*arguments):
        given.append(arguments[-1])
        return search(*arguments)

    monkeypatch.setattr(setting, "search_paths", told)
    path = explainer.path(X[60], 2, time_limit=LIMIT)
    assert path.status in ("optimal", "feasible")
    assert given
    assert given[0] < LIMIT  # something was done before
    assert sorted(given, reverse=True) == given


def test_why_a_row_has_no_answer_has_the_time_that_the_search_left(flowers, monkeypatch):
    X, y = flowers
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None).fit(X, y)
    given, find = [], explain.find_why_not

    def told(fitted, x, target, options):
        given.append(options.time_limit)
        return find(fitted, x, target, options)

    monkeypatch.setattr(explain, "find_why_not", told)
    nowhere = ew.Constraints(immutable=["x0", "x1", "x2", "x3"])
    assert explainer.explain_one(X[0], 1, constraints=nowhere, time_limit=LIMIT).status == "infeasible"
    assert len(given) == 1
    assert 0 < given[0] < LIMIT


def test_what_lasts_and_what_is_proven_share_the_limit(flowers, limits):
    X, y = flowers
    explainer = ew.Explainer(RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y), density=None).fit(X, y)
    answer = explainer.explain_one(X[0], 1, robust_radius=0.01, time_limit=LIMIT)
    assert answer.found
    assert (
        len(limits) == 2
    )  # each tree is asked about its worst leaf nearby, so bounds take a search without the radius
    assert max(limits) <= LIMIT / 2
