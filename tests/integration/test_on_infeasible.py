"""The densest there is where nothing is as dense as asked, against asking at every quantile."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.reasons import LessDense
from elsewise.tools.files.answers import records_of
from elsewise.tools.report import html_report


@cache
def case(condition_on_fixed: bool) -> tuple[ew.Explainer, pd.DataFrame]:
    """Three classes of a whole number, a number and a category; an explainer that asks for much."""
    rng = np.random.default_rng(0)
    n = 240
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "months": rng.poisson(2 + 3 * y),
            "size": rng.normal(y, 1.0),
            "kind": np.where(rng.random(n) < 0.1, "c", np.where(rng.random(n) < 0.3 + 0.2 * y, "a", "b")),
        }
    )
    encode = make_column_transformer((StandardScaler(), ["months", "size"]), (OneHotEncoder(), ["kind"]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.85, condition_on_fixed=condition_on_fixed).fit(
        frame, y
    )
    return explainer, frame[model.predict(frame) == 0].iloc[:14]


def rules() -> ew.Constraints:
    return ew.Constraints(immutable=["kind"], max_changes=1)


@pytest.mark.parametrize("given", [False, True], ids=["joint", "given"])
def test_the_densest_is_the_nearest_at_the_highest_quantile_that_works(given: bool) -> None:
    explainer, rows = case(given)
    plain = explainer.explain(rows, 1, constraints=rules())
    answers = explainer.explain(rows, 1, constraints=rules(), on_infeasible="densest")
    none = np.flatnonzero(plain.statuses == "infeasible")
    found = np.flatnonzero(plain.found)
    assert len(none) >= 3
    assert (answers.statuses[found] == plain.statuses[found]).all()
    assert np.array_equal(answers.distances[found], plain.distances[found])
    assert (answers.quantiles[found] == 0.85).all()
    assert set(answers.statuses[none].tolist()) <= {"densest", "infeasible"}
    assert (answers.statuses[none] == "densest").any()
    for k in none[:4].tolist():
        one = answers[k]
        why = explainer.why_not(rows.iloc[[k]], 1, rules())
        if one.status == "infeasible":
            assert why.highest_quantile is None
            continue
        assert one.quantile == why.highest_quantile
        assert one.cause == LessDense(one.cause.target, one.quantile, 0.85)
        again = explainer.with_threshold(one.quantile).explain_one(rows.iloc[k], 1, constraints=rules())
        assert again.status == "optimal"
        assert one.distance == pytest.approx(again.distance)
        assert one.log_threshold == pytest.approx(again.log_threshold)
        assert one.log_density >= one.log_threshold
        assert one.quantile <= one.plausibility < 0.85
        assert one.gap == pytest.approx(0.0, abs=1e-6)
        above = explainer.with_threshold(one.quantile + 0.001).explain_one(rows.iloc[k], 1, constraints=rules())
        assert above.status == "infeasible"
        assert explainer.model.predict(one.counterfactual.to_frame().T.astype(rows.dtypes))[0] == 1


def test_any_class_will_do() -> None:
    explainer, rows = case(condition_on_fixed=False)
    answers = explainer.explain(rows, constraints=rules(), on_infeasible="densest")
    densest = np.flatnonzero(answers.statuses == "densest")
    assert len(densest)
    for k in densest[:2].tolist():
        each = [explainer.why_not(rows.iloc[[k]], target, rules()).highest_quantile or 0.0 for target in (1, 2)]
        assert answers[k].quantile == max(each)
        assert answers[k].target == (1, 2)[int(np.argmax(each))]


def test_it_is_told_as_what_it_is() -> None:
    explainer, rows = case(condition_on_fixed=True)
    answers = explainer.explain(rows, 1, constraints=rules(), on_infeasible="densest")
    k = int(np.flatnonzero(answers.statuses == "densest")[0])
    one = answers[k]
    assert "given the columns that cannot change. Nothing is as typical as requested." in one.sentence
    assert "No smaller change is as typical as this one (proven)." in one.sentence
    assert one.reason.startswith("Nothing is as typical as requested")
    assert " instead of 0.85." in one.reason
    assert "most typical: distance" in str(one)
    assert "most typical" in str(answers)
    assert "densest" in answers.to_frame()["status"].tolist()
    record = list(records_of(answers, 0))[k]["answers"][0]
    assert record["status"] == "densest"
    assert record["changes"]
    page = html_report(explainer, answers[:6])
    assert '"s-densest' in page or " s-densest" in page
    assert "given these" in page


def test_without_a_density_or_with_an_unknown_word() -> None:
    explainer, rows = case(condition_on_fixed=False)
    bare = ew.Explainer(explainer.model, density=None)
    bare.fit(rows, np.zeros(len(rows)))
    impossible = ew.Constraints(immutable=["months", "size", "kind"])
    assert (
        bare.explain(rows[:2], 1, constraints=impossible, on_infeasible="densest").statuses.tolist()
        == ["infeasible"] * 2
    )
    with pytest.raises(ew.InvalidInputError, match="on_infeasible must be 'none' or 'densest', received 'best'"):
        explainer.explain(rows[:2], 1, on_infeasible="best")


def test_that_no_other_is_as_dense_is_not_proven() -> None:
    """Of two columns that are alike, either can change; only one answer is looked for."""
    half = np.random.default_rng(0).normal(size=(150, 2))
    X = np.concatenate([half, half[:, ::-1]])
    model = LogisticRegression().fit(X, X.sum(axis=1) > 0)
    explainer = ew.Explainer(model, threshold=0.9, density=ew.GaussianMixtureDensity(n_components=1)).fit(
        X, model.predict(X)
    )
    row, rules = [-1.5, -1.5], ew.Constraints(max_changes=1)
    answers = explainer.explain_one(row, True, constraints=rules, on_infeasible="densest", n_counterfactuals=2)
    assert answers.statuses.tolist() == ["densest"]
    there = explainer.with_threshold(answers[0].quantile)
    assert len(there.explain_one(row, True, constraints=rules, n_counterfactuals=2)) == 2
    assert not answers[0].cause.is_proven
    assert "Others may exist." in answers[0].reason
