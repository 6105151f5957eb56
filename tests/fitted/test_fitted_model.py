"""The fitted model: what it says of points, what it keeps, and what another threshold changes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import elsewise as ew
from elsewise.fitted.fitted_model import MOST_PROBLEMS_KEPT
from elsewise.models import Interval


@pytest.fixture(scope="module")
def fitted(iris_explainer):
    return iris_explainer.fitted_


def test_it_says_what_the_model_says(fitted, iris, loans):
    X, _ = iris
    np.testing.assert_array_equal(fitted.predict(X, X), fitted.model.predict(X))
    for index in range(3):
        np.testing.assert_array_equal(fitted.probability(X, X, index=index), fitted.model.predict_proba(X)[:, index])
    table = loans.explainer.fitted_
    rows = table.table.encode(loans.frame)
    np.testing.assert_array_equal(table.predict(rows, loans.frame), loans.explainer.model.predict(loans.frame))


def test_another_threshold_leaves_this_one_as_it_is(fitted):
    higher = fitted.with_threshold(0.9)
    for label, density in fitted.densities.items():
        assert higher.densities[label].log_threshold_ > density.log_threshold_
        assert higher.densities[label].mixture_ is density.mixture_
    assert higher.table is fitted.table
    # cells are those of the threshold asked for
    radii = [problem.cells.radii for problem in (fitted.problem(fitted.labels), higher.problem(higher.labels))]
    assert radii[1].max() < radii[0].max()


def test_a_threshold_without_a_density_is_refused(iris):
    X, y = iris
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="density=None"):
        explainer.with_threshold(0.5)


def test_problems_are_kept_but_not_for_ever(iris):
    X, y = iris
    model = Ridge().fit(X, np.unique(y, return_inverse=True)[1])
    fitted = ew.Explainer(model, density=None).fit(X).fitted_
    first = fitted.problem([Interval(0.0, 1.0)])
    assert fitted.problem([Interval(0.0, 1.0)]) is first
    for low in range(20):
        fitted.problem([Interval(float(low), low + 1.0)])
    assert len(fitted.problems) <= MOST_PROBLEMS_KEPT
    assert fitted.problem([Interval(0.0, 1.0)]) is first  # what came first stays: a classifier's own labels


def test_profiles_are_those_of_each_label(iris_explainer, iris):
    X, y = iris
    for label in (None, *np.unique(y).tolist()):
        rows = X if label is None else X[y == label]
        for column, profile in enumerate(iris_explainer.profiles_[label]):
            np.testing.assert_allclose(profile.percentiles[[0, 50, 100]], np.percentile(rows[:, column], [0, 50, 100]))
            assert profile.counts.sum() == len(rows)


def test_columns_are_whole_where_the_user_says_so_and_nowhere_else(loans):
    fitted = loans.explainer.fitted_
    kinds = {column.name: column.kind for column in fitted.table.columns}
    assert (kinds["years"], kinds["income"]) == ("integer", "number")
    for whole in ([], ["income"], ["income", "years"]):
        under = {c.name: c.kind for c in fitted.table_under(fitted.rules(ew.Constraints(integer=whole))).columns}
        assert under == kinds | {name: "integer" if name in whole else "number" for name in ("years", "income")}
    assert fitted.table_under(fitted.rules(None)) is fitted.table
