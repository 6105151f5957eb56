"""Section 2.2 of the paper: model-free counterfactuals and locally sufficient perfect classifiers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise import theory

CENTRES = np.array([[0.0, 0.0], [9.0, 1.0], [2.0, 10.0]])


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 0.8, (40, 2)) for centre in CENTRES])
    return X, np.repeat(np.array(["a", "b", "c"]), 40)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return LogisticRegression(max_iter=1000).fit(X, y), X, y


@pytest.fixture(scope="module")
def iris_tree():
    X, y = load_iris(return_X_y=True)
    return DecisionTreeClassifier(random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return make_pipeline(PCA(5, random_state=0), LogisticRegression(max_iter=5000)).fit(X, y), X, y


@pytest.fixture(scope="module")
def breast_cancer_tree():
    X, y = load_breast_cancer(return_X_y=True)
    return make_pipeline(PCA(5, random_state=0), DecisionTreeClassifier(max_depth=5, random_state=0)).fit(X, y), X, y


SEPARATING_MODELS = [
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    LinearSVC(),
    NearestCentroid(),
    KNeighborsClassifier(n_neighbors=1),
    DecisionTreeClassifier(random_state=0),
]


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("target", ["a", "b", "c"])
def test_separated_classes_have_one_counterfactual_for_all_models(blobs, distance, target):
    """Theorem 1: without risk, the plausible counterfactual is the same whatever the model."""
    X, y = blobs
    rows = X[y != target][::7]
    answers = []
    for model in SEPARATING_MODELS:
        density = ew.GaussianMixtureDensity(n_components=1)
        explainer = ew.Explainer(model.fit(X, y), distance=distance, density=density).fit(X, y)
        answer = explainer.explain(rows, target)
        free = theory.model_free_counterfactuals(explainer, rows, target)
        assert free.classified_as_target.all()
        assert answer.model_free.all()
        np.testing.assert_allclose(answer.counterfactuals, free.points, rtol=0, atol=1e-9)
        answers.append(answer.counterfactuals)
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("data", ["iris", "iris_tree", "breast_cancer", "breast_cancer_tree"])
def test_theorem_2_row_by_row(data, request):
    """Where the model agrees at the model-free point, explain finds that point; elsewhere it must go further."""
    model, X, y = request.getfixturevalue(data)
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[::4]
    applied, not_applied = 0, 0
    for target in explainer.classes_:
        free = theory.model_free_counterfactuals(explainer, rows, target)
        applies = theory.model_free_theorem_applies(explainer, rows, target)
        np.testing.assert_array_equal(applies, model.predict(free.points) == target)
        answer = explainer.explain(rows, target, on_satisfied="move")
        np.testing.assert_array_equal(answer.model_free, applies)
        np.testing.assert_allclose(answer.distances[applies], free.distances[applies], rtol=1e-6, atol=1e-12)
        further = answer.distances[~applies] - free.distances[~applies]
        assert (further > 1e-7 * free.distances[~applies]).all()
        applied, not_applied = applied + applies.sum(), not_applied + (~applies).sum()
    assert applied > 0
    assert not_applied > 0


def test_points_are_dense_and_bounds_hold(breast_cancer):
    model, X, y = breast_cancer
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[::9]
    free = theory.model_free_counterfactuals(explainer, rows, 0)
    density = explainer.densities_[0]
    reached = density.log_max(model[:-1].transform(free.points))
    np.testing.assert_allclose(free.log_densities, reached, atol=1e-7)
    assert (free.log_densities >= density.log_threshold_).all()
    np.testing.assert_allclose(free.distances, np.abs(free.points - rows).sum(axis=1), rtol=1e-12, atol=1e-9)
    assert (free.lower_bounds <= free.distances).all()
    assert (free.distances - free.lower_bounds <= 1e-6 * free.distances).all()


def test_against_scipy_on_one_gaussian(blobs):
    """Squared Euclidean projection onto one ellipse, by another solver."""
    X, y = blobs
    density = ew.GaussianMixtureDensity(n_components=1)
    distance = ew.Mahalanobis(omega=np.eye(2))
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=density, distance=distance).fit(X, y)
    free = theory.model_free_counterfactuals(explainer, X[:5], "b")
    fitted = explainer.densities_["b"]
    gaussian = multivariate_normal(fitted.mixture_.means_[0], fitted.mixture_.covariances_[0])
    reach = {"type": "ineq", "fun": lambda z: gaussian.logpdf(z) - fitted.log_threshold_}
    for row, value in zip(X[:5], free.distances):
        other = minimize(lambda z, row=row: ((z - row) ** 2).sum(), CENTRES[1], constraints=[reach], tol=1e-12)
        assert other.fun == pytest.approx(value, rel=1e-5)


def test_a_row_that_is_dense_enough_is_its_own_counterfactual(blobs):
    X, y = blobs
    explainer = ew.Explainer(LogisticRegression().fit(X, y)).fit(X, y)
    free = theory.model_free_counterfactuals(explainer, CENTRES, ["a", "b", "c"])
    np.testing.assert_array_equal(free.points, CENTRES)
    np.testing.assert_array_equal(free.distances, 0.0)
    assert free.classified_as_target.all()


def test_a_threshold_above_every_peak_has_no_point(blobs):
    X, y = blobs
    explainer = ew.Explainer(LogisticRegression().fit(X, y), threshold=ew.LogDensity(50.0)).fit(X, y)
    free = theory.model_free_counterfactuals(explainer, X[:3], "b")
    assert np.isnan(free.points).all()
    assert np.isinf(free.distances).all()
    assert not free.classified_as_target.any()


def test_a_target_for_each_row_is_as_one_by_one(blobs):
    X, y = blobs
    explainer = ew.Explainer(LogisticRegression().fit(X, y)).fit(X, y)
    targets = ["b", "c", "a", "b"]
    together = theory.model_free_counterfactuals(explainer, X[:4], targets)
    for i, target in enumerate(targets):
        alone = theory.model_free_counterfactuals(explainer, X[i : i + 1], target)
        np.testing.assert_array_equal(alone.points[0], together.points[i])


def _locally_perfect_by_definition(explainer, model, x, y, labels, counts):
    """Definition locallyperfectclassifier written out for one row, densities from SciPy."""
    joint = []
    for label, count in zip(labels, counts):
        mixture = explainer.densities_[label].mixture_
        parts = [
            weight * multivariate_normal(mean, covariance).pdf(x)
            for weight, mean, covariance in zip(mixture.weights_, mixture.means_, mixture.covariances_)
        ]
        joint.append(count * sum(parts))
    likeliest = labels[int(np.argmax(joint))]
    if not (model.predict(x[None])[0] == likeliest == y):
        return False
    others = [label for label in labels if label != y]
    nearest = [theory.model_free_counterfactuals(explainer, x[None], label).points for label in others]
    return all(model.predict(point)[0] == label for point, label in zip(nearest, others))


def test_local_perfection_is_the_definition(iris):
    model, X, y = iris
    keep = np.concatenate([np.arange(50), np.arange(50, 80), np.arange(100, 150)])  # classes of different sizes
    explainer = ew.Explainer(model).fit(X[keep], y[keep])
    rows, truth = X[::5], y[::5]
    perfection = theory.is_locally_sufficient_perfect(explainer, rows, truth)
    expected = [
        _locally_perfect_by_definition(explainer, model, row, label, [0, 1, 2], [50, 30, 50])
        for row, label in zip(rows, truth)
    ]
    np.testing.assert_array_equal(perfection.holds, expected)
    assert 0 < perfection.holds.sum() < len(rows)
    np.testing.assert_array_equal(
        perfection.prediction_agrees, (model.predict(rows) == perfection.likeliest) & (perfection.likeliest == truth)
    )
    assert perfection.classified_as_target.shape == perfection.log_joint_densities.shape == (len(rows), 3)


def test_local_perfection_without_labels_takes_the_likeliest_class_for_the_truth(iris):
    model, X, y = iris
    explainer = ew.Explainer(model).fit(X, y)
    without = theory.is_locally_sufficient_perfect(explainer, X)
    given = theory.is_locally_sufficient_perfect(explainer, X, without.likeliest)
    np.testing.assert_array_equal(without.holds, given.holds)
    np.testing.assert_array_equal(without.prediction_agrees, model.predict(X) == without.likeliest)


def test_local_perfection_makes_every_counterfactual_model_free(iris_tree):
    """Theorem 2 itself: where the definition holds, every other target's counterfactual is model-free."""
    model, X, y = iris_tree
    explainer = ew.Explainer(model).fit(X, y)
    holds = theory.is_locally_sufficient_perfect(explainer, X, y).holds
    assert holds.any()
    for target in explainer.classes_:
        rows = X[holds & (y != target)]
        assert explainer.explain(rows, target).model_free.all()


def test_priors_decide_between_equally_dense_classes():
    rng = np.random.default_rng(1)
    half = rng.normal(size=(40, 1))
    X = np.concatenate([half - 1.0, np.repeat(1.0 - half, 3, axis=0)])  # mirror images, one class three times as large
    y = np.repeat([0, 1], [40, 120])
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=ew.GaussianMixtureDensity(n_components=1)).fit(
        X, y
    )
    joint = theory.is_locally_sufficient_perfect(explainer, [[0.0]]).log_joint_densities
    assert joint[0, 1] - joint[0, 0] == pytest.approx(np.log(3.0), abs=1e-9)


def test_nearest_training_rows_by_brute_force(breast_cancer):
    model, X, y = breast_cancer
    explainer = ew.Explainer(model, distance=ew.Manhattan(1.0 / X.std(axis=0))).fit(X, y)
    rows = X[::40]
    checked = theory.nearest_training_rows_correct(explainer, rows, X, y, n_neighbors=3)
    predictions = model.predict(X)
    for i, row in enumerate(rows):
        distances = (np.abs(X - row) / X.std(axis=0)).sum(axis=1)
        for position, label in enumerate([0, 1]):
            of_label = np.flatnonzero(y == label)
            nearest = of_label[np.argsort(distances[of_label], kind="stable")[:3]]
            np.testing.assert_array_equal(checked.indices[i, position], nearest)
            assert checked.correct[i, position] == (predictions[nearest] == label).all()
    np.testing.assert_array_equal(checked.holds, checked.correct.all(axis=1))
    assert 0 < checked.holds.sum() < len(rows)


def test_a_class_with_few_rows_gives_all_of_them(blobs):
    X, y = blobs
    explainer = ew.Explainer(LogisticRegression().fit(X, y)).fit(X, y)
    few = np.concatenate([X[:40], X[40:42], X[80:]])
    checked = theory.nearest_training_rows_correct(
        explainer, X[:2], few, ["a"] * 40 + ["b"] * 2 + ["c"] * 40, n_neighbors=4
    )
    assert set(checked.indices[0, 1]) == {40, 41, -1}
    assert checked.holds.all()


def test_explain_is_not_model_free_if_a_nearer_component_is_out_of_the_models_reach():
    rng = np.random.default_rng(0)
    centres = [(0.0, 0.0), (3.0, 0.0), (-9.0, 0.0)]
    X = np.concatenate([rng.normal(centre, 0.3, (60, 2)) for centre in centres])
    y = np.repeat([0, 1, 1], 60)
    model = DecisionTreeClassifier(max_depth=1).fit(X[:120], y[:120])  # says 0 of everything on the left
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
    row = np.array([[-4.0, 0.0]])
    assert not theory.model_free_theorem_applies(explainer, row, 1)[0]
    assert not explainer.explain(row, 1).model_free[0]


def test_data_frames_are_checked_by_name(blobs):
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    frame = pandas.DataFrame(X, columns=["left", "right"])
    explainer = ew.Explainer(LogisticRegression().fit(frame, y)).fit(frame, y)
    free = theory.model_free_counterfactuals(explainer, frame[:2], "b")
    np.testing.assert_array_equal(free.points, theory.model_free_counterfactuals(explainer, X[:2], "b").points)
    swapped = theory.model_free_counterfactuals(explainer, frame[["right", "left"]][:2], "b")
    np.testing.assert_array_equal(swapped.points, free.points)
    with pytest.raises(ew.InvalidInputError, match=r"missing \['left'\]"):
        theory.model_free_counterfactuals(explainer, frame[["right"]], "b")


def test_wrong_input_is_named(blobs):
    X, y = blobs
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="density=None"):
        theory.model_free_counterfactuals(ew.Explainer(model, density=None).fit(X, y), X, "b")
    with pytest.raises(ew.InvalidInputError, match="needs a target"):
        theory.model_free_counterfactuals(explainer, X, None)
    with pytest.raises(ew.InvalidInputError, match="Unknown target 'd'"):
        theory.model_free_counterfactuals(explainer, X, "d")
    with pytest.raises(ew.InvalidInputError, match="y has labels the model does not know"):
        theory.is_locally_sufficient_perfect(explainer, X[:2], ["a", "z"])
    with pytest.raises(ew.InvalidInputError, match="one label for each of the 120 rows"):
        theory.nearest_training_rows_correct(explainer, X[:2], X, y[:5])
    with pytest.raises(ew.InvalidInputError, match="n_neighbors must be a whole number"):
        theory.nearest_training_rows_correct(explainer, X[:2], X, y, n_neighbors=0)
    regressor = ew.Explainer(LinearRegression().fit(X, X[:, 0])).fit(X)
    with pytest.raises(ew.InvalidInputError, match="is a regressor"):
        theory.is_locally_sufficient_perfect(regressor, X)


# --- tables ----------------------------------------------------------------------------------------------------------


def table_distance(loans, one, others):
    """Distance of one row to others as a person would count it, from the table's own values."""
    frame, value = loans.frame, 0.0
    for name in frame:
        if name in ("years", "income"):
            apart = (frame[name] - frame[name].median()).abs()
            value = value + (others[name].astype(float) - float(one[name])).abs() / apart.median()
        else:
            value = value + (others[name] != one[name])
    return value.to_numpy()


def test_model_free_counterfactuals_of_a_table(loans):
    explainer, frame = loans.explainer, loans.frame
    rows = frame[loans.label == "no"][:15]
    free = theory.model_free_counterfactuals(explainer, rows, "yes")
    assert (free.points.dtypes == frame.dtypes).all()
    for name in ("housing", "guarantor"):
        assert set(free.points[name]) <= set(frame[name])
    np.testing.assert_array_equal(free.classified_as_target, explainer.model.predict(free.points) == "yes")
    threshold = explainer.densities_["yes"].log_threshold_
    np.testing.assert_array_equal(free.log_densities, explainer.log_density(free.points, "yes"))
    assert (free.log_densities >= threshold).all()
    dense = frame[explainer.log_density(frame, "yes") >= threshold]
    full = explainer.explain(rows, "yes", on_satisfied="move")
    for i, (_, row) in enumerate(rows.iterrows()):
        own = table_distance(loans, row, free.points.iloc[[i]])
        np.testing.assert_allclose(free.distances[i], own[0], rtol=1e-9)
        assert free.lower_bounds[i] <= table_distance(loans, row, dense).min() + 1e-9
        assert free.distances[i] <= full.distances[i] * (1 + 1e-6)
    same = full.model_free
    assert same.any()
    np.testing.assert_allclose(free.distances[same], full.distances[same], rtol=1e-6)


def test_local_perfection_and_nearest_rows_of_a_table(loans):
    explainer, frame, label = loans.explainer, loans.frame, loans.label
    rows, truth = frame[::8], label[::8]
    local = theory.is_locally_sufficient_perfect(explainer, rows, truth)
    expected = []
    for name, density in explainer.densities_.items():
        table, mixture = explainer.table_, density.mixture_
        E = table.encode(rows)
        expected.append(mixture.score_samples(np.column_stack([E[:, table.numeric], table.codes(E)])) + np.log(0.5))
        assert (label == name).mean() == 0.5
    np.testing.assert_allclose(local.log_joint_densities, np.column_stack(expected), rtol=1e-9)
    predicted = explainer.model.predict(rows)
    np.testing.assert_array_equal(local.prediction_agrees, (predicted == local.likeliest) & (local.likeliest == truth))
    nearest = theory.nearest_training_rows_correct(explainer, rows, frame, label, n_neighbors=2)
    correct = explainer.model.predict(frame) == label
    for i, (_, row) in enumerate(rows.iterrows()):
        distances = table_distance(loans, row, frame)
        for place, name in enumerate(explainer.classes_):
            found = nearest.indices[i, place]
            assert (label[found] == name).all()
            np.testing.assert_allclose(np.sort(distances[label == name])[:2], distances[found], atol=1e-9)
            assert nearest.correct[i, place] == correct[found].all()
