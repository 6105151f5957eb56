"""Reasons become sentences that claim no more than the reason does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import elsewise as ew
from elsewise.reasons import NothingWithin, OutOfTime, Target, TooSparse, for_everyone
from elsewise.text import reason_in_words, target_in_words
from elsewise.text.reasons import obstacle_in_words


def test_a_regression_without_rules_does_not_speak_of_rules():
    """Whole numbers of a column leave nothing in the range, though nobody gave a rule."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"rooms": np.arange(1, 21)})
    model = LinearRegression().fit(frame, 2.0 * frame["rooms"])
    taught = ew.Explainer(model, density=None).fit(frame).explain_one(frame.iloc[0], (4.5, 5.5))
    assert taught.reason.startswith(
        "No change makes the model predict between 4.5 and 5.5 as long as answers keep what all training rows"
    )
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame)
    one = explainer.explain_one(frame.iloc[0], (4.5, 5.5))
    assert one.status == "infeasible"
    assert one.reason == (
        "No change makes the model predict between 4.5 and 5.5: the columns cannot hold such a row (proven)."
    )
    ruled = explainer.explain_one(frame.iloc[0], (9.5, 10.5), constraints=ew.Constraints(bounds={"rooms": (1, 3)}))
    assert ruled.reason.endswith(": rooms between 1 and 3. Without it the smallest change costs 0.8.")


@pytest.mark.parametrize("has_density", [False, True])
@pytest.mark.parametrize("has_rules", [False, True])
def test_rules_and_density_are_named_where_they_were_given(has_rules, has_density):
    reason = NothingWithin(Target("good"), has_rules=has_rules, has_density=has_density)
    for said in (reason_in_words(reason), reason_in_words(for_everyone(reason))):
        assert ("rules" in said) == has_rules
        assert ("realistic" in said) == has_density
    assert ("explainer.why_not" in reason_in_words(reason)) == has_rules
    assert "explainer.why_not" not in reason_in_words(for_everyone(reason))


@pytest.mark.parametrize("quantile", [0.29, 0.12349, 0.9999999])
def test_the_advice_for_a_threshold_is_not_too_high(quantile):
    said = reason_in_words(TooSparse(Target("good"), log_threshold=-3.0, log_density=-4.5678901, quantile=quantile))
    told = float(re.search(r"threshold=([\d.]+)\)\.$", said)[1])
    assert quantile - 1.01e-4 <= told <= quantile
    none = reason_in_words(TooSparse(Target("good"), log_threshold=-3.0, log_density=-4.5678901, quantile=None))
    assert "LogDensity(-4.568) is" in none


def test_ranges_and_probabilities():
    assert target_in_words(Target((-np.inf, -1.0))) == "predict at most -1"
    assert target_in_words(Target((12345.678, np.inf))) == "predict at least 12,345.7"
    assert target_in_words(Target((0.1, 0.1 + 1e-9))) == "predict between 0.1 and 0.100000001"
    assert target_in_words(Target("good", 0.75)) == 'give "good" a probability of at least 0.75'


def test_rows_that_ran_out_of_time_are_counted_together():
    """What a summary counts holds no numbers of a row."""
    reasons = [OutOfTime(Target("a"), bound, "time") for bound in (0.0, 1.5, 2.5)]
    assert len({obstacle_in_words(each) for each in reasons}) == 1
    assert "1.5" in reason_in_words(reasons[1])
