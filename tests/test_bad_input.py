"""Bad input gets one clear error; odd but good input is taken."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from models import assert_certified, random_data

# --- rows ------------------------------------------------------------------------------------------------------------


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
    with pytest.raises(ew.InvalidInputError, match="X: expected numbers, received values of type"):
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


# --- models ----------------------------------------------------------------------------------------------------------


def test_an_unfitted_explainer_says_so(iris, iris_explainer):
    X, _ = iris
    explainer = ew.Explainer(iris_explainer.model)
    for ask in (explainer.explain, explainer.explain_one, explainer.to_model_space):
        with pytest.raises(NotFittedError, match="This Explainer instance is not fitted yet"):
            ask(X[:1])


def test_a_failed_fit_leaves_the_explainer_unfitted(iris, iris_explainer):
    X, y = iris
    explainer = ew.Explainer(iris_explainer.model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="no rows in X"):
        explainer.fit(X[50:], y[50:])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        explainer.explain(X[:1])


@pytest.mark.parametrize(
    "model", [LogisticRegression(), DecisionTreeClassifier(), make_pipeline(StandardScaler(), LogisticRegression())]
)
def test_an_unfitted_model_says_so(iris, model):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ew.Explainer(model).fit(*iris)


def test_an_unsupported_model_gets_the_list_of_supported_ones(iris):
    X, y = iris
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    for model in (forest, make_pipeline(StandardScaler(), forest).fit(X, y)):
        with pytest.raises(
            ew.UnsupportedModelError, match=r"RandomForestClassifier is not .*LogisticRegression.*register"
        ):
            ew.Explainer(model).fit(X, y)
    for model in (None, "softmax", 3):
        with pytest.raises(ew.UnsupportedModelError, match="is not a model family elsewise can describe exactly"):
            ew.Explainer(model).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="expected a fitted model, received the class LogisticRegression"):
        ew.Explainer(LogisticRegression).fit(X, y)


def test_unsupported_settings_are_named(iris):
    X, y = iris
    with pytest.raises(ew.UnsupportedSettingError, match="kernel='rbf'"):
        ew.Explainer(SVC().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="SVC is supported for two classes only, received 3"):
        ew.Explainer(SVC(kernel="linear").fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="n_neighbors of KNeighborsClassifier: expected 1, received 5"):
        ew.Explainer(KNeighborsClassifier().fit(X, y), density=None).fit(X, y)
    for first in (y == "virginica", y):
        both = DecisionTreeClassifier(random_state=0).fit(X, np.column_stack([first, y == "setosa"]))
        with pytest.raises(ew.UnsupportedSettingError, match="predicts 2 outputs at once"):
            ew.Explainer(both, density=None).fit(X, y)


def test_steps_that_are_not_affine_are_named(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), PolynomialFeatures(), LogisticRegression(max_iter=2000)).fit(X, y)
    with pytest.raises(
        ew.UnsupportedModelError, match=r"step 'polynomialfeatures' \(PolynomialFeatures\) is not affine"
    ):
        ew.Explainer(model).fit(X, y)
    columns = ColumnTransformer([("some", StandardScaler(), [0, 1])])
    with pytest.raises(ew.UnsupportedModelError, match=r"step 'columns' .*ColumnTransformer"):
        ew.Explainer(Pipeline([("columns", columns), ("last", LogisticRegression())]).fit(X, y)).fit(X, y)
    clipped = make_pipeline(MinMaxScaler(clip=True), LogisticRegression()).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match=r"step 'minmaxscaler' .*clip=True"):
        ew.Explainer(clipped).fit(X, y)


# --- parameters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distance": "euclid"}, "Unknown distance 'euclid'"),
        (
            {"distance": ew.Manhattan([1.0, -1.0, 1.0, 1.0])},
            "weights must be finite and positive, received -1.0 at index 1",
        ),
        (
            {"distance": ew.Manhattan([1.0, 0.0, 1.0, 1.0])},
            "weights must be finite and positive, received 0.0 at index 1",
        ),
        ({"distance": ew.Manhattan([1.0, np.nan, 1.0, 1.0])}, "weights must be finite and positive, received nan"),
        (
            {"distance": ew.Manhattan([1.0, 1.0])},
            r"one for each of the 4 features, shape \(4,\), received shape \(2,\)",
        ),
        (
            {"distance": ew.Mahalanobis(np.diag([1.0, 1.0, 1.0, -1.0]))},
            "must be positive definite, its smallest eigenvalue",
        ),
        ({"distance": ew.Mahalanobis(np.ones((4, 4)))}, "must be positive definite"),
        ({"distance": ew.Mahalanobis(np.triu(np.ones((4, 4))))}, "must be symmetric"),
        ({"distance": ew.Mahalanobis(np.eye(3))}, r"square matrix of shape \(4, 4\)"),
        ({"threshold": 0.0}, "strictly between 0 and 1"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"threshold": -12.5}, "wrap the number in LogDensity"),
        ({"threshold": np.nan}, "strictly between 0 and 1"),
        ({"threshold": "median"}, "strictly between 0 and 1"),
        ({"threshold": None}, "strictly between 0 and 1"),
        ({"density": "gmm"}, r"expected one of \['gaussian_mixture', 'kernel'\].*received 'gmm'"),
        ({"density": {"setosa": None}}, "The density must be|the mapping has no mixture"),
        ({"density": {}}, "the mapping has no mixture for label 'setosa'"),
        ({"density": ew.GaussianMixtureDensity(n_components=0)}, "n_components must be an integer >= 1"),
        ({"density": ew.KernelDensity(bandwidth=-1.0)}, "bandwidth must be a finite number > 0"),
        ({"density": GaussianMixture()}, "one fitted GaussianMixture cannot serve several classes"),
        ({"density": {label: GaussianMixture() for label in ("setosa", "versicolor", "virginica")}}, "is not fitted"),
        (
            {"density": {label: BayesianGaussianMixture() for label in ("setosa", "versicolor", "virginica")}},
            "Bayesian",
        ),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(iris, iris_explainer, parameters, message):
    with pytest.raises((ew.InvalidInputError, ew.UnsupportedModelError), match=message):
        ew.Explainer(iris_explainer.model, **parameters).fit(*iris)


def test_an_absolute_threshold_must_be_finite():
    with pytest.raises(ew.InvalidInputError, match="LogDensity expects a finite number"):
        ew.LogDensity(-np.inf)


@pytest.mark.parametrize("time_limit", [0, -1.0, np.nan, "1"])
def test_time_limit_must_be_positive(iris, iris_explainer, time_limit):
    with pytest.raises(ew.InvalidInputError, match="time_limit must be a positive number of seconds or None"):
        iris_explainer.explain(iris[0][:1], time_limit=time_limit)


def test_progress_must_be_a_function(iris, iris_explainer):
    with pytest.raises(ew.InvalidInputError, match=r"True, False or a function of \(done, total\), received 'bar'"):
        iris_explainer.explain(iris[0][:1], progress="bar")


# --- few, equal and constant data ------------------------------------------------------------------------------------


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
    answers = explainer.explain(x[::7], "high")
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
        assert (answers.statuses != "infeasible").all()


# --- labels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[False, True], ["no", "yes"], [-1, 1], [1.0, 2.0], [3, 10]], ids=str)
def test_labels_of_any_type(labels):
    X, y = random_data(2)
    y = np.array(labels)[(y == "right").astype(int)]
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    assert list(explainer.densities_) == labels
    for target in (labels[1], model.classes_[1], np.full(20, labels[1]), [labels[1]] * 20):
        answers = explainer.explain(X[:20], target)
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


# --- data frames -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def framed():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(3)
    frame = pandas.DataFrame(X, columns=["age", "income", "debt", "years"])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(frame, y)
    return explainer, frame, y


def test_names_of_columns_are_kept(framed):
    explainer, frame, _ = framed
    assert explainer.feature_names_in_.tolist() == list(frame.columns)
    one = explainer.explain_one(frame.iloc[0])
    assert {change.feature for change in one.changes} <= set(frame.columns)
    many = explainer.explain(frame[:5])
    assert many.feature_names == tuple(frame.columns)
    np.testing.assert_array_equal(many.x, frame[:5].to_numpy())
    for same in (explainer.explain_one(frame[:1]), explainer.explain_one(frame.to_numpy()[0]), many[0]):
        np.testing.assert_array_equal(same.counterfactual, one.counterfactual)
    assert (explainer.model.predict(frame[:0].reindex(range(5)).assign(**dict(zip(frame, many.counterfactuals.T)))) ==
            np.asarray(many.targets)).all()  # fmt: skip


def test_wrong_columns_are_refused(framed):
    explainer, frame, y = framed
    with pytest.raises(ew.InvalidInputError, match=r"unknown \['wage'\] missing \['income'\]"):
        explainer.explain(frame[:2].rename(columns={"income": "wage"}))
    swapped = frame[["income", "age", "debt", "years"]]
    with pytest.raises(ew.InvalidInputError, match="in another order than in the fit: received income, age"):
        explainer.explain(swapped[:2])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain_one(swapped.iloc[0])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain_one(swapped[:1])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.to_model_space(swapped)
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        ew.Explainer(explainer.model).fit(swapped, y)


def test_names_like_the_default_ones_are_checked_too():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(2, n_features=2)
    frame = pandas.DataFrame(X, columns=["x0", "x1"])
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None).fit(frame, y)
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain(frame[["x1", "x0"]])


def test_frames_for_a_model_fitted_on_arrays_and_the_reverse(framed):
    _, frame, y = framed
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame.to_numpy(), y)
    density = ew.GaussianMixtureDensity(n_components=2)
    named = ew.Explainer(model, density=density).fit(frame, y)
    assert named.explain(frame[:3]).feature_names == tuple(frame.columns)
    assert named.to_model_space(frame).shape == frame.shape
    plain = ew.Explainer(model, density=density).fit(frame.to_numpy(), y)
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(
        plain.explain(frame[:3]).counterfactuals, named.explain(frame[:3].to_numpy()).counterfactuals
    )


def test_frames_of_mixed_numeric_types(framed):
    explainer, frame, _ = framed
    mixed = frame[:4].round().astype({"age": "int64", "debt": "float32"})
    answers = explainer.explain(mixed)
    np.testing.assert_array_equal(answers.x, mixed.to_numpy())
    assert (answers.statuses == "optimal").all()
