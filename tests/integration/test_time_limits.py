"""A time limit is a deadline: from the first thing done for a row to the last, whatever is going on."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.search import ledger
from random_tables import draw_case

# Real clocks on machines that do other things, too: a limit that is not kept takes minutes.
GENEROUS = 10.0
LIMIT = 0.2


def whole_numbers(n_columns=14, seed=0):
    """Rows of whole numbers, a class that depends on all of them, and rules that no whole numbers keep.

    Twice a sum of whole numbers is even, but the relaxation has to split all columns to see it.
    """
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 50, size=(300, n_columns)), columns=[f"c{i}" for i in range(n_columns)])
    y = frame.sum(axis=1).to_numpy() > 25 * n_columns
    terms = " + ".join(f"2 * c{i}" for i in range(n_columns))
    odd = 50 * n_columns + 1
    return frame, y, ew.Constraints(linear=[f"{terms} <= {odd + 0.5}", f"{terms} >= {odd - 0.5}"])


MODELS = {
    "logistic": LogisticRegression(max_iter=1000),
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
    "forest": RandomForestClassifier(20, max_depth=5, random_state=0),
    "nearest neighbour": KNeighborsClassifier(1),
}


def timed(call):
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started


@pytest.mark.parametrize("density", [None, "auto"], ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_no_point_and_no_proof_in_time_is_unknown(name, density):
    frame, y, rules = whole_numbers()
    explainer = ew.Explainer(MODELS[name].fit(frame, y), density=density).fit(frame, y)
    answers, seconds = timed(lambda: explainer.explain(frame[~y][:2], True, constraints=rules, time_limit=LIMIT))
    assert seconds < 2 * LIMIT * GENEROUS
    np.testing.assert_array_equal(answers.statuses, ["unknown"] * 2)
    assert np.isfinite(answers.lower_bounds).all()
    assert np.isnan(answers.distances).all()
    assert not answers.found.any()
    one = answers[0]
    assert not one.found
    assert not one.changes
    assert one.cause.kind == "out of time"
    assert "within the time limit" in one.sentence
    assert "not known" in one.sentence
    assert str(one).count("unknown")


def test_several_answers_share_the_time_of_a_row():
    frame, y, rules = whole_numbers()
    explainer = ew.Explainer(MODELS["logistic"].fit(frame, y), density=None).fit(frame, y)
    answers, seconds = timed(
        lambda: explainer.explain(frame[~y][:2], True, constraints=rules, time_limit=LIMIT, n_counterfactuals=4)
    )
    assert seconds < 2 * LIMIT * GENEROUS
    np.testing.assert_array_equal(answers.rows, [0, 1])


def test_why_not_says_what_is_known_by_then():
    frame, y, rules = whole_numbers()
    explainer = ew.Explainer(MODELS["logistic"].fit(frame, y)).fit(frame, y)
    why, seconds = timed(lambda: explainer.why_not(frame[~y].iloc[0], True, rules, time_limit=LIMIT))
    assert seconds < LIMIT * GENEROUS
    assert (why.reason, why.is_finished, why.conflict) == ("unknown", False, ())
    assert "was not found out within the time limit" in why.sentence
    # two rules that contradict each other by themselves are found at once, which of the others are needed is not
    both = ew.Constraints(linear=[*rules.linear, "c0 <= 10", "c0 >= 20"])
    one, seconds = timed(lambda: explainer.explain_one(frame[~y].iloc[0], True, constraints=both, time_limit=LIMIT))
    assert seconds < LIMIT * GENEROUS
    assert one.status in ("infeasible", "unknown")
    patient = explainer.why_not(frame[~y].iloc[0], True, ew.Constraints(linear=["c0 <= 10", "c0 >= 20"]), time_limit=60)
    assert (patient.reason, patient.is_finished, len(patient.conflict)) == ("rules", True, 2)


def test_rows_in_a_batch_take_their_limits_together():
    frame, y, rules = whole_numbers()
    explainer = ew.Explainer(MODELS["logistic"].fit(frame, y), density=None).fit(frame, y)
    rows = frame[~y][:6]
    answers, seconds = timed(lambda: explainer.explain(rows, True, constraints=rules, time_limit=0.05))
    assert seconds < 6 * 0.05 * GENEROUS
    assert (answers.statuses == "unknown").all()


class Ticking:
    """A clock that moves by a thousandth of a second whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        self.now += 1e-3
        return self.now


def test_accounted_time_keeps_the_limit(monkeypatch):
    frame, y, rules = whole_numbers(6)
    explainer = ew.Explainer(MODELS["logistic"].fit(frame, y), density=None).fit(frame, y)
    clock = Ticking()
    for module in ("search.ledger", "search._whole", "questions.solving.answers", "questions.solving.deadline"):
        monkeypatch.setattr(f"elsewise.{module}.time", clock)
    for n_rows, limit in ((1, 0.02), (1, 0.2), (5, 0.05)):
        before = clock.now
        answers = explainer.explain(frame[~y][:n_rows], True, constraints=rules, time_limit=limit)
        spent = clock.now - before
        assert (answers.statuses == "unknown").all()
        assert spent <= n_rows * (limit + ledger.GRACE + 0.02)
        assert spent >= n_rows * limit


@pytest.mark.usefixtures("no_grace")
def test_bounds_of_unknown_rows_hold():
    n_unknown = 0
    for seed in range(3, 13):
        case = draw_case(seed, kinds=("int64", "float64", "object"), models=("logistic", "tree"))
        hasty, patient = case.explain(time_limit=1e-9), case.explain()
        found = patient.found
        assert not (hasty.statuses[found] == "infeasible").any()
        assert (hasty.lower_bounds[found] <= patient.distances[found] * (1 + 1e-9)).all()
        n_unknown += int((hasty.statuses == "unknown").sum())
    assert n_unknown > 10


def test_a_generous_limit_changes_nothing():
    frame, y, _ = whole_numbers(4)
    for name, model in MODELS.items():
        explainer = ew.Explainer(model.fit(frame, y)).fit(frame, y)
        hurried, patient = explainer.explain(frame[:3], time_limit=600), explainer.explain(frame[:3])
        np.testing.assert_array_equal(hurried.features, patient.features, err_msg=name)
        np.testing.assert_array_equal(hurried.lower_bounds, patient.lower_bounds, err_msg=name)
