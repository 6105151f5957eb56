"""Wrappers: their regions say what their own ``predict`` says, on and around boundaries."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
)
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, QuantileTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.fixes import parse_version

from elsewise.errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from elsewise.models import (
    DecisionValue,
    Interval,
    Label,
    PolyhedronUnion,
    Probability,
    region_of,
    response_region_of,
)
from elsewise.pipeline import unwrap
from models.contract import assert_contract, blobs, wanted_mask
from search.relaxations.tree_sums.small_ensembles import classifier


def small_tree(**settings):
    return DecisionTreeClassifier(max_depth=3, random_state=0, **settings)


def forest(n_estimators=7, **settings):
    return RandomForestClassifier(n_estimators=n_estimators, max_depth=3, random_state=0, **settings)


def around_cuts(region, Z):
    """Points whose features lie on cuts of trees and one float to either side."""
    rng = np.random.default_rng(0)
    Z = Z.copy()
    for j, cuts in enumerate(region.cuts):
        if len(cuts):
            chosen = rng.choice(cuts, len(Z))
            shifted = np.array([chosen, np.nextafter(chosen, np.inf), np.nextafter(chosen, -np.inf)])
            kept = rng.random(len(Z)) < 0.5
            Z[kept, j] = shifted[rng.integers(0, 3, len(Z)), np.arange(len(Z))][kept]
    return Z


def check(model, outcome, Z):
    """Check a region of any kind against the model's own methods."""
    region = region_of(model, outcome)
    if isinstance(region, PolyhedronUnion):
        assert_contract(model, outcome, Z)
        return
    Z = around_cuts(region, Z)
    wanted = wanted_mask(model, outcome, Z)
    assert 0 < wanted.sum() < len(Z)
    np.testing.assert_array_equal(region.accepts(Z), wanted)


# --- cut-offs --------------------------------------------------------------------------------------------------------

BASES = [
    LogisticRegression(),
    small_tree(min_samples_leaf=5),
    forest(),
    GradientBoostingClassifier(n_estimators=5, learning_rate=1.0, random_state=0),
    AdaBoostClassifier(n_estimators=5, random_state=0),
]


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("pos_label", ["yes", "no", None])
@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
def test_fixed_thresholds_on_probabilities(base, pos_label, threshold):
    X, y, Z = blobs(2, labels=["no", "yes"] if pos_label else [0, 1])
    model = FixedThresholdClassifier(base, threshold=threshold, pos_label=pos_label, response_method="predict_proba")
    model.fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.4), Z)


@pytest.mark.parametrize("pos_label", ["yes", "no"])
@pytest.mark.parametrize(
    "base",
    [LogisticRegression(), LinearSVC(), SVC(kernel="linear"), RidgeClassifier(), *BASES[3:]],
    ids=lambda base: type(base).__name__,
)
def test_fixed_thresholds_on_decision_values(base, pos_label):
    X, y, Z = blobs(2, labels=["no", "yes"])
    threshold = 0.3 if not isinstance(base, AdaBoostClassifier) else 0.1
    model = FixedThresholdClassifier(
        base, threshold=threshold, pos_label=pos_label, response_method="decision_function"
    )
    model.fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "histograms"])
def test_cut_offs_and_calibrations_of_boosting(name):
    X, y, Z = blobs(2)
    base = classifier(name, n_trees=8)
    wrapped = [
        FixedThresholdClassifier(base, threshold=0.3, response_method="predict_proba"),
        CalibratedClassifierCV(base, ensemble=False, cv=2),
        CalibratedClassifierCV(base, ensemble=False, cv=2, method="isotonic"),
    ]
    for model in wrapped:
        model.fit(X, y)
        for index in (0, 1):
            check(model, Label(index), Z)
            check(model, Label(index, min_probability=0.4), Z)


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "histograms", "boosting"])
@pytest.mark.parametrize("min_probability", [0.2, 0.6])
def test_probabilities_of_boosting_with_several_classes(name, min_probability):
    X, y, Z = blobs(3)
    model = classifier(name, n_trees=8).fit(X, y)
    for index in range(3):
        check(model, Label(index, min_probability=min_probability), Z)


def test_automatic_thresholds_decide_as_the_model_inside():
    X, y, Z = blobs(2)
    for base in (LogisticRegression(), LinearSVC()):
        model = FixedThresholdClassifier(base).fit(X, y)
        for index in (0, 1):
            check(model, Label(index), Z)


@pytest.mark.parametrize("base", [LogisticRegression(), forest()], ids=lambda base: type(base).__name__)
def test_tuned_thresholds(base):
    X, y, Z = blobs(2)
    model = TunedThresholdClassifierCV(base, scoring="f1", cv=3, random_state=0).fit(X, y)
    assert abs(model.best_threshold_ - 0.5) > 0.01
    for index in (0, 1):
        check(model, Label(index), Z)


# --- calibrations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize(
    "base",
    [LogisticRegression(), LinearSVC(), SVC(kernel="linear"), forest(), small_tree(min_samples_leaf=5)],
    ids=lambda base: type(base).__name__,
)
def test_calibrations_of_one_score(base, method):
    X, y, Z = blobs(2, labels=["no", "yes"])
    model = CalibratedClassifierCV(base, method=method, ensemble=False, cv=3).fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.3), Z)
        check(model, Label(index, min_probability=0.65), Z)


@pytest.mark.skipif(parse_version(sklearn.__version__) < parse_version("1.8"), reason="temperatures are newer")
@pytest.mark.parametrize("base", [LogisticRegression(), forest()], ids=lambda base: type(base).__name__)
def test_temperatures_of_one_score(base):
    X, y, Z = blobs(2)
    model = CalibratedClassifierCV(base, method="temperature", ensemble=False, cv=3).fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.65), Z)


def test_a_falling_calibration():
    X, y, Z = blobs(2)
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    model = CalibratedClassifierCV(frozen).fit(X, 1 - y)  # what the model says is held against the contrary
    assert (model.predict(Z) != frozen.predict(Z)).mean() > 0.5
    for index in (0, 1):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.6), Z)


def test_wrappers_around_wrappers():
    X, y, Z = blobs(2, labels=["no", "yes"])
    calibrated = CalibratedClassifierCV(FrozenEstimator(forest().fit(X, y)), method="isotonic").fit(X, y)
    model = FixedThresholdClassifier(FrozenEstimator(calibrated), threshold=0.35, pos_label="yes").fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)


def test_averages_of_calibrations_are_refused():
    X, y, _ = blobs(3)
    model = CalibratedClassifierCV(small_tree(), cv=3, method="isotonic").fit(X, y)
    with pytest.raises(UnsupportedModelError, match=r"averages 3 calibrated classifiers.*ensemble=False"):
        region_of(model, Label(1))
    for model in (
        CalibratedClassifierCV(LogisticRegression(), cv=3, ensemble=False, method="isotonic"),
        CalibratedClassifierCV(small_tree(), cv=3, ensemble=False),
    ):
        with pytest.raises(UnsupportedModelError, match="of 3 classes is supported over linear models that sigmoids"):
            region_of(model.fit(X, y), Label(1))


@pytest.mark.parametrize("base", [LogisticRegression(), LinearSVC()], ids=lambda base: type(base).__name__)
def test_sigmoids_of_several_classes(base):
    X, y, Z = blobs(4)
    model = CalibratedClassifierCV(base, cv=3, ensemble=False).fit(X, y)
    inside = model.calibrated_classifiers_[0].estimator
    assert (model.predict(Z) != inside.predict(Z)).any()  # calibration changes who wins
    for index in range(4):
        check(model, Label(index), Z)


@pytest.mark.skipif(parse_version(sklearn.__version__) < parse_version("1.8"), reason="temperatures are newer")
def test_temperatures_of_several_classes():
    X, y, Z = blobs(3)
    model = CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=3, ensemble=False).fit(X, y)
    for index in range(3):
        check(model, Label(index), Z)
        for least in (0.3, 0.6):
            region = region_of(model, Label(index, min_probability=least))
            wanted = model.predict_proba(Z)[:, index] >= least
            assert 0 < wanted.sum() < len(Z)
            np.testing.assert_array_equal(region.accepts(Z), wanted)


def test_responses_that_are_not_there_are_refused():
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedSettingError, match="RandomForestClassifier has probabilities, but no decision_func"):
        response_region_of(forest().fit(X, y), DecisionValue(0.0))
    with pytest.raises(UnsupportedSettingError, match="DecisionTreeClassifier has probabilities, but no decision_func"):
        response_region_of(small_tree().fit(X, y), DecisionValue(0.0))
    with pytest.raises(UnsupportedSettingError, match="decision value of two classes, not with probabilities"):
        response_region_of(SVC(kernel="linear").fit(*blobs(3)[:2]), Probability(0, 0.3))


# --- one against the rest, pairs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "base", [LogisticRegression(), LinearSVC(), Perceptron(), RidgeClassifier()], ids=lambda base: type(base).__name__
)
def test_one_against_the_rest(base, n_classes):
    X, y, Z = blobs(n_classes)
    model = OneVsRestClassifier(base).fit(X, y)
    for index in range(n_classes):
        check(model, Label(index), Z)


def test_one_against_the_rest_of_two_classes_takes_any_family():
    X, y, Z = blobs(2)
    model = OneVsRestClassifier(forest()).fit(X, y)
    for index in (0, 1):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.7), Z)


def test_one_against_the_rest_refuses_what_it_cannot_describe():
    X, y, _ = blobs(3)
    with pytest.raises(UnsupportedModelError, match="over linear models, received RandomForestClassifier"):
        region_of(OneVsRestClassifier(forest()).fit(X, y), Label(0))
    with pytest.raises(UnsupportedSettingError, match="multi-label"):
        region_of(OneVsRestClassifier(LogisticRegression()).fit(X, np.eye(3, dtype=int)[y]), Label(0))
    with pytest.raises(UnsupportedSettingError, match="of two classes, received 3"):
        region_of(OneVsRestClassifier(LogisticRegression()).fit(X, y), Label(0, min_probability=0.3))


@pytest.mark.parametrize("n_classes", [3, 4, 5])
@pytest.mark.parametrize("break_ties", [False, True])
def test_pairs_vote(n_classes, break_ties):
    # few features, many classes: cyclic votes and ties are frequent
    X, y, Z = blobs(n_classes, n_features=2, seed=n_classes)
    model = SVC(kernel="linear", break_ties=break_ties).fit(X, y)
    for index in range(n_classes):
        check(model, Label(index), np.vstack([Z, Z / 3]))


def test_pairs_of_six_classes_vote():
    X, y, Z = blobs(6, n_features=2, seed=6)
    model = SVC(kernel="linear").fit(X, y)
    for index in range(6):
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), model.predict(Z) == index)
    model.break_ties = True
    with pytest.raises(UnsupportedModelError, match="one of them wins in more than 5000 ways"):
        region_of(model, Label(0))


def test_pairs_of_the_other_machine_vote():
    X, y, Z = blobs(3, n_features=2)
    model = NuSVC(kernel="linear", nu=0.3).fit(X, y)
    for index in range(3):
        check(model, Label(index), Z)


@pytest.mark.parametrize("break_ties", [False, True])
def test_ties_of_pairs_are_decided_as_the_model_does(break_ties):
    """Machines whose votes go round in a circle: only the tie rule decides."""
    rng = np.random.default_rng(0)
    X, y, _ = blobs(3, n_features=2)
    model = SVC(kernel="linear", break_ties=break_ties).fit(X, y)
    Z = rng.normal(scale=4, size=(4000, 2))
    votes = np.zeros((len(Z), 3), dtype=int)
    decision = Z @ model.coef_.T + model.intercept_
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        votes[np.arange(len(Z)), np.where(decision[:, k] > 0, i, j)] += 1
    tied = (votes == 1).all(axis=1)
    assert tied.sum() > 5, "no ties: choose other data"
    for index in range(3):
        found = region_of(model, Label(index)).accepts(Z[tied])
        np.testing.assert_array_equal(found, model.predict(Z[tied]) == index)


# --- votes and averages ----------------------------------------------------------------------------------------------


def linear_members(n=3):
    kinds = [
        LogisticRegression(),
        LinearSVC(random_state=0),
        RidgeClassifier(),
        Perceptron(),
        LogisticRegression(C=0.01),
    ]
    return [(str(k), model) for k, model in enumerate(kinds[:n])]


@pytest.mark.parametrize("weights", [None, [1.0, 2.5, 1.2]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_hard_votes_of_linear_models(n_classes, weights):
    X, y, Z = blobs(n_classes, labels=["a", "b", "c"][:n_classes])
    model = VotingClassifier(linear_members(), weights=weights).fit(X, y)
    for index in range(n_classes):
        check(model, Label(index), Z)


def test_hard_votes_of_five_and_of_an_even_number():
    X, y, Z = blobs(2)
    for n in (4, 5):
        model = VotingClassifier(linear_members(n)).fit(X, y)
        for index in (0, 1):
            check(model, Label(index), Z)


def test_hard_votes_of_trees_and_of_trees_with_linear_models():
    X, y, Z = blobs(3)
    trees = [(str(k), DecisionTreeClassifier(max_depth=2, random_state=k, max_features=2)) for k in range(5)]
    mixed = [*linear_members(2), ("tree", small_tree())]
    for model in (VotingClassifier(trees, weights=[1, 2, 1, 1, 1]).fit(X, y), VotingClassifier(mixed).fit(X, y)):
        for index in range(3):
            check(model, Label(index), Z)


@pytest.mark.parametrize("weights", [None, [1.0, 3.0, 0.5]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_soft_votes_of_trees(n_classes, weights):
    X, y, Z = blobs(n_classes)
    members = [
        ("forest", forest(6)),
        ("extra", ExtraTreesClassifier(n_estimators=7, max_depth=3, random_state=1)),
        ("tree", small_tree()),
    ]
    model = VotingClassifier(members, voting="soft", weights=weights).fit(X, y)
    for index in range(n_classes):
        check(model, Label(index), Z)
        check(model, Label(index, min_probability=0.3), Z)


def test_a_vote_of_one():
    X, y, Z = blobs(2)
    one = VotingClassifier([("a", LogisticRegression()), ("b", "drop")], voting="soft").fit(X, y)
    outweighed = VotingClassifier([("a", LogisticRegression()), ("b", BernoulliNB())], voting="soft", weights=[1, 0])
    for model in (one, outweighed.fit(X, y)):
        for index in (0, 1):
            check(model, Label(index), Z)
            check(model, Label(index, min_probability=0.7), Z)


def test_votes_without_exact_description_are_refused():
    X, y, _ = blobs(3)
    logistic = [("a", LogisticRegression()), ("b", LogisticRegression(C=0.1))]
    with pytest.raises(UnsupportedModelError, match="averages the probabilities of LogisticRegression"):
        region_of(VotingClassifier(logistic, voting="soft").fit(X, y), Label(0))
    with pytest.raises(UnsupportedModelError, match="averages the probabilities of LogisticRegression"):
        region_of(BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0).fit(X, y), Label(0))
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedModelError, match="supported over linear models and decision trees, received Random"):
        region_of(VotingClassifier([("a", forest()), ("b", LogisticRegression())]).fit(X, y), Label(0))
    with pytest.raises(UnsupportedSettingError, match="probabilities with voting='soft'"):
        region_of(VotingClassifier(logistic).fit(X, y), Label(0, min_probability=0.6))
    with pytest.raises(UnsupportedModelError, match="30 members a class wins in more than"):
        region_of(BaggingClassifier(LinearSVC(), n_estimators=30, random_state=0).fit(X, y), Label(0))
    with pytest.raises(UnsupportedModelError, match="BernoulliNB is not a model family"):
        region_of(
            VotingClassifier([("a", BernoulliNB()), ("b", LogisticRegression())], voting="soft").fit(X, y), Label(0)
        )


@pytest.mark.parametrize("max_features", [1.0, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_bagged_linear_models_vote(n_classes, max_features):
    X, y, Z = blobs(n_classes)
    base = LinearSVC(random_state=0)
    model = BaggingClassifier(base, n_estimators=5, max_features=max_features, random_state=0).fit(X, y)
    for index in range(n_classes):
        check(model, Label(index), Z)


@pytest.mark.parametrize("min_probability", [0.2, 0.7])
def test_probabilities_of_bagged_trees(min_probability):
    X, y, Z = blobs(3)
    model = BaggingClassifier(small_tree(), n_estimators=7, random_state=0).fit(X, y)
    for index in range(3):
        check(model, Label(index, min_probability=min_probability), Z)


def numbers_target(seed=0):
    X, _, Z = blobs(2, seed=seed)
    return X, X @ [1.0, -2.0, 0.5, 0.3] + 10.0 + np.random.default_rng(seed).normal(size=len(X)), Z


def quantiles(model, Z, low=0.3, high=0.7):
    return Interval(*(float(end) for end in np.quantile(model.predict(Z), [low, high])))


AVERAGES = [
    VotingRegressor([("a", LinearRegression()), ("b", Ridge(10.0))], weights=[1, 3]),
    VotingRegressor(
        [("a", RandomForestRegressor(5, max_depth=3, random_state=0)), ("b", DecisionTreeRegressor(max_depth=3))]
    ),
    VotingRegressor(
        [
            ("a", GradientBoostingRegressor(n_estimators=5, random_state=0)),
            ("b", HistGradientBoostingRegressor(max_iter=5, random_state=0)),
        ],
        weights=[2, 1],
    ),
    VotingRegressor([("a", DecisionTreeRegressor(max_depth=3)), ("b", "drop")]),
    BaggingRegressor(Ridge(), n_estimators=5, random_state=0),
    BaggingRegressor(Ridge(), n_estimators=5, max_features=0.5, random_state=0),
    BaggingRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=5, random_state=0),
]


@pytest.mark.parametrize("model", AVERAGES, ids=str)
def test_averages_of_numbers(model):
    X, y, Z = numbers_target()
    model.fit(X, y)
    check(model, quantiles(model, Z), Z)


def test_averages_without_exact_description_are_refused():
    X, y, _ = numbers_target()
    mixed = VotingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor())]).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="received Ridge among 2"):
        region_of(mixed, Interval(0.0, 1.0))
    y = np.exp(y / 10)
    logs = VotingRegressor([("a", PoissonRegressor()), ("b", Ridge())]).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="received PoissonRegressor among 2"):
        region_of(logs, Interval(0.0, 1.0))


# --- transformed targets ---------------------------------------------------------------------------------------------

TRANSFORMED = [
    TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp),
    TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
    TransformedTargetRegressor(Ridge(), func=np.square, inverse_func=np.sqrt),
    TransformedTargetRegressor(Ridge(), func=np.negative, inverse_func=np.negative),
    TransformedTargetRegressor(Ridge(), transformer=StandardScaler()),
    TransformedTargetRegressor(Ridge(), transformer=PowerTransformer()),
    TransformedTargetRegressor(Ridge(), transformer=PowerTransformer(method="box-cox")),
    TransformedTargetRegressor(Ridge(), transformer=QuantileTransformer(n_quantiles=20)),
    TransformedTargetRegressor(Ridge(), transformer=FunctionTransformer()),
    TransformedTargetRegressor(DecisionTreeRegressor(max_depth=3), func=np.log, inverse_func=np.exp),
    TransformedTargetRegressor(RandomForestRegressor(5, random_state=0), func=np.log, inverse_func=np.exp),
    TransformedTargetRegressor(Ridge(), func=np.sqrt, inverse_func=np.square),
]


@pytest.mark.parametrize("model", TRANSFORMED[:-1], ids=str)
def test_transformed_targets(model):
    X, y, _ = numbers_target()
    y = y - y.min() + 1.0
    model.fit(X, y)
    for low, high in ((0.3, 0.7), (0.6, 0.9)):
        check(model, quantiles(model, X, low, high), np.vstack([X, X + 0.3]))
    ends = quantiles(model, X)
    check(model, Interval(ends.low, np.inf), X)
    check(model, Interval(-np.inf, ends.low), X)


def test_inverses_that_may_turn_are_refused():
    X, y, _ = numbers_target()
    with pytest.raises(UnsupportedSettingError, match="known to be monotone, received the function square"):
        region_of(TRANSFORMED[-1].fit(X, y - y.min() + 1.0), Interval(1.0, 2.0))
    with pytest.raises(InvalidInputError, match="is a regressor"):
        region_of(TRANSFORMED[0].fit(X, y - y.min() + 1.0), Label(0))


# --- taking apart ----------------------------------------------------------------------------------------------------


def test_searches_without_a_model_are_refused():
    X, y, _ = blobs(2)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, refit=False, cv=2).fit(X, y)
    with pytest.raises(UnsupportedSettingError, match="refit=False and holds no model"):
        unwrap(search)
