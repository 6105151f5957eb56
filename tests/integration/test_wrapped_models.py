"""Wrapped models end to end: the answers are those of what is inside, or those another solver finds."""

from __future__ import annotations

from copy import copy, deepcopy
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, RandomForestClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes the next import possible
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Label, region_of
from fitted_models import assert_certified, random_data
from reference import project_reference
from search.relaxations.tree_sums.small_ensembles import nearest_of_numbers


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def small_tree():
    return DecisionTreeClassifier(max_depth=2, random_state=0)


# --- wrappers that change nothing ------------------------------------------------------------------------------------

SEEN_THROUGH = {
    "grid search": lambda: GridSearchCV(scaled(LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2),
    "random search": lambda: RandomizedSearchCV(
        scaled(LogisticRegression()), {"logisticregression__C": [1.0]}, n_iter=1, cv=2
    ),
    "halving search": lambda: HalvingGridSearchCV(
        scaled(LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2, random_state=0
    ),
    "search inside": lambda: scaled(GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2)),
    "search in a search": lambda: GridSearchCV(
        scaled(GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2)), {"gridsearchcv__cv": [2]}, cv=2
    ),
    "nested pipelines": lambda: make_pipeline(make_pipeline(StandardScaler(), "passthrough"), LogisticRegression()),
    "pipeline at the end": lambda: Pipeline([("nothing", None), ("inner", scaled(LogisticRegression()))]),
    "column transformers in one another": lambda: make_pipeline(
        make_column_transformer(
            (make_column_transformer((StandardScaler(), [0, 1])), [0, 1]), (StandardScaler(), [2, 3])
        ),
        LogisticRegression(),
    ),
    "union": lambda: make_pipeline(FeatureUnion([("only", StandardScaler())]), LogisticRegression()),
    "vote of one": lambda: VotingClassifier([("only", scaled(LogisticRegression()))], voting="soft"),
    "automatic threshold": lambda: FixedThresholdClassifier(scaled(LogisticRegression()), pos_label="right"),
    "one against the rest": lambda: OneVsRestClassifier(scaled(LogisticRegression())),
}


def same_answers(first, second):
    np.testing.assert_array_equal(first.statuses, second.statuses)
    np.testing.assert_allclose(first.distances, second.distances, rtol=1e-7)
    np.testing.assert_allclose(first.lower_bounds, second.lower_bounds, rtol=1e-6)


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)], ids=["plain", "dense"])
@pytest.mark.parametrize("name", SEEN_THROUGH)
def test_what_changes_nothing_changes_no_answer(name, density):
    X, y = random_data(2, seed=3)
    plain = scaled(LogisticRegression()).fit(X, y)
    model = SEEN_THROUGH[name]().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    explainer, reference = (ew.Explainer(m, density=density, threshold=0.2).fit(X, y) for m in (model, plain))
    for target in (*plain.classes_, None):
        answers = explainer.explain(X[:20], target)
        assert_certified(explainer, X[:20], answers)
        same_answers(answers, reference.explain(X[:20], target))


def test_frozen_models_and_frozen_transformers():
    X, y = random_data(3, seed=4)
    plain = scaled(LogisticRegression()).fit(X, y)
    scaler = FrozenEstimator(StandardScaler().fit(X))
    for model in (FrozenEstimator(plain), make_pipeline(scaler, LogisticRegression()).fit(X, y)):
        explainer, reference = (ew.Explainer(m, density=None).fit(X, y) for m in (model, plain))
        same_answers(explainer.explain(X[:10]), reference.explain(X[:10]))


@pytest.mark.parametrize("sampler", ["RandomOverSampler", "SMOTE", "RandomUnderSampler"])
def test_samplers_of_imbalanced_learn_are_skipped(sampler):
    imblearn = pytest.importorskip("imblearn")
    X, y = random_data(2, seed=5)
    X, y = np.vstack([X, X[y == y[0]]]), np.concatenate([y, y[y == y[0]]])
    kind = getattr(imblearn.over_sampling, sampler, None) or getattr(imblearn.under_sampling, sampler)
    steps = [("scale", StandardScaler()), ("sample", kind(random_state=0)), ("model", LogisticRegression())]
    model = imblearn.pipeline.Pipeline(steps).fit(X, y)
    plain = Pipeline([steps[0], steps[2]])  # the same fitted steps
    explainer, reference = (ew.Explainer(m, density=None).fit(X, y) for m in (model, plain))
    answers = explainer.explain(X[:15])
    assert_certified(explainer, X[:15], answers)
    same_answers(answers, reference.explain(X[:15]))
    search = GridSearchCV(imblearn.pipeline.Pipeline(steps), {"model__C": [0.5, 2.0]}, cv=2).fit(X, y)
    explainer = ew.Explainer(search, density=None).fit(X, y)
    assert_certified(explainer, X[:15], explainer.explain(X[:15]))


def test_balanced_forests_of_imbalanced_learn_are_forests():
    ensemble = pytest.importorskip("imblearn.ensemble")
    X, y = random_data(2, seed=5)
    settings = {"sampling_strategy": "all", "replacement": True, "bootstrap": False, "random_state": 0}
    model = ensemble.BalancedRandomForestClassifier(n_estimators=5, max_depth=3, **settings).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert_certified(explainer, X[:5], explainer.explain(X[:5]))
    bagged = ensemble.BalancedBaggingClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0)
    explainer = ew.Explainer(bagged.fit(X, y), density=None).fit(X, y)
    assert_certified(explainer, X[:5], explainer.explain(X[:5]))


def test_pipelines_of_trees_that_differ_inside_of_a_vote_are_asked_as_a_whole():
    X, y = random_data(2)
    differ = [("a", scaled(small_tree())), ("b", make_pipeline(MinMaxScaler(), small_tree())), ("c", small_tree())]
    explainer = ew.Explainer(VotingClassifier(differ).fit(X, y)).fit(X, y)
    assert explainer.exactness_ == "black box"
    reason = explainer.fitted_.training.reason
    assert "inside of VotingClassifier transform the data each in its own" in reason
    assert "Put the transformers before it: make_pipeline" in reason
    some = BaggingClassifier(make_pipeline("passthrough", LinearSVC()), n_estimators=3, max_features=0.5)
    explainer = ew.Explainer(some.fit(X, y), density=None).fit(X, y)  # nothing is transformed
    assert_certified(explainer, X[:5], explainer.explain(X[:5]))


def test_models_that_are_not_fitted_say_so():
    X, y = random_data(2)
    for model in (GridSearchCV(LogisticRegression(), {"C": [1.0]}), FixedThresholdClassifier(LogisticRegression())):
        with pytest.raises((ew.UnsupportedModelError, ValueError), match=r"not fitted|is not a model family"):
            ew.Explainer(model).fit(X, y)


# --- against other solvers -------------------------------------------------------------------------------------------


def linear_parts(pipeline):
    """Weights and intercepts in the user's features, of a scaler and a linear model."""
    scaler, model = pipeline[0], pipeline[-1]
    W = np.atleast_2d(model.coef_) / scaler.scale_
    return W, np.ravel(model.intercept_) - W @ scaler.mean_


@pytest.mark.parametrize("threshold", [0.15, 0.5, 0.7])
def test_cut_offs_against_another_solver(threshold):
    X, y = random_data(2, seed=7)
    inner = scaled(LogisticRegression()).fit(X, y)
    model = FixedThresholdClassifier(FrozenEstimator(inner), threshold=threshold, pos_label="right").fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    W, b = linear_parts(inner)
    cut = np.log(threshold / (1 - threshold))
    for target, sign in (("right", 1.0), ("left", -1.0)):
        answers = explainer.explain(X[:12], target)
        assert_certified(explainer, X[:12], answers)
        for answer, x in zip(answers, X[:12]):
            # sign (W (x + v) + b - cut) >= 0
            A, right = -sign * W, sign * (W @ x + b - cut)
            value = project_reference(x, weights=explainer.distance_.weights, A=A, b=right)[1]
            np.testing.assert_allclose(answer.distance, value, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrations_against_another_solver(method):
    X, y = random_data(2, seed=8)
    model = CalibratedClassifierCV(scaled(LinearSVC()), method=method, ensemble=False, cv=3).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    inner = model.calibrated_classifiers_[0].estimator
    W, b = linear_parts(inner)
    # the score at which the calibrated probability passes one half, by the model's own calibrator
    scores = np.linspace(-3, 3, 2_000_001)
    is_right = model.calibrated_classifiers_[0].calibrators[0].predict(scores) > 0.5
    cut = scores[is_right.argmax()]
    assert not is_right[0]
    for target, sign in (("right", 1.0), ("left", -1.0)):
        answers = explainer.explain(X[:12], target)
        assert_certified(explainer, X[:12], answers)
        for answer, x in zip(answers, X[:12]):
            A, right = -sign * W, sign * (W @ x + b - cut)
            value = project_reference(x, weights=explainer.distance_.weights, A=A, b=right)[1]
            np.testing.assert_allclose(answer.distance, value, rtol=1e-4, atol=1e-4)


def of_columns(member, scaler):
    """Make a linear model of the columns of one scaler of a member with its own, or of a bare one."""
    if not hasattr(member[-1] if isinstance(member, Pipeline) else member, "coef_"):
        return member
    own = member if isinstance(member, Pipeline) else make_pipeline(nothing(), member)
    model, (W, b) = copy(own[-1]), linear_parts(own)
    model.coef_, model.intercept_ = W * scaler.scale_, b + W @ scaler.mean_
    return model


def nothing():
    """Make a scaler that leaves four columns as they are."""
    return StandardScaler().fit([[-1.0] * 4, [1.0] * 4])


def behind_one_scaler(model, scaler):
    """Give the same model with one scaler before it, and none inside."""
    model = deepcopy(model)
    if isinstance(model, CalibratedClassifierCV):
        for fold in model.calibrated_classifiers_:
            fold.estimator = of_columns(fold.estimator, scaler)
    else:
        model.estimators_ = [of_columns(member, scaler) for member in model.estimators_]
    return make_pipeline(scaler, model)


OWN_SCALERS = {
    "folds of sigmoids": lambda: CalibratedClassifierCV(scaled(LogisticRegression()), cv=3),
    "folds of isotonic regressions": lambda: CalibratedClassifierCV(scaled(LinearSVC()), cv=3, method="isotonic"),
    "soft vote, one without a scaler": lambda: VotingClassifier(
        [("a", scaled(LogisticRegression())), ("b", LogisticRegression(C=0.01))], voting="soft"
    ),
    "hard vote, one without a scaler": lambda: VotingClassifier(
        [("a", scaled(LogisticRegression(C=0.01))), ("b", LogisticRegression()), ("c", scaled(RidgeClassifier(50.0)))]
    ),
    "hard vote with a tree": lambda: VotingClassifier(
        [("a", scaled(RidgeClassifier())), ("b", small_tree()), ("c", scaled(LogisticRegression(C=0.01)))]
    ),
    "bag of votes": lambda: BaggingClassifier(scaled(LinearSVC()), n_estimators=3, random_state=0),
    "bag of probabilities": lambda: BaggingClassifier(scaled(LogisticRegression()), n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)], ids=["plain", "dense"])
@pytest.mark.parametrize("name", OWN_SCALERS)
def test_members_with_scalers_of_their_own(name, density):
    X, y = random_data(2, seed=6)
    X = X * [1.0, 20.0, 0.1, 3.0] + [5.0, -2.0, 0.0, 1.0]
    model = OWN_SCALERS[name]().fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    assert explainer.exactness_ == "exact"
    answers = explainer.explain(X[:12])
    assert_certified(explainer, X[:12], answers)
    first = model.calibrated_classifiers_[0].estimator if "folds" in name else model.estimators_[0]
    scaler = nothing() if "tree" in name else first[0]  # what a tree sees stays as it is
    other = ew.Explainer(behind_one_scaler(model, scaler), density=density).fit(X, y)
    same_answers(answers, other.explain(X[:12]))


def test_folds_with_encoders_of_their_own():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"size": rng.normal(10.0, 3.0, 300), "colour": rng.choice(["red", "blue", "green"], 300)})
    y = np.where(X["size"] + 2.0 * (X["colour"] == "red") + rng.normal(size=300) > 11, "yes", "no")
    encode = make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["colour"]))
    model = CalibratedClassifierCV(make_pipeline(encode, LogisticRegression()), cv=3).fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    assert explainer.exactness_ == "exact"
    rows = X[model.predict(X) == "no"].iloc[:8]
    answers = explainer.explain(rows, "yes")
    assert set(answers.statuses.tolist()) == {"optimal"}
    changed = answers.to_frame() if hasattr(answers, "to_frame") else answers.counterfactuals
    assert (model.predict(changed[X.columns]) == "yes").all()
    # every colour, and the least size the model accepts with it
    for answer, (_, row) in zip(answers, rows.iterrows()):
        best = np.inf
        for colour in ("red", "blue", "green"):
            sizes = np.linspace(row["size"], row["size"] + 12.0, 120_001)
            asked = pd.DataFrame({"size": sizes, "colour": colour})
            accepted = np.flatnonzero(model.predict(asked) == "yes")
            move = pd.DataFrame({"size": [sizes[accepted[0]]], "colour": [colour]})
            best = min(
                best,
                explainer.distance_(explainer.table_.encode(pd.DataFrame([row])), explainer.table_.encode(move))[0],
            )
        np.testing.assert_allclose(answer.distance, best, rtol=1e-3, atol=1e-4)


BIG = 1e3


def nearest_by_votes(x, weights, W, b, conditions, n_machines):
    """Solve for the nearest point, with a binary a machine that says on which side of its hyperplane the point is.

    ``conditions`` are rows over the binaries and their least values.
    """
    d, m = len(x), n_machines
    cost = np.concatenate([np.zeros(d), weights, np.zeros(m)])
    eye, none = np.eye(d), np.zeros((d, m))
    rows = [np.hstack([eye, -eye, none]), np.hstack([-eye, -eye, none])]  # |v| <= t
    upper = [np.zeros(d), np.zeros(d)]
    # s = W (x + v) + b;  s <= BIG z;  -s <= BIG (1 - z)
    rows += [np.hstack([W, np.zeros((m, d)), -BIG * np.eye(m)]), np.hstack([-W, np.zeros((m, d)), BIG * np.eye(m)])]
    s = W @ x + b
    upper += [-s, BIG + s]
    A, least = conditions
    rows.append(np.hstack([np.zeros((len(A), 2 * d)), -A]))
    upper.append(-least)
    bounds = (
        np.concatenate([np.full(d, -np.inf), np.zeros(d + m)]),
        np.concatenate([np.full(2 * d, np.inf), np.ones(m)]),
    )
    found = milp(
        cost,
        constraints=LinearConstraint(np.vstack(rows), -np.inf, np.concatenate(upper)),
        integrality=np.concatenate([np.zeros(2 * d), np.ones(m)]),
        bounds=Bounds(*bounds),
        options={"mip_rel_gap": 1e-9},
    )
    return found.fun if found.success else np.inf


@pytest.mark.parametrize("n_classes", [3, 4])
def test_pairs_of_classes_against_integer_programming(n_classes):
    X, y = random_data(n_classes, seed=2, n_features=3)
    model = SVC(kernel="linear").fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    pairs = list(combinations(range(n_classes), 2))
    counts = np.zeros((n_classes, len(pairs)))
    constants = np.zeros(n_classes)
    for k, (i, j) in enumerate(pairs):
        counts[i, k], counts[j, k], constants[j] = 1.0, -1.0, constants[j] + 1.0
    for index, target in enumerate(model.classes_):
        rows = X[model.predict(X) != target][:6]
        answers = explainer.explain(rows, target)
        assert_certified(explainer, rows, answers)
        others = [k for k in range(n_classes) if k != index]
        A = counts[index] - counts[others]
        least = np.array([constants[k] - constants[index] + (k < index) for k in others], dtype=float)
        for answer, x in zip(answers, rows):
            value = nearest_by_votes(
                x, explainer.distance_.weights, model.coef_, model.intercept_, (A, least), len(pairs)
            )
            np.testing.assert_allclose(answer.distance, value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_members", [3, 4])
def test_hard_votes_against_integer_programming(n_members):
    X, y = random_data(2, seed=6)
    kinds = [
        scaled(LogisticRegression(C=0.02)),
        scaled(LinearSVC()),
        scaled(RidgeClassifier()),
        scaled(LinearSVC(C=0.01)),
    ]
    model = VotingClassifier([(str(k), one) for k, one in enumerate(kinds[:n_members])]).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    W, b = (np.concatenate(parts) for parts in zip(*(linear_parts(one) for one in model.estimators_)))
    for index, target in enumerate(model.classes_):
        rows = X[model.predict(X) != target][:6]
        answers = explainer.explain(rows, target)
        assert_certified(explainer, rows, answers)
        # the first class wins ties
        needed = n_members // 2 + 1 if index == 1 else (n_members + 1) // 2
        A, least = (
            (np.ones((1, n_members)), [needed]) if index == 1 else (-np.ones((1, n_members)), [needed - n_members])
        )
        for answer, x in zip(answers, rows):
            value = nearest_by_votes(x, explainer.distance_.weights, W, b, (A, np.array(least, dtype=float)), n_members)
            np.testing.assert_allclose(answer.distance, value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("weights", [None, [2.0, 1.0]])
def test_soft_votes_of_forests_against_the_list(weights):
    X, y = random_data(2, seed=1, n_features=3)
    members = [
        ("a", RandomForestClassifier(3, max_depth=2, random_state=0)),
        ("b", RandomForestClassifier(4, max_depth=2, random_state=1)),
    ]
    model = VotingClassifier(members, voting="soft", weights=weights).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for index, target in enumerate(model.classes_):
        cuts = region_of(model, Label(index)).cuts
        rows = X[model.predict(X) != target][:5]
        answers = explainer.explain(rows, target)
        assert_certified(explainer, rows, answers)
        for answer, x in zip(answers, rows):
            nearest = nearest_of_numbers(cuts, x, explainer.distance_.weights, lambda Z: model.predict(Z) == target)  # noqa: B023
            assert nearest.n_listed > 50
            np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)


def test_cut_offs_of_forests_against_the_list():
    X, y = random_data(2, seed=1, n_features=3)
    forest = RandomForestClassifier(6, max_depth=2, random_state=0).fit(X, y)
    model = FixedThresholdClassifier(FrozenEstimator(forest), threshold=0.3, pos_label="right").fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for target in model.classes_:
        cuts = region_of(forest, Label(0)).cuts
        rows = X[model.predict(X) != target][:5]
        for answer, x in zip(explainer.explain(rows, target), rows):
            nearest = nearest_of_numbers(cuts, x, explainer.distance_.weights, lambda Z: model.predict(Z) == target)  # noqa: B023
            np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)


def test_averages_and_transformed_targets_against_another_solver():
    X, y = random_data(None, seed=2)
    bagged = BaggingRegressor(Ridge(), n_estimators=4, random_state=0).fit(X, y)
    logs = TransformedTargetRegressor(scaled(Ridge()), func=np.log, inverse_func=np.exp).fit(X, y)
    W, b = linear_parts(logs.regressor_)
    average = np.mean([one.coef_ for one in bagged.estimators_], axis=0)[None]
    constant = np.array([np.mean([one.intercept_ for one in bagged.estimators_])])
    low, high = np.quantile(y, [0.7, 0.8])
    for model, normals, offset, ends in (
        (bagged, average, constant, (low, high)),
        (logs, W, b, (np.log(low), np.log(high))),
    ):
        explainer = ew.Explainer(model, density=None).fit(X)
        answers = explainer.explain(X[:12], (low, high))
        assert_certified(explainer, X[:12], answers)
        for answer, x in zip(answers, X[:12]):
            A = np.vstack([normals, -normals])
            right = np.concatenate([ends[1] - offset - normals @ x, normals @ x + offset - ends[0]])
            value = project_reference(x, weights=explainer.distance_.weights, A=A, b=right)[1]
            np.testing.assert_allclose(answer.distance, value, rtol=1e-6, atol=1e-7)


# --- tables, rules and densities -------------------------------------------------------------------------------------


def customers(n=160):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.normal(3.0, 1.0, n).round(2),
            "years": rng.integers(0, 12, n),
            "job": rng.choice(["clerk", "nurse", "smith"], n),
        }
    )
    score = frame["income"] + 0.3 * frame["years"] + (frame["job"] == "smith") - 4.5 + rng.normal(0, 0.5, n)
    return frame, np.where(score > 0, "yes", "no")


def table_pipeline(model):
    columns = make_column_transformer((StandardScaler(), ["income", "years"]), (OneHotEncoder(), ["job"]))
    return make_pipeline(columns, model)


def test_cut_offs_of_tables_are_least_probabilities():
    """A tuned, calibrated, searched pipeline on a table with rules: as the bare pipeline at the same probability."""
    frame, y = customers()
    plain = table_pipeline(LogisticRegression()).fit(frame, y)
    wrapped = FixedThresholdClassifier(FrozenEstimator(plain), threshold=0.3, pos_label="yes").fit(frame, y)
    rules = ew.Constraints(immutable=["job"], monotone={"years": "increase"})
    for density in (None, ew.MixedMixtureDensity(n_components=1)):
        explainer, reference = (ew.Explainer(m, density=density, threshold=0.2).fit(frame, y) for m in (wrapped, plain))
        rows = frame[wrapped.predict(frame) == "no"].iloc[:12]
        answers = explainer.explain(rows, "yes", constraints=rules)
        expected = reference.explain(rows, "yes", constraints=rules, min_probability=0.3)
        same_answers(answers, expected)
        found = answers.found
        assert found.any()
        assert (wrapped.predict(answers.counterfactuals[found]) == "yes").all()
        assert (plain.predict(expected.counterfactuals[found]) == "no").any()
        assert (plain.predict_proba(expected.counterfactuals[found])[:, 1] >= 0.3).all()


def test_everything_at_once():
    frame, y = customers()
    tuned = TunedThresholdClassifierCV(
        CalibratedClassifierCV(table_pipeline(LogisticRegression()), ensemble=False, cv=3, method="isotonic"),
        scoring="balanced_accuracy",
        cv=3,
        random_state=0,
    )
    search = GridSearchCV(tuned, {"estimator__estimator__logisticregression__C": [0.1, 1.0]}, cv=2).fit(frame, y)
    explainer = ew.Explainer(search, density=ew.MixedMixtureDensity(n_components=1), threshold=0.1).fit(frame, y)
    rows = frame[search.predict(frame) == "no"].iloc[:8]
    answers = explainer.explain(rows, "yes", constraints=ew.Constraints(monotone={"years": "increase"}))
    assert (answers.statuses == "optimal").all()
    assert (search.predict(answers.counterfactuals) == "yes").all()
    assert (answers.counterfactuals["years"].to_numpy() >= rows["years"].to_numpy()).all()
    copied = ew.Explainer(search, density=None).fit(frame, y)
    assert (copied.explain(rows, "yes").distances <= answers.distances * (1 + 1e-9)).all()
