"""What may be wanted: labels, one a row or none at all, probabilities and ranges."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, PoissonRegressor, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Interval, Label
from elsewise.questions.targets import interval_outcome, label_outcome, outcomes_of_rows
from fitted_models import CLASSIFIERS, REGRESSORS, assert_certified, random_data, reference_distance

# --- reading targets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [[False, True], [0, 1], ["no", "yes"], [-2.5, 7.0], [b"a", b"b"]], ids=str)
def test_each_label_is_found_in_plain_and_in_numpy_type(classes):
    classes = np.array(classes)
    for index, label in enumerate(classes):
        assert label_outcome(label, classes, None) == Label(index)
        assert label_outcome(label.item(), classes, 0.7) == Label(index, 0.7)


def test_labels_of_equal_value_are_found():
    assert label_outcome(1, np.array([False, True]), None) == Label(1)
    assert label_outcome(2.0, np.array([1, 2]), None) == Label(1)
    assert label_outcome(np.array("b"), np.array(["a", "b"]), None) == Label(1)


@pytest.mark.parametrize("target", ["c", 1, None, "A"])
def test_an_unknown_label_lists_the_known(target):
    with pytest.raises(ew.InvalidInputError, match=r"Unknown target .*The model's labels are: 'a', 'b'\."):
        label_outcome(target, np.array(["a", "b"]), None)


def of_rows(target, n_samples, classes, min_probability=None):
    """Outcome of each row, None where the choice is open."""
    wanted = outcomes_of_rows(target, n_samples, classes, min_probability)
    assert len(wanted.goal) == n_samples
    assert len(set(wanted.outcomes)) == len(wanted.outcomes)
    return [None if goal < 0 else wanted.outcomes[goal] for goal in wanted.goal]


def test_one_label_serves_all_rows():
    classes = np.array(["a", "bc"])
    assert of_rows("bc", 2, classes) == [Label(1)] * 2  # a string is no sequence of labels
    assert of_rows(None, 2, classes) == [None, None]
    assert of_rows(np.array(["bc", "a", "bc"]), 3, classes, 0.6) == [Label(1, 0.6), Label(0, 0.6), Label(1, 0.6)]
    assert of_rows(["bc", "a", "bc"], 3, classes) == [Label(1), Label(0), Label(1)]
    assert of_rows(("bc", None), 2, classes, 0.6) == [Label(1, 0.6), None]
    # where a choice is open, every class is there in the model's order
    for target in (None, ("bc", None)):
        assert outcomes_of_rows(target, 2, classes, 0.6).outcomes == (Label(0, 0.6), Label(1, 0.6))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (["a"], "one target for each of the 2 rows, received 1"),
        (["a", "b", "a"], "one target for each of the 2 rows, received 3"),
        (["a", "x"], "Unknown target 'x'"),
        ([["a"], ["b"]], "one label a row, received a nested list"),
        (np.array([["a"], ["b"]]), r"one label a row, received an array of shape \(2, 1\)"),
        ((0.0, 1.0), "Unknown target 0.0"),
    ],
)
def test_wrong_labels_of_rows(target, message):
    with pytest.raises(ew.InvalidInputError, match=message):
        outcomes_of_rows(target, 2, np.array(["a", "b"]), None)


@pytest.mark.parametrize("wrong", ["0.8", [0.8]])
def test_a_probability_is_a_number(wrong):
    with pytest.raises(ew.InvalidInputError, match="min_probability must be a number or None"):
        outcomes_of_rows(0, 1, np.array([0, 1]), wrong)


@pytest.mark.parametrize(
    ("target", "low", "high"),
    [
        ((1, 2), 1, 2),
        ([1.5, None], 1.5, np.inf),
        ((None, 3), -np.inf, 3),
        (np.array([2.0, 2.0]), 2, 2),
        ((None, None), -np.inf, np.inf),
        ((-np.inf, 4), -np.inf, 4),
    ],
)
def test_ranges_are_read(target, low, high):
    assert interval_outcome(target) == Interval(low, high)
    assert of_rows(target, 3, None) == [Interval(low, high)] * 3


def test_ranges_of_rows_are_read():
    assert of_rows([(1, 2), (None, 5)], 2, None) == [Interval(1, 2), Interval(-np.inf, 5)]
    assert of_rows(np.array([[1, 2], [3, 5.0], [1, 2]]), 3, None) == [Interval(1, 2), Interval(3, 5), Interval(1, 2)]
    with pytest.raises(ew.InvalidInputError, match="one target for each of the 3 rows, received 2"):
        outcomes_of_rows([(1, 2), (3, 5)], 3, None, None)


@pytest.mark.parametrize("target", [3.0, "high", (1, 2, 3), (1,), ("a", "b"), None, [[1], [2, 3]]])
def test_what_is_no_range_is_refused(target):
    with pytest.raises(
        ew.InvalidInputError, match=r"A regressor needs target=\(low, high\), with None for an open end"
    ):
        outcomes_of_rows(target, 1, None, None)


@pytest.mark.parametrize("target", [(2, 1), (np.nan, 1), (0, np.nan)])
def test_an_empty_range_is_refused(target):
    with pytest.raises(ew.InvalidInputError, match="The target range is empty"):
        interval_outcome(target)


# --- asking for them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)])
@pytest.mark.parametrize("family", CLASSIFIERS, ids=str)
def test_no_target_is_the_nearest_other_class(family, density, distance):
    model, X, y = family.fitted(seed=8)
    explainer = ew.Explainer(model, density=density, distance=distance).fit(X, y)
    rows = X[::7]
    open_choice = explainer.explain(rows)
    assert_certified(explainer, rows, open_choice)
    present = model.predict(rows)
    each = {label: explainer.explain(rows, label) for label in model.classes_}
    for i, label in enumerate(present):
        others = [each[other].distances[i] for other in model.classes_ if other != label]
        if np.isnan(others).all():
            assert open_choice.statuses[i] == "infeasible"
            assert open_choice.reasons[i].startswith("No other class can be reached.")
            continue
        assert open_choice.targets[i] != label
        assert open_choice.predictions[i] == label
        # Two classes may be equally near, up to the precision asked for.
        np.testing.assert_allclose(open_choice.distances[i], np.nanmin(others), rtol=1e-8)
        bounds = [each[other].lower_bounds[i] for other in model.classes_ if other != label]
        np.testing.assert_allclose(open_choice.lower_bounds[i], min(bounds), rtol=1e-6)
        chosen = each[open_choice.targets[i]]
        np.testing.assert_allclose(open_choice.counterfactuals[i], chosen.counterfactuals[i], rtol=1e-6, atol=1e-6)


def test_labels_of_rows_give_what_each_label_gives_alone(iris, iris_explainer):
    X, y = iris
    rows = X[::10]
    wanted = np.roll(y, 50)[::10]
    answers = iris_explainer.explain(rows, wanted)
    assert list(answers.targets) == wanted.tolist()
    for i, label in enumerate(wanted):
        alone = iris_explainer.explain_one(rows[i], label)
        np.testing.assert_array_equal(answers.counterfactuals[i], alone.counterfactual)
        assert answers.distances[i] == alone.distance
    some = iris_explainer.explain(rows[:2], [None, "virginica"])
    np.testing.assert_array_equal(some.counterfactuals[0], iris_explainer.explain_one(rows[0]).counterfactual)
    assert some.targets[1] == "virginica"


def test_an_unknown_target_lists_the_known(iris, iris_explainer):
    X, _ = iris
    for target in ("rose", ["setosa", "rose"]):
        with pytest.raises(
            ew.InvalidInputError,
            match=r"Unknown target 'rose'. The model's labels are: 'setosa', 'versicolor', 'virginica'",
        ):
            iris_explainer.explain(X[:2], target)
    with pytest.raises(ew.InvalidInputError, match="one target for each of the 2 rows, received 3"):
        iris_explainer.explain(X[:2], ["setosa"] * 3)


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        SGDClassifier(loss="modified_huber", random_state=0),
        SGDClassifier(loss="log_loss", random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        DecisionTreeClassifier(max_depth=3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("p", [0.3, 0.5, 0.8, 0.99])
def test_least_probability_of_binary_models(model, density, p):
    X, y = random_data(2, seed=9)
    model.fit(X, y)
    explainer = ew.Explainer(model, density=density, threshold=0.1, learn_rules=False).fit(X, y)
    rows = X[::5]
    for index, target in enumerate(model.classes_):
        answers = explainer.explain(rows, target, min_probability=p)
        assert_certified(explainer, rows, answers, min_probability=p)
        for i, x in enumerate(rows):
            reference = reference_distance(explainer, x, Label(index, p))
            if answers.statuses[i] == "infeasible":
                assert reference == np.inf
                assert f"give {str(target)!r} a probability of at least {p:g}" in answers.reasons[i]
                continue
            assert model.predict_proba(answers.counterfactuals[i : i + 1])[0, index] >= p
            np.testing.assert_allclose(answers.distances[i], reference, rtol=1e-6, atol=1e-9)
            assert answers.lower_bounds[i] <= reference * (1 + 1e-9) + 1e-9


def test_least_probability_counts_without_a_target_too():
    X, y = random_data(2, seed=9)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[:10], min_probability=0.9)
    assert (np.asarray(answers.targets) != model.predict(X[:10])).all()
    assert (model.predict_proba(answers.counterfactuals).max(axis=1) >= 0.9).all()
    for i in range(10):
        assert answers.distances[i] == explainer.explain_one(X[i], answers.targets[i], min_probability=0.9).distance


def test_a_row_that_is_not_probable_enough_moves():
    X, y = random_data(2, seed=9)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[np.abs(model.predict_proba(X)[:, 0] - 0.5).argmin()]
    label = model.predict([row])[0]
    assert explainer.explain_one(row, label).distance == 0
    answer = explainer.explain_one(row, label, min_probability=0.95)
    assert answer.distance > 0
    assert model.predict_proba([answer.counterfactual]).max() >= 0.95


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 1.5, np.nan])
def test_impossible_probabilities_are_refused(p):
    X, y = random_data(2)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    for target in ("left", None):
        with pytest.raises(ew.InvalidInputError, match="min_probability of LogisticRegression must be a number p"):
            explainer.explain(X[:2], target, min_probability=p)


def test_probabilities_of_other_models_are_refused():
    X, y = random_data(3)
    explainer = ew.Explainer(LinearSVC().fit(X, y), density=None).fit(X, y)
    for target in (y[0], None):
        with pytest.raises(ew.UnsupportedSettingError, match="min_probability needs a model whose predict_proba"):
            explainer.explain(X[:2], target, min_probability=0.9)


@pytest.mark.parametrize("family", REGRESSORS, ids=str)
def test_ranges_of_regressors(family):
    model, X, y = family.fitted(seed=10)
    density = ew.GaussianMixtureDensity(n_components=2)
    explainer = ew.Explainer(model, density=density, threshold=0.2, learn_rules=False).fit(X)
    low, high = np.quantile(y, [0.3, 0.6]).tolist()
    rows = X[::8]
    for target in ((low, high), (high, None), (None, low), (None, None)):
        answers = explainer.explain(rows, target, on_satisfied="move")
        assert_certified(explainer, rows, answers)
        outcome = interval_outcome(target)
        assert set(answers.targets) == {(outcome.low, outcome.high)}
        for x, found, status in zip(rows, answers.distances, answers.statuses):
            reference = reference_distance(explainer, x, outcome)
            if status == "infeasible":
                assert reference == np.inf
            else:
                np.testing.assert_allclose(found, reference, rtol=1e-6, atol=1e-9)
    targets = [(None, float(value) * 0.9) for value in model.predict(rows)]
    each = explainer.explain(rows, targets, on_satisfied="move")
    assert_certified(explainer, rows, each)
    assert each.targets[1] == (-np.inf, targets[1][1])


def test_a_range_below_what_a_log_link_can_give_is_infeasible():
    X, y = random_data(None)
    explainer = ew.Explainer(PoissonRegressor().fit(X, y), density=None).fit(X)
    answer = explainer.explain_one(X[0], (None, -1.0))
    assert answer.status == "infeasible"
    assert answer.reason == "No row at all makes the model predict at most -1 (proven)."
