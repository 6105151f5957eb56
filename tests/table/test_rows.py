"""Rows: bad ones get one clear error, odd but good ones are taken."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from fitted_models import assert_certified, random_data


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_named(iris, iris_explainer, wrong):
    X, y = iris
    rows = X[:6].copy()
    rows[4, 2] = wrong
    with pytest.raises(ew.InvalidInputError, match=rf"X must be finite: received {wrong} in row 4, column 'x2'"):
        iris_explainer.explain(rows)
    with pytest.raises(ew.InvalidInputError, match="in row 0, column 'x2'"):
        iris_explainer.explain_one(rows[4])
    with pytest.raises(ew.InvalidInputError, match="in row 4, column 'x2'"):
        ew.Explainer(iris_explainer.model).fit(rows, y[:6])
    rows[5, 0] = np.nan
    with pytest.raises(ew.InvalidInputError, match="2 such values in all"):
        iris_explainer.explain(rows)


def test_wrong_number_of_features(iris, iris_explainer):
    X, y = iris
    with pytest.raises(ew.InvalidInputError, match="X has 3 features, but the explainer and its model expect 4"):
        iris_explainer.explain(X[:, :3])
    with pytest.raises(ew.InvalidInputError, match="X has 5 features, but the explainer and its model expect 4"):
        iris_explainer.explain_one(np.zeros(5))
    with pytest.raises(ew.InvalidInputError, match="X has 2 features, but the explainer and its model expect 4"):
        iris_explainer.to_model_space(X[:, :2])
    with pytest.raises(ew.InvalidInputError, match="X has 3 features, but the explainer and its model expect 4"):
        ew.Explainer(iris_explainer.model).fit(X[:, :3], y)


def test_wrong_number_of_dimensions(iris, iris_explainer):
    X, _ = iris
    with pytest.raises(
        ew.InvalidInputError, match=r"shape \(n_samples, n_features\), received shape \(4,\).*explain_one"
    ):
        iris_explainer.explain(X[0])
    with pytest.raises(ew.InvalidInputError, match=r"received shape \(2, 3, 4\)"):
        iris_explainer.explain(np.zeros((2, 3, 4)))
    with pytest.raises(ew.InvalidInputError, match=r"explain_one takes one row, received shape \(2, 4\)"):
        iris_explainer.explain_one(X[:2])
    with pytest.raises(ew.InvalidInputError, match=r"explain_one takes one row, received shape \(\)"):
        iris_explainer.explain_one(3.0)
    with pytest.raises(ew.InvalidInputError, match=r"expected an array of shape \(n_samples, n_features\)"):
        iris_explainer.explain([[1.0, 2.0, 3.0, 4.0], [1.0]])


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_are_refused(iris, iris_explainer, kind):
    X, y = iris
    with pytest.raises(ew.InvalidInputError, match=r"X is sparse .* Pass X.toarray\(\)"):
        iris_explainer.explain(kind(X))
    with pytest.raises(ew.InvalidInputError, match="X is sparse"):
        ew.Explainer(iris_explainer.model).fit(kind(X), y)


@pytest.mark.parametrize(
    "rows", [[["a", "b", "c", "d"]], np.ones((1, 4), dtype=complex), np.zeros((1, 4), dtype="datetime64[D]")], ids=str
)
def test_rows_that_are_no_numbers_are_refused(iris_explainer, rows):
    with pytest.raises(ew.InvalidInputError, match="X: expected numbers, as in the fit, received values of type"):
        iris_explainer.explain(rows)


def test_missing_values_of_objects_are_named(iris_explainer):
    with pytest.raises(ew.InvalidInputError, match="received nan in row 1, column 'x3'"):
        iris_explainer.explain([[1, 2, 3, 4], [1, 2, 3, None]])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint8, np.bool_, object])
def test_rows_of_any_numeric_type_are_echoed_in_it(iris, iris_explainer, dtype):
    X, _ = iris
    rows = X[::30].astype(dtype)
    kept = rows.copy()
    answers = iris_explainer.explain(rows, "virginica")
    assert answers.x.dtype == rows.dtype
    assert answers[1].x.dtype == rows.dtype
    assert answers.x.tobytes() == kept.tobytes() == rows.tobytes()
    assert not np.shares_memory(answers.x, rows)
    assert_certified(iris_explainer, rows, answers)
    expected = iris_explainer.explain(kept.astype(np.float64), "virginica")
    np.testing.assert_array_equal(answers.counterfactuals, expected.counterfactuals)


def test_the_layout_of_rows_does_not_matter(iris, iris_explainer):
    X, y = iris
    expected = iris_explainer.explain(X[::20])
    read_only = X[::20].copy()
    read_only.flags.writeable = False
    strided = np.repeat(X[::20], 2, axis=1)[:, ::2]
    for rows in (np.asfortranarray(X[::20]), read_only, X[::20].tolist(), strided):
        before = np.array(rows)
        answers = iris_explainer.explain(rows)
        np.testing.assert_array_equal(answers.counterfactuals, expected.counterfactuals)
        np.testing.assert_array_equal(answers.x, before)
        np.testing.assert_array_equal(rows, before)
    fixed_X, fixed_y = np.asfortranarray(X), y.copy()
    fixed_X.flags.writeable = fixed_y.flags.writeable = False
    again = ew.Explainer(iris_explainer.model, density=iris_explainer.density).fit(fixed_X, fixed_y)
    np.testing.assert_array_equal(again.explain(read_only).counterfactuals, expected.counterfactuals)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_fit_on_other_types_works(dtype):
    X, y = random_data(3)
    X = (10 * X).astype(dtype)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
    answers = explainer.explain(X[:10])
    assert_certified(explainer, X[:10], answers)
    assert (answers.statuses == "optimal").all()


def test_no_rows_give_no_explanations(iris_explainer):
    answers = iris_explainer.explain(np.empty((0, 4)))
    assert len(answers) == 0
    assert list(answers) == []
    assert answers.counterfactuals.shape == (0, 4)
    assert len(iris_explainer.explain(np.empty((0, 4)), "setosa")) == 0
    assert len(iris_explainer.explain(np.empty((0, 4)), [])) == 0
    assert "0 explanations" in str(answers)
    with pytest.raises(ew.InvalidInputError, match=r"expected numbers|features"):
        iris_explainer.explain(np.empty((0, 3)))


def test_fit_needs_rows_and_labels(iris):
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="X has no rows"):
        ew.Explainer(model).fit(X[:0], y[:0])
    with pytest.raises(ew.InvalidInputError, match="fit needs y"):
        ew.Explainer(model).fit(X)
    with pytest.raises(ew.InvalidInputError, match=r"one label for each of the 150 rows, received shape \(149,\)"):
        ew.Explainer(model).fit(X, y[:-1])
    with pytest.raises(ew.InvalidInputError, match=r"labels the model does not know: \['rose'\]; it knows \['setosa'"):
        ew.Explainer(model).fit(X, np.where(y == "setosa", "rose", y))
    with pytest.raises(ew.InvalidInputError, match="Class 'setosa' has no rows in X"):
        ew.Explainer(model).fit(X[50:], y[50:])
    assert ew.Explainer(model, density=None).fit(X).explain_one(X[0], "virginica").status == "optimal"
