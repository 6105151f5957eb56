"""Several answers that differ, against lists of all points and linear programs of all signs."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from bank_tables import bank
from listed_table import between, listed, small_table


def nearest_apart(normal, least, row, earlier, apart, low, high) -> float:
    """Smallest ``sum |v|`` with ``normal x >= least``, so far from each earlier point: a program for all signs."""
    n, best = len(row), np.inf
    for signs in itertools.product([-1.0, 1.0], repeat=n * len(earlier)):
        # variables: up and down moves of each feature
        A = [np.concatenate([-normal, normal])]
        b = [normal @ row - least]
        lower, upper = low - row, high - row
        for other, sign in zip(earlier, np.array(signs).reshape(len(earlier), n)):
            A.append(np.concatenate([-sign, sign]))
            b.append(float(sign @ (row - other)) - apart)
            lower = np.where(sign > 0, np.maximum(lower, other - row), lower)
            upper = np.where(sign < 0, np.minimum(upper, other - row), upper)
        if (lower > upper).any():
            continue
        moves = np.concatenate([np.eye(n), -np.eye(n)], axis=1)
        solved = linprog(
            np.ones(2 * n),
            A_ub=np.vstack([*A, moves, -moves]),
            b_ub=np.concatenate([b, upper, -lower]),
            bounds=[(0, None)] * (2 * n),
        )
        if solved.status == 0:
            best = min(best, solved.fun)
    return float(best)


@pytest.mark.parametrize("bounded", [True, False])
def test_numbers_keep_their_distance(bounded):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X @ [1.0, 0.7] + 0.3 * rng.normal(size=200) > 0.4).astype(int)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    ends = (-2.5, 2.5) if bounded else (-50.0, 50.0)
    rules = ew.Constraints(bounds={"x0": ends, "x1": ends}) if bounded else None
    rows = X[model.predict(X) == 0][:3].clip(-2.4, 2.4)
    for row in rows:
        answers = explainer.explain_one(row, 1, constraints=rules, n_counterfactuals=4, diversity=0.7)
        assert (answers.statuses == "optimal").all()
        earlier: list[np.ndarray] = []
        for answer in answers:
            expected = nearest_apart(
                model.coef_[0], -model.intercept_[0], row, earlier, 0.7, np.full(2, ends[0]), np.full(2, ends[1])
            )
            np.testing.assert_allclose(answer.distance, expected, rtol=1e-6)
            found = np.asarray(answer.counterfactual)
            assert all(np.abs(found - other).sum() >= 0.7 for other in earlier)
            earlier.append(found)
        assert len(earlier) == 4


@pytest.mark.parametrize("diversity", ["columns", 1.5])
@pytest.mark.parametrize("density", [False, True])
def test_forests_give_the_next_best_that_differ(diversity, density):
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    model = make_pipeline(before, RandomForestClassifier(15, max_depth=4, random_state=0)).fit(frame, y)
    weights = {"years": 1.0, "loans": 0.8, "colour": 1.3, "member": 2.0}
    explainer = ew.Explainer(
        model,
        distance=ew.Manhattan(weights),
        density=ew.MixedMixtureDensity(n_components=2) if density else None,
        threshold=0.2,
    ).fit(frame, y)
    rows = frame[model.predict(frame) == "bad"].drop_duplicates().iloc[:6]
    rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
    answers, n_further = explainer.explain(rows, "good", constraints=rules, n_counterfactuals=4, diversity=diversity), 0
    for i in range(len(rows)):
        row, mine = rows.iloc[i], answers.take(np.flatnonzero(answers.rows == i))
        everything, distance = listed(row, weights)
        good = model.predict(everything) == "good"
        if density:
            good &= explainer.log_density(everything, "good") >= explainer.densities_["good"].log_threshold_
        changed = np.array([everything[name] != row[name] for name in everything]).T
        for k in range(4):
            if not good.any():
                assert len(mine) == k
                break
            assert mine.statuses[k] == "optimal"
            np.testing.assert_allclose(mine.distances[k], distance[good].min(), rtol=1e-6)
            found = mine.counterfactuals.iloc[k]
            columns = np.array([found[name] != row[name] for name in everything])
            n_further += k > 0
            if diversity == "columns":
                good &= ~changed[:, columns].all(axis=1)
            else:
                good &= between(everything, found, weights) >= 1.5 - 1e-12
    assert n_further > 5


def test_five_answers_of_a_bank_row_take_at_most_two_seconds():
    frame, y = bank(800)
    numbers = list(frame.select_dtypes("number"))
    names = [name for name in frame if name not in numbers]
    before = make_column_transformer((OneHotEncoder(), names), (StandardScaler(), numbers))
    model = make_pipeline(before, LogisticRegression(max_iter=2000)).fit(frame, y)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=2), threshold=0.3).fit(frame, y)
    row = frame[model.predict(frame) == "no"].iloc[[0]]
    started = time.process_time()
    answers = explainer.explain(row, "yes", n_counterfactuals=5)
    assert time.process_time() - started < 2.0
    assert (answers.statuses == "optimal").all()
    sets = [frozenset(np.flatnonzero(each)) for each in answers.changed]
    assert len(sets) == 5
    assert not any(sets[j] <= sets[k] for k in range(5) for j in range(k))


@pytest.mark.parametrize("wrong", ["rows", 0, -1.0, True, None, float("nan"), float("inf")])
def test_differ_says_what_it_takes(wrong):
    frame, y = small_table(100)
    X = frame[["years", "loans"]].to_numpy(float)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="diversity must be 'columns' or a positive distance"):
        explainer.explain(X[:1], "good", n_counterfactuals=2, diversity=wrong)
