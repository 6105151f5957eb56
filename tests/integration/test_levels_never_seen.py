"""Levels that training never had, where the encoder ignores them: an answer keeps them or leaves them knowingly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"income": rng.normal(5, 2, 200).round(2), "job": rng.choice(["clerk", "nurse", "smith"], 200)}
    )
    y = np.where(frame["income"] + 3 * (frame["job"] == "nurse") + rng.normal(0, 0.5, 200) > 6, "yes", "no")
    columns = make_column_transformer((StandardScaler(), ["income"]), (OneHotEncoder(handle_unknown="ignore"), ["job"]))
    model = make_pipeline(columns, LogisticRegression()).fit(frame, y)
    return ew.Explainer(model, density=None).fit(frame, y)


def test_a_level_never_seen_is_kept_as_it_was_written(explainer):
    row = pd.DataFrame({"income": [4.0], "job": ["diver"]})
    answer = explainer.explain(row, "yes", constraints=ew.Constraints(immutable=["job"]))
    assert answer.counterfactuals["job"].tolist() == ["diver"]
    assert explainer.model.predict(answer.counterfactuals).tolist() == ["yes"]
    assert [change.feature for change in answer[0].changes] == ["income"]


def test_a_level_never_seen_that_is_left_is_a_change_and_told(explainer):
    row = pd.DataFrame({"income": [4.5], "job": ["diver"]})
    answer = explainer.explain(row, "yes", constraints=ew.Constraints(immutable=["income"]))
    assert answer.counterfactuals["job"].tolist() == ["nurse"]
    assert [change.feature for change in answer[0].changes] == ["job"]
    assert 'job "nurse" (now "diver")' in answer[0].sentence
    assert answer.distances[0] > 0


def test_no_answer_moves_to_a_level_never_seen(explainer):
    rows = pd.DataFrame({"income": [4.0, 4.0], "job": ["diver", "clerk"]})
    answers = explainer.explain(rows, "yes")
    assert set(answers.counterfactuals["job"]) <= {"diver", "clerk", "nurse", "smith"}
    assert answers.counterfactuals["job"].iloc[1] != "diver"
