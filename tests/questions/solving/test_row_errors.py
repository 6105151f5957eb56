"""Rows that are wrong: each is found, told in its own words, and touches no other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import elsewise as ew


@pytest.fixture(scope="module")
def numbers(iris_explainer, iris):
    return iris_explainer, iris[0][:20].copy()


def test_arrays_of_numbers(numbers):
    explainer, X = numbers
    wrong = X.copy()
    wrong[3, 1], wrong[7, 2], wrong[19, 0] = np.nan, np.inf, 1e300
    answers = explainer.explain(wrong, "virginica", errors="row")
    assert np.flatnonzero(answers.statuses == "error").tolist() == [3, 7, 19]
    right = np.flatnonzero(answers.found)
    alone = explainer.explain(X, "virginica")
    assert np.array_equal(answers.counterfactuals[right], alone.counterfactuals[right])
    assert np.array_equal(answers.lower_bounds[right], alone.lower_bounds[right])
    assert np.isnan(answers.counterfactuals[[3, 7, 19]].astype(float)).all()
    assert "nan" in answers.reasons[3]
    assert "inf" in answers.reasons[7]
    assert "1e+300" in answers.reasons[19]
    assert answers.targets == ("virginica",) * 20
    assert answers[3].prediction is None


def test_nothing_is_wrong_and_everything_is(numbers):
    explainer, X = numbers
    same = explainer.explain(X, "virginica", errors="row")
    assert np.array_equal(same.distances, explainer.explain(X, "virginica").distances)
    nothing = explainer.explain(np.full_like(X, np.nan), "virginica", errors="row")
    assert nothing.statuses.tolist() == ["error"] * 20
    assert nothing.counterfactuals.shape == X.shape
    assert len(explainer.explain(X[:0], "virginica", errors="row")) == 0


def test_every_wrong_row_of_many_is_found(numbers):
    explainer, X = numbers
    rng = np.random.default_rng(3)
    rows = np.tile(X, (40, 1))
    wrong = rng.random(len(rows)) < 0.05
    rows[wrong, rng.integers(0, 4, wrong.sum())] = np.nan
    answers = explainer.explain(rows, "virginica", errors="row")
    assert np.array_equal(answers.statuses == "error", wrong)


def test_one_target_a_row_and_several_answers(numbers):
    explainer, X = numbers
    rows = X[:6].copy()
    rows[2, 2] = np.nan
    targets = ["virginica", "versicolor", "virginica", None, "versicolor", "virginica"]
    answers = explainer.explain(rows, targets, errors="row", n_counterfactuals=2)
    assert answers.statuses[answers.rows == 2].tolist() == ["error"]
    assert (np.diff(answers.rows) >= 0).all()
    wanted = dict(zip(answers.rows.tolist(), answers.targets))
    assert [wanted[row] for row in (0, 1, 2, 4, 5)] == [targets[row] for row in (0, 1, 2, 4, 5)]
    right = answers.take(np.flatnonzero(answers.rows != 2))
    alone = explainer.explain(X[:6], targets, n_counterfactuals=2)
    assert np.array_equal(right.distances, alone.distances[alone.rows != 2])


def test_every_row_keeps_its_own_target(numbers, iris):
    explainer, X = numbers
    rng = np.random.default_rng(6)
    rows, targets = np.tile(X, (2, 1)), rng.choice(["setosa", "versicolor", "virginica"], 40).tolist()
    wrong = np.flatnonzero(rng.random(40) < 0.4)
    rows[wrong, 0] = np.nan
    answers = explainer.explain(rows, targets, errors="row")
    assert np.flatnonzero(answers.statuses == "error").tolist() == wrong.tolist()
    assert list(answers.targets) == targets
    right = np.flatnonzero(answers.found)
    said = explainer.model.predict(np.asarray(answers.counterfactuals[right], dtype=float))
    assert said.tolist() == [targets[row] for row in right]
    # ranges of a regressor
    flowers = iris[0]
    regressor = ew.Explainer(LinearRegression().fit(flowers[:, :3], flowers[:, 3]), density=None).fit(flowers[:, :3])
    ranges = [(0.1 * row, 0.1 * row + 0.05) for row in range(40)]
    ranged = regressor.explain(rows[:, :3], ranges, errors="row")
    assert list(ranged.targets) == ranges
    assert np.flatnonzero(ranged.statuses == "error").tolist() == wrong.tolist()


def test_a_regressor(iris):
    X, _ = iris
    explainer = ew.Explainer(LinearRegression().fit(X[:, :3], X[:, 3]), density=None).fit(X[:, :3])
    rows = X[:4, :3].copy()
    rows[1, 0] = np.nan
    answers = explainer.explain(rows, (1.0, 2.0), errors="row")
    assert answers.statuses.tolist() == ["optimal", "error", "optimal", "optimal"]
    assert np.isnan(answers.predictions[1])
    assert answers.targets[1] == (1.0, 2.0)


def test_tables_say_what_is_wrong_wherever_answers_are_told(loans):
    pandas = pytest.importorskip("pandas")
    rows = loans.frame.iloc[:5].astype({"housing": object}).copy()
    rows.loc[1, "housing"] = "boat <b>"
    rows.loc[2, "income"] = np.nan
    rules = ew.Constraints(special={"years": [-9]}, codes="stay")
    rows.loc[3, "years"] = -60
    answers = loans.explainer.explain(rows, "yes", errors="row", constraints=rules)
    assert answers.statuses.tolist()[1:4] == ["error"] * 3
    assert "'years' is -60" in answers[3].sentence
    assert "row 0" not in " ".join(answers.reasons)
    assert "3 error" in repr(answers)
    frame = answers.to_frame()
    assert frame["status"].tolist() == answers.statuses.tolist()
    assert frame["housing"].isna().tolist() == [False, True, True, True, False]
    assert "boat &lt;b&gt;" in answers[1]._repr_html_()
    assert "<b>" not in answers[1]._repr_html_() + answers._repr_html_()
    assert "cannot be explained" in str(answers[2])
    assert answers[2].changes == ()
    assert answers[2].certificate.valid is False
    assert answers[2].to_frame()["after"].isna().all()
    assert isinstance(pandas.concat([frame, frame]), pandas.DataFrame)


def test_pictures_of_a_wrong_row_say_so(loans):
    pytest.importorskip("matplotlib")
    rows = loans.frame.iloc[:3].copy()
    rows.loc[1, "income"] = np.nan
    answers = loans.explainer.explain(rows, "yes", errors="row")
    with pytest.raises(ew.InvalidInputError, match=r"the row has no answer\. The row must be finite"):
        ew.plot.changes(answers[1])
    assert ew.plot.summary(answers) is not None


def test_errors_of_the_question_are_raised_all_the_same(numbers):
    explainer, X = numbers
    with pytest.raises(ew.InvalidInputError, match="errors must be"):
        explainer.explain(X, "virginica", errors="ignore")
    with pytest.raises(ew.InvalidInputError, match="Unknown target"):
        explainer.explain(X, "rose", errors="row")
    with pytest.raises(ew.InvalidInputError, match="features"):
        explainer.explain(X[:, :2], "virginica", errors="row")
