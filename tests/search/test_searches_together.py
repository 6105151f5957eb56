"""Searches of one row side by side: the same replies as alone, in fewer calls."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.search.relaxations.black_box import refining
from elsewise.search.relaxations.black_box.requests import Ask, Project, Score, together


def asking(name, sizes, log, kind=Ask):
    """A search that asks about so many points, one request after the other, and notes the replies."""
    for size in sizes:
        points = np.full((size, 1), float(name))
        log.append((name, (yield Score(points, labels=True) if kind is Score else Ask(points)).tolist()))


def projecting(name, log):
    nothing = np.empty((0, 1))
    made = Project(np.zeros(1, dtype=np.int64), nothing, nothing, nothing, np.empty(0), 1.0)
    log.append((name, (yield made)))
    log.append((name, (yield Ask(np.full((1, 1), float(name)))).tolist()))


def run(searches, points_left):
    view, requests = SimpleNamespace(points_left=points_left), []
    steps = together(view, searches)
    reply = None
    while True:
        try:
            request = steps.send(reply)
        except StopIteration:
            return requests
        requests.append(request)
        if isinstance(request, Project):
            reply = "projected"
        else:
            view.points_left -= len(request.points)
            reply = request.points[:, 0] * 10


def test_requests_of_a_kind_are_one_and_replies_are_told_apart():
    log = []
    searches = [asking(1, [2, 1], log), asking(2, [1, 0], log), asking(3, [3], log, Score), projecting(4, log)]
    requests = run(searches, 100)
    replies = [(1, [10.0, 10.0]), (1, [10.0]), (2, [20.0]), (2, []), (3, [30.0] * 3), (4, "projected"), (4, [40.0])]
    assert sorted(map(repr, log)) == sorted(map(repr, replies))
    assert [type(request) for request in requests] == [Project, Ask, Ask, Score]
    assert requests[1].points[:, 0].tolist() == [1.0, 1.0, 2.0, 4.0]


def test_first_searches_come_first_where_points_are_short():
    log = []
    requests = run([asking(1, [3, 3], log), asking(2, [3], log), asking(3, [1], log)], 5)
    assert requests[0].points[:, 0].tolist() == [1.0, 1.0, 1.0, 3.0]
    assert requests[1].points[:, 0].tolist() == [1.0, 1.0, 1.0]  # more than are left: whoever is asked ends it


def test_answers_are_those_of_searches_one_after_the_other(monkeypatch):
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    calls = []

    def predict(rows):
        calls.append(len(rows))
        return model.predict(rows)

    explainer = ew.Explainer(ew.BlackBox(predict, classes=[0, 1, 2]), density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:3]
    side_by_side, n_calls, n_points = explainer.explain(rows, target=1), len(calls), sum(calls)
    calls.clear()

    def in_turn(view, searches):
        for search in searches:
            yield from search

    monkeypatch.setattr(refining, "together", in_turn)
    alone = explainer.explain(rows, target=1)
    np.testing.assert_allclose(side_by_side.distances, alone.distances, rtol=1e-9)
    assert 2 * n_calls < len(calls)
    assert n_points <= 5_000 * len(rows)  # what a row may ask about
