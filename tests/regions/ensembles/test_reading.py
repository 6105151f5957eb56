"""What is read of an ensemble gives the library's own scores, to the bit, on its thresholds and beside them, too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostRegressor, BaggingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from elsewise.arrays import FloatArray
from elsewise.errors import UnsupportedModelError, UnsupportedSettingError
from elsewise.regions import Interval, Label, region_of
from elsewise.regions.ensembles.decisions import largest_number, smallest_number
from elsewise.regions.ensembles.trees import TreeSum, left_limits
from regions.ensembles.small_ensembles import LIBRARIES, OVER_TREES, classifier, numbers, regressor


def around_thresholds(trees: TreeSum, X: FloatArray, seed: int = 0) -> FloatArray:
    """Random rows, and rows exactly on every limit, one float below it and one above."""
    rng = np.random.default_rng(seed)
    rows = [rng.normal(scale=2, size=(300, X.shape[1])) * X.std(axis=0)]
    for j, cuts in enumerate(trees.cuts()):
        for values in (cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)):
            beside = X[rng.integers(len(X), size=len(values))]
            beside[:, j] = values
            rows.append(beside)
    return np.concatenate(rows)


def own_scores(name, model, Z):
    if name in ("forest", "extra trees", "bagging"):
        return model.predict_proba(Z)
    if name == "adaboost":
        decision = model.decision_function(Z)
        return decision / 2 if decision.ndim == 1 else decision
    if name in ("boosting", "histograms"):
        return model.decision_function(Z)
    return model.predict(Z, output_margin=True) if name == "xgboost" else model.predict(Z, raw_score=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LIBRARIES + OVER_TREES)
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_the_librarys_own_to_the_bit(name, n_classes, seed):
    X, y, _ = numbers(seed, n_classes)
    model = classifier(name, seed, n_trees=20, depth=3).fit(X, y)
    region = region_of(model, Label(1))
    Z = around_thresholds(region.trees, X)
    np.testing.assert_array_equal(region.trees.scores(Z), np.reshape(own_scores(name, model, Z), (len(Z), -1)))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LIBRARIES + OVER_TREES)
def test_decisions_are_those_of_predict(name, n_classes):
    X, y, _ = numbers(1, n_classes)
    model = classifier(name, 0, n_trees=20, depth=3).fit(X, y)
    for index in range(n_classes):
        region = region_of(model, Label(index))
        Z = around_thresholds(region.trees, X)
        wanted = model.predict(Z) == model.classes_[index]
        assert 0 < wanted.sum() < len(Z)
        np.testing.assert_array_equal(region.accepts(Z), wanted)
        if name == "adaboost" and len(model.classes_) > 2:
            continue  # its probabilities are no shares of votes, and refused
        likely = region_of(model, Label(index, min_probability=0.7)).accepts(Z)
        np.testing.assert_array_equal(likely, model.predict_proba(Z)[:, index] >= 0.7)
        assert likely.sum() < wanted.sum()


@pytest.mark.parametrize("name", [*LIBRARIES, "bagging"])
def test_intervals_are_those_of_predict(name):
    X, _, score = numbers(2)
    model = regressor(name, 0, n_trees=20, depth=3).fit(X, score)
    low, high = np.quantile(model.predict(X), [0.4, 0.7])
    region = region_of(model, Interval(float(low), float(high)))
    Z = around_thresholds(region.trees, X)
    predicted = model.predict(Z)
    np.testing.assert_array_equal(region.accepts(Z), (predicted >= low) & (predicted <= high))


@pytest.mark.parametrize("name", ["histograms", "xgboost", "lightgbm"])
def test_a_log_link(name):
    X, _, score = numbers(2)
    settings = {"histograms": {"loss": "poisson"}, "xgboost": {"objective": "count:poisson"}}
    model = regressor(name, 0, n_trees=20).set_params(**settings.get(name, {"objective": "poisson"}))
    model.fit(X, np.exp(score / 2))
    low, high = np.quantile(model.predict(X), [0.4, 0.7])
    region = region_of(model, Interval(float(low), float(high)))
    Z = around_thresholds(region.trees, X)
    predicted = model.predict(Z)
    clear = np.minimum(np.abs(predicted - low), np.abs(predicted - high)) > 1e-6 * high
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(region.accepts(Z)[clear], ((predicted >= low) & (predicted <= high))[clear])


@pytest.mark.parametrize("name", ["forest", "histograms", "xgboost", "lightgbm"])
def test_missing_values_go_where_the_library_sends_them(name):
    X, y, _ = numbers(0)
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = classifier(name, 0, n_trees=20, depth=3).fit(X, y)
    scores = region_of(model, Label(1)).trees.scores(X)
    np.testing.assert_array_equal(scores, np.reshape(own_scores(name, model, X), (len(X), -1)))


@pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
def test_splits_by_category(name):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 9, 300)])
    y = (X[:, 0] + 2 * np.sin(3 * X[:, 1]) > 0).astype(int)
    model = classifier(name, 0, n_trees=20, depth=3)
    if name == "xgboost":
        model.set_params(enable_categorical=True, feature_types=["q", "c"], max_cat_to_onehot=1).fit(X, y)
    else:
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2).fit(X, y, categorical_feature=[1])
    trees = region_of(model, Label(1)).trees
    assert len(trees.code_sets) > 0
    np.testing.assert_array_equal(trees.scores(X), np.reshape(own_scores(name, model, X), (len(X), -1)))


def test_limits_of_comparisons():
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, 5e-324, 1e-45, 1e-310, 3e38, -3e38, 0.1, 1 / 3]
    thresholds = np.concatenate([rng.normal(size=200) * 10.0 ** rng.integers(-30, 30, 200), special])
    for strict in (False, True):
        for single in (False, True):
            given = thresholds.astype(np.float32).astype(float) if single and strict else thresholds
            limits = left_limits(given, strict=strict, single=single)

            def goes_left(z, given=given, strict=strict, single=single):
                with np.errstate(over="ignore", under="ignore"):
                    seen = z.astype(np.float32).astype(float) if single else z
                return seen < given if strict else seen <= given

            assert goes_left(limits).all()
            assert not goes_left(np.nextafter(limits, np.inf)).any()


def test_bisection_of_floats():
    for wanted in (0.0, 1e-300, -5e-324, 0.1, -1e200):
        assert smallest_number(lambda number, wanted=wanted: number >= wanted) == wanted
        assert largest_number(lambda number, wanted=wanted: number <= wanted) == wanted
    assert smallest_number(lambda number: False) == np.inf
    assert smallest_number(lambda number: True) == -np.inf


def test_what_is_refused_says_why():
    X, y, _ = numbers(0)
    codes = np.column_stack([X[:, :2], np.arange(len(X)) % 4])
    model = HistGradientBoostingClassifier(categorical_features=[2], max_iter=3).fit(codes, y)
    with pytest.raises(UnsupportedSettingError, match="categorical_features"):
        region_of(model, Label(1))
    several = classifier("forest").fit(X, np.column_stack([y, y]))
    with pytest.raises(UnsupportedSettingError, match="outputs at once"):
        region_of(several, Label(1))


def test_what_is_no_sum_of_trees_is_refused():
    X, y, score = numbers(0)
    with pytest.raises(UnsupportedModelError, match="weighted median"):
        region_of(AdaBoostRegressor(n_estimators=3).fit(X, score), Interval(0.0, 1.0))
    with pytest.raises(UnsupportedModelError, match="averages the probabilities of LogisticRegression"):
        region_of(BaggingClassifier(LogisticRegression(), n_estimators=2).fit(X, y), Label(1))


def test_bare_boosters_and_zero_as_missing_are_refused():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, _ = numbers(0)
    model = classifier("lightgbm").fit(X, y)
    with pytest.raises(UnsupportedModelError, match="bare Booster"):
        region_of(model.booster_, Label(1))
    zeros = X.copy()
    zeros[::3] = 0.0
    odd = lightgbm.LGBMClassifier(n_estimators=3, zero_as_missing=True, verbose=-1, min_child_samples=5).fit(zeros, y)
    with pytest.raises(UnsupportedSettingError, match="zero_as_missing"):
        region_of(odd, Label(1))
