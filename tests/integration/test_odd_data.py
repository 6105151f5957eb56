"""Few, equal, constant, masked and huge data, and labels of any type."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from fitted_models import assert_certified, random_data


def test_too_few_rows_for_the_mixture(iris, iris_explainer):
    X, y = iris
    few = np.r_[0:3, 50:100, 100:150]
    with pytest.raises(
        ew.InvalidInputError, match=r"too few rows for the mixture: expected at least 5 rows.*received 3"
    ):
        ew.Explainer(iris_explainer.model, density=ew.GaussianMixtureDensity(n_components=5)).fit(X[few], y[few])
    with pytest.raises(ew.InvalidInputError, match="too few rows"):
        ew.Explainer(iris_explainer.model).fit(X[few[2:]], y[few[2:]])


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel", None])
@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(random_state=0)], ids=str)
def test_one_feature(model, density, distance):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 30), rng.normal(4, 1, 30)])[:, None]
    y = np.repeat(["low", "high"], 30)
    explainer = ew.Explainer(model.fit(x, y), density=density, distance=distance).fit(x, y)
    answers = explainer.explain(x[::7], "high", on_satisfied="move")
    assert_certified(explainer, x[::7], answers)
    assert (answers.statuses == "optimal").all()
    line = np.linspace(-5, 10, 200_001)[:, None]
    good = model.predict(line) == "high"
    if density is not None:
        mine = explainer.densities_["high"]
        good &= mine.log_max(line) >= mine.log_threshold_
    for row, found in zip(x[::7], answers.distances):
        nearest = explainer.distance_(line[good], row).min()
        assert found <= nearest * (1 + 1e-6) + 1e-12
        np.testing.assert_allclose(np.sqrt(found), np.sqrt(nearest), atol=0.02)


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("constant", [0.0, 1.0, -250.0])
def test_constant_features(constant, distance):
    X, y = random_data(3)
    X = np.column_stack([X, np.full(len(X), constant)])
    for model in (LogisticRegression(max_iter=2000), make_pipeline(StandardScaler(), LogisticRegression())):
        model.fit(X, y)
        density = ew.GaussianMixtureDensity(n_components=2)
        explainer = ew.Explainer(model, distance=distance, density=density).fit(X, y)
        answers = explainer.explain(X[:10])
        assert_certified(explainer, X[:10], answers)
        assert (answers.statuses == "optimal").all()
        np.testing.assert_allclose(answers.counterfactuals[:, -1], constant, atol=1e-3 * max(abs(constant), 1))


@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel"])
def test_duplicated_rows(density):
    X, y = random_data(3)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    answers = explainer.explain(X[::40])
    assert_certified(explainer, X[::40], answers)
    assert (answers.statuses == "optimal").all()
    np.testing.assert_array_equal(answers.counterfactuals, explainer.explain(X[1::40]).counterfactuals)


def test_equal_rows_of_different_classes():
    # One-nearest-neighbour can decide for one of the two only; the other class has other rows.
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 0.0], [9.0, 0.0]])
    y = np.array(["a", "a", "b", "b"])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for target in ("a", "b"):
        rows = np.array([[-1.0, 0.5], [1.0, 1.0], [5.0, 0.0], [20.0, 3.0]])
        answers = explainer.explain(rows, target)
        assert_certified(explainer, rows, answers)
        assert answers.found.all()


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[False, True], ["no", "yes"], [-1, 1], [1.0, 2.0], [3, 10]], ids=str)
def test_labels_of_any_type(labels):
    X, y = random_data(2)
    y = np.array(labels)[(y == "right").astype(int)]
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    assert list(explainer.densities_) == labels
    for target in (labels[1], model.classes_[1], np.full(20, labels[1]), [labels[1]] * 20):
        answers = explainer.explain(X[:20], target, on_satisfied="move")
        assert_certified(explainer, X[:20], answers)
        assert all(found == labels[1] for found in answers.targets)
    open_choice = explainer.explain(X[:20])
    assert (np.asarray(open_choice.targets) != model.predict(X[:20])).all()


def test_labels_as_lists_and_objects(iris):
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y.astype(object))
    density = ew.GaussianMixtureDensity(n_components=1)
    explainer = ew.Explainer(model, density=density).fit(X.tolist(), y.tolist())
    assert explainer.explain_one(X[0].tolist(), "virginica").status == "optimal"


def test_a_regressor_takes_no_labels_and_no_probability():
    X, y = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X)
    with pytest.raises(ew.InvalidInputError, match=r"A regressor needs target=\(low, high\).*received None"):
        explainer.explain(X[:2])
    with pytest.raises(ew.InvalidInputError, match="min_probability is for classifiers"):
        explainer.explain(X[:2], (0, 1), min_probability=0.9)
    with pytest.raises(ew.InvalidInputError, match="explain_one takes one target"):
        explainer.explain_one(X[0], [(0, 1), (1, 2)])


# --- masked arrays: a masked value is a missing one ------------------------------------------------------------------


def masked(X, *cells):
    """Mask some cells; what lies under the mask looks like data."""
    mask = np.zeros(np.shape(X), dtype=bool)
    for cell in cells:
        mask[cell] = True
    return np.ma.array(X, mask=mask)


def test_masked_values_are_missing(iris, iris_explainer):
    X, y = iris
    hidden = masked(X, (3, 1))
    message = "X must be finite: received nan in row 3, column 'x1'"
    with pytest.raises(ew.InvalidInputError, match=message):
        iris_explainer.explain(hidden[:5], "virginica")
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Explainer(iris_explainer.model).fit(hidden, y)
    with pytest.raises(ew.InvalidInputError, match="received nan in row 0, column 'x1'"):
        iris_explainer.explain_one(hidden[3], "virginica")
    with pytest.raises(ew.InvalidInputError, match="received nan in row 1, column 'x0'"):
        iris_explainer.explain(masked(np.ones((2, 4), dtype=int), (1, 0)), "virginica")
    with pytest.raises(ew.InvalidInputError, match="received nan in row 1, column 'x0'"):
        iris_explainer.explain(masked(X[:2].astype(object), (1, 0)), "virginica")


def test_masked_arrays_without_masked_values_are_arrays(iris, iris_explainer):
    X, y = iris
    expected = iris_explainer.explain(X[:3], "virginica")
    answers = iris_explainer.explain(np.ma.array(X[:3]), masked(np.array(["virginica"] * 3)))
    np.testing.assert_array_equal(answers.counterfactuals, expected.counterfactuals)
    assert type(answers.counterfactuals) is type(answers.x) is np.ndarray
    one = iris_explainer.explain_one(np.ma.array(X[0]), "virginica")
    np.testing.assert_array_equal(one.counterfactual, expected.counterfactuals[0])
    fitted = ew.Explainer(iris_explainer.model, density=iris_explainer.density).fit(np.ma.array(X), masked(y))
    np.testing.assert_array_equal(fitted.explain(X[:3], "virginica").counterfactuals, expected.counterfactuals)


def test_masked_values_are_imputed_like_missing_ones():
    X, y = random_data(3)
    holes = X.copy()
    holes[::9, 2] = np.nan
    hidden = masked(np.where(np.isnan(holes), 1e6, holes), np.isnan(holes))
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()).fit(holes, y)
    expected = ew.Explainer(model, density=None).fit(holes, y)
    explainer = ew.Explainer(model, density=None).fit(hidden, y)
    answers = explainer.explain(hidden[:20])
    np.testing.assert_array_equal(answers.counterfactuals, expected.explain(holes[:20]).counterfactuals)
    np.testing.assert_array_equal(answers.x, holes[:20])


def test_masked_labels_and_targets_are_refused(iris, iris_explainer):
    X, y = iris
    with pytest.raises(
        ew.InvalidInputError, match=r"y: expected the labels .* received 2 masked \(the first in row 4\)"
    ):
        ew.Explainer(iris_explainer.model).fit(X, masked(y, 4, 9))
    with pytest.raises(ew.InvalidInputError, match=r"target: 1 of 3 entries are masked \(the first in row 1\)"):
        iris_explainer.explain(X[:3], masked(y[:3], 1))


# --- labels that cannot be -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("density", ["gaussian_mixture", None])
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("one", r"received text and other labels mixed, such as 'one' in row 7 and 0 in row 0"),
        (None, r"received 1 missing \(the first in row 7\)\. Drop these rows"),
        (np.nan, r"received 1 missing \(the first in row 7\)"),
        (pd.NA, r"received 1 missing \(the first in row 7\)"),
    ],
    ids=repr,
)
def test_labels_that_are_mixed_or_missing_are_named(odd, message, density):
    X, _ = random_data(3)
    y = (X[:, 0] > X[0, 0]).astype(int)
    model = LogisticRegression(max_iter=2000).fit(X, y)
    labels = [odd if row == 7 else label for row, label in enumerate(y.tolist())]
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    message = r"y: expected the labels of the \d+ rows, of the model's classes \[0, 1\], " + message
    for given in (labels, made, pd.Series(labels, dtype=object)):
        with pytest.raises(ew.InvalidInputError, match=message):
            ew.Explainer(model, density=density).fit(X, given)


@pytest.mark.parametrize("target", [pd.NA, np.nan, pd.NaT], ids=repr)
def test_targets_that_are_missing_are_named(iris, iris_explainer, target):
    X, _ = iris
    message = (
        "target: expected a label, received the missing value .* labels are: 'setosa', .* None asks for the nearest"
    )
    with pytest.raises(ew.InvalidInputError, match=message):
        iris_explainer.explain(X[:3], target)
    with pytest.raises(ew.InvalidInputError, match=message):
        iris_explainer.explain(X[:3], ["virginica", target, "setosa"])
    with pytest.raises(ew.InvalidInputError, match=message):
        iris_explainer.explain(X[:3], pd.Series(["virginica", target, "setosa"], dtype=object))


# --- numbers that are too large --------------------------------------------------------------------------------------


@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel", None])
def test_numbers_whose_squares_overflow_are_named(iris, iris_explainer, density):
    X, y = iris
    huge = X.copy()
    huge[4, 2] = -1e308
    message = r"X must lie between -1e\+151 and 1e\+151 .*: received -1e\+308 in row 4, column 'x2'. Correct the value"
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Explainer(iris_explainer.model, density=density).fit(huge, y)
    with pytest.raises(ew.InvalidInputError, match=message):
        iris_explainer.explain(huge[:6], "virginica")


@pytest.mark.parametrize("front", [(), (StandardScaler(),)], ids=["bare", "scaled"])
def test_numbers_beyond_what_a_tree_reads_are_named(iris, front):
    X, y = iris
    model = make_pipeline(*front, DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    huge = X[:6].copy()
    huge[4, 2] = 1e39
    with pytest.raises(ew.InvalidInputError, match=r"32-bit floats\): received 1e\+39 in row 4, column 'x2'"):
        explainer.explain(huge, "virginica")
    huge[4, 2] = 1e30
    assert explainer.explain(huge, "virginica").statuses[4] != "infeasible"


# --- numbers written as text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [object, "str"])
def test_numbers_written_as_text_are_named(dtype):
    X, y = random_data(3)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = LogisticRegression().fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    text = frame.assign(b=[f"{value:.3f}" for value in frame.b]).astype({"b": dtype})
    with pytest.raises(
        ew.InvalidInputError, match=r"in column 'b', received the text '.*' in row 0\. Convert .*to_numeric"
    ):
        explainer.explain(text)
    with pytest.raises(ew.InvalidInputError, match=r"in column 'b', received the text '.*' in row 0"):
        explainer.explain_one(text.iloc[0])
    message = r"Column 'b' reaches the final estimator .* They are numbers written as text: .*to_numeric"
    with pytest.raises(ew.UnsupportedSettingError, match=message):
        ew.Explainer(model, density=None).fit(text, y)
