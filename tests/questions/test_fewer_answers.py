"""Fewer answers than were asked for: it is said, and whether it is proven that there are no more."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.reasons import NoFurther


@pytest.mark.parametrize("n_columns", [1, 2])
def test_it_is_said_and_proven_that_there_are_no_more(n_columns):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, n_columns))
    y = (X.sum(axis=1) > 0).astype(int)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None, learn_rules=False).fit(X, y)
    row = X[explainer.model.predict(X) == 0][0]
    answers = explainer.explain_one(row, 1, n_counterfactuals=4)
    assert len(answers) == n_columns  # with one condition, every single column is an answer, and no set contains none
    said = [answer.cause for answer in answers if isinstance(answer.cause, NoFurther)]
    assert said == [NoFurther(n_columns, 4, is_proven=True)]
    assert "(proven)" in str(answers[n_columns - 1]).splitlines()[-1]
    assert not any(isinstance(answer.cause, NoFurther) for answer in explainer.explain_one(row, 1, n_counterfactuals=1))
