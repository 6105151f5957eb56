"""Several answers are sorted by distance, and no proof is claimed that the order takes away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.answers.explanations import concatenate
from elsewise.questions.solving.answers import Answers
from elsewise.questions.solving.several_answers import nearest_first
from elsewise.reasons import NoFurther


def _answers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X.sum(axis=1) > 0
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    return explainer.explain(X[~explainer.model.predict(X)][:4], True, n_counterfactuals=3)


def test_answers_that_are_sorted_stay_as_they_are():
    answers = _answers()
    assert nearest_first(answers) is answers


def test_an_unproven_first_answer_that_is_farther_comes_later_and_lends_its_bound():
    answers = _answers()
    places = np.flatnonzero(answers.rows == answers.rows[0])
    first, second = answers.take(places[:1]), answers.take(places[1:2])
    far = 2.0 * second.distances
    first = replace(first, distances=far, lower_bounds=0.5 * second.distances, statuses=np.array(["feasible"]))
    ordered = nearest_first(concatenate([first, second]))
    assert ordered.distances.tolist() == [second.distances[0], far[0]]
    assert ordered.statuses.tolist() == ["feasible", "feasible"]
    # a row that the search for the first answer left may be nearer than the second, and is not excluded by its proof
    assert ordered.lower_bounds.tolist() == [0.5 * second.distances[0]] * 2
    assert "No smaller change exists" not in ordered[0].sentence


def test_a_nearer_later_answer_takes_the_place_of_one_that_changes_its_columns_and_more(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 2))
    y = X @ [2.0, 1.0] > 0
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None, learn_rules=False).fit(X, y)
    row, reach = X[~explainer.model.predict(X)][0], Answers.reach

    def ends_early(answers, places, goals, share=1.0):
        if any(answers.earlier):
            reach(answers, places, goals, share)
        else:  # as of a search whose time is over: an answer that changes both columns, and nothing proven
            answers.goal[places] = goals
            answers.ledger.offer(places, np.array([20.0]), answers.rows[places] + 10.0)
            answers.ledger.settle(places, 0.0)

    monkeypatch.setattr(Answers, "reach", ends_early)
    two = explainer.explain(row[None], True, n_counterfactuals=2, diversity="columns")
    three = explainer.explain(row[None], True, n_counterfactuals=3, diversity="columns")
    # the far one changes all that the next one changes, so it is not another answer
    assert [[change.feature for change in answer.changes] for answer in two] == [["x0"]]
    assert [[change.feature for change in answer.changes] for answer in three] == [["x0"], ["x1"]]
    assert isinstance(two[-1].cause, NoFurther)
    assert (two[-1].cause.n_found, two[-1].cause.n_asked, two[-1].cause.is_proven) == (1, 2, False)
    assert "20" not in str(three)


def test_the_change_that_costs_most_is_named_first():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 1.1, 0.9] > 0
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None, distance="mahalanobis").fit(X, y)
    answers = explainer.explain(X[~explainer.model.predict(X)][:6], True)
    n_several = 0
    for answer in answers:
        costs = [change.cost for change in answer.changes]
        assert costs == sorted(costs, reverse=True)
        n_several += len(set(costs)) > 1
    assert n_several > 3
