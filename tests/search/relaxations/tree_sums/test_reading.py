"""What is read of an ensemble gives the library's own scores, to the bit, on its thresholds and beside them, too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import AdaBoostRegressor, BaggingClassifier, IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

import elsewise as ew
from elsewise.arrays import FloatArray
from elsewise.errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from elsewise.models import Interval, Label, as_estimator, region_of
from elsewise.search.relaxations.tree_sums.decisions import largest_number, smallest_number
from elsewise.search.relaxations.tree_sums.trees import TreeSum, left_limits
from search.relaxations.tree_sums.small_ensembles import (
    LIBRARIES,
    OVER_TREES,
    classifier,
    nearest_of_numbers,
    numbers,
    regressor,
)

# XGBoost has dropout without that name since 3.4, and says so.
DART = pytest.mark.filterwarnings("ignore:.*`booster=dart` is deprecated")


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


def with_codes(seed: int, n_classes: int, *, missing: bool) -> tuple[FloatArray, np.ndarray, FloatArray]:
    """Rows of two numbers, many of them zero, and codes of a category, with labels; and rows with missing values."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=300), rng.normal(size=300) * (rng.random(300) < 0.6), rng.integers(0, 9, 300)])
    score = X[:, 0] + (X[:, 1] == 0) + 2 * np.sin(3 * X[:, 2])
    some = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    labels = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return (some if missing else X), labels, np.concatenate([X, some])


@DART
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["histograms", "xgboost", "xgboost dart", "lightgbm", "lightgbm zeros", "lightgbm rf"])
def test_categories_missing_values_and_odd_settings_give_the_librarys_scores(name, n_classes, missing):
    X, y, Z = with_codes(n_classes, n_classes, missing=missing)
    library = name.partition(" ")[0]
    model = classifier(library, 0, n_trees=20, depth=3)
    if library == "histograms":
        model.set_params(categorical_features=[2]).fit(X, y)
    elif library == "xgboost":
        model.set_params(enable_categorical=True, feature_types=["q", "q", "c"], max_cat_to_onehot=1)
        model.set_params(**({"booster": "dart", "rate_drop": 0.3} if "dart" in name else {})).fit(X, y)
    else:
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2, zero_as_missing="zeros" in name)
        if "rf" in name:
            model.set_params(boosting_type="rf", bagging_freq=1, bagging_fraction=0.7)
        model.fit(X, y, categorical_feature=[2])
    trees = region_of(model, Label(1)).trees
    assert len(trees.code_sets) > 0
    assert trees.zero_is_missing.any() == ("zeros" in name)
    own = np.reshape(own_scores(library, model, Z), (len(Z), -1))
    if "rf" in name:  # its probabilities are of averages, its raw scores are sums
        own = own / 20
    np.testing.assert_array_equal(trees.scores(Z), own)
    for index in range(n_classes):
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), model.predict(Z) == index)


@pytest.mark.parametrize("name", [*LIBRARIES, *OVER_TREES, "catboost"])
def test_rows_with_missing_values_see_a_smaller_sum(name):
    X, y, _ = numbers(0)
    missing = np.array([True, False, True])
    rows = np.where(missing, np.nan, X)
    train = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    if name in ("boosting", "adaboost"):  # these take no missing values
        train = X
    trees = region_of(classifier(name, 0, n_trees=20, depth=4).fit(train, y), Label(1)).trees
    smaller = trees.where_missing(missing)
    assert not np.isin(smaller.feature, [0, 2]).any()
    assert smaller.n_trees == trees.n_trees
    np.testing.assert_array_equal(smaller.scores(X), trees.scores(rows))
    nothing = trees.where_missing(np.zeros(3, dtype=bool))
    np.testing.assert_array_equal(nothing.scores(X), trees.scores(X))


@pytest.mark.parametrize("grow_policy", ["SymmetricTree", "Depthwise", "Lossguide"])
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_catboost(n_classes, nan_mode, grow_policy):
    X, y, _ = numbers(1, n_classes)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = classifier("catboost", 0, n_trees=20, depth=3).set_params(nan_mode=nan_mode, grow_policy=grow_policy)
    model.fit(X, y)
    for index in range(n_classes):
        region = region_of(model, Label(index))
        Z = np.concatenate([X, around_thresholds(region.trees, np.nan_to_num(X))])
        own = np.reshape(model.predict(Z, prediction_type="RawFormulaVal"), (len(Z), -1))
        np.testing.assert_array_equal(region.trees.scores(Z), own)
        wanted = model.predict(Z).ravel() == index
        np.testing.assert_array_equal(region.accepts(Z), wanted)
        likely = region_of(model, Label(index, min_probability=0.6)).accepts(Z)
        np.testing.assert_array_equal(likely, model.predict_proba(Z)[:, index] >= 0.6)


def test_catboost_of_numbers_and_another_threshold():
    X, y, score = numbers(1)
    model = regressor("catboost", n_trees=20, depth=3).fit(X, score)
    trees = region_of(model, Interval(0.0, 1.0)).trees
    Z = around_thresholds(trees, X)
    np.testing.assert_array_equal(trees.scores(Z)[:, 0], model.predict(Z))
    strict = classifier("catboost", n_trees=20, depth=3).fit(X, y)
    strict.set_probability_threshold(0.7)
    for index in range(2):
        np.testing.assert_array_equal(region_of(strict, Label(index)).accepts(Z), strict.predict(Z) == index)
    assert strict.predict(Z).sum() < (strict.predict_proba(Z)[:, 1] > 0.5).sum()


@pytest.mark.parametrize("seed", range(3))
def test_the_weighted_median_of_adaboost(seed):
    X, _, score = numbers(seed)
    model = AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=12, random_state=seed).fit(X, score)
    ends = np.quantile(model.predict(X), [0.2, 0.5, 0.8])
    Z = around_thresholds(region_of(model, Interval(0.0, 1.0)).trees, X)
    predicted = model.predict(Z)
    for low, high in [
        (ends[0], ends[1]),
        (-np.inf, ends[1]),
        (ends[1], np.inf),
        (ends[1], ends[1]),
        (ends[2], ends[0]),
    ]:
        wanted = (predicted >= low) & (predicted <= high)
        np.testing.assert_array_equal(region_of(model, Interval(low, high)).accepts(Z), wanted)
    rows = X[model.predict(X) < ends[1]][:6]
    explainer = ew.Explainer(model, density=None).fit(X)
    answers = explainer.explain(rows, (ends[1], ends[2]))
    for row, answer in zip(rows, answers):
        nearest = nearest_of_numbers(
            region_of(model, Interval(0.0, 1.0)).trees.cuts(),
            row,
            explainer.distance_.weights,
            lambda points: (model.predict(points) >= ends[1]) & (model.predict(points) <= ends[2]),
        )
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"max_features": 2}, {"contamination": 0.2}, {"max_samples": 2}])
def test_isolation_forests(settings):
    X, _, _ = numbers(0)
    model = IsolationForest(n_estimators=20, random_state=0, **settings).fit(X)
    Z = around_thresholds(region_of(model, Label(1)).trees, 1.5 * X)
    predicted = model.predict(Z)
    for index, label in enumerate((-1, 1)):
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), predicted == label)
        np.testing.assert_array_equal(region_of(model, Interval(label - 0.5, label)).accepts(Z), predicted == label)
    assert region_of(model, Interval(-2, 2)).accepts(Z).all()
    assert not region_of(model, Interval(2, 3)).accepts(Z).any()
    assert region_of(model, Interval(2, 3)).parts() == ()


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("kind", ["two", "three", "numbers", "counts"])
def test_bare_boosters(library, kind):
    X, y, score = numbers(1, 3 if kind == "three" else 2)
    target = np.exp(score / 2) if kind == "counts" else score if kind == "numbers" else y
    if kind in ("two", "three"):
        model = classifier(library, n_trees=20, depth=3).fit(X, y)
    else:
        model = regressor(library, n_trees=20, depth=3)
        if kind == "counts":
            model.set_params(objective={"xgboost": "count:poisson", "lightgbm": "poisson"}[library])
        model.fit(X, target)
    bare = model.get_booster() if library == "xgboost" else model.booster_
    estimator = as_estimator(bare)
    assert as_estimator(model) is model
    if kind in ("two", "three"):
        np.testing.assert_array_equal(estimator.classes_, model.classes_)
        Z = around_thresholds(region_of(bare, Label(1)).trees, X)
        for index in range(len(model.classes_)):
            np.testing.assert_array_equal(region_of(bare, Label(index)).accepts(Z), estimator.predict(Z) == index)
        np.testing.assert_array_equal(estimator.predict(Z), model.predict(Z))
        np.testing.assert_array_equal(estimator.predict_proba(Z), model.predict_proba(Z))
        return
    assert not hasattr(estimator, "classes_")
    low, high = (float(end) for end in np.quantile(estimator.predict(X), [0.4, 0.7]))
    region = region_of(bare, Interval(low, high))
    Z = around_thresholds(region.trees, X)
    predicted = estimator.predict(Z)
    clear = np.minimum(np.abs(predicted - low), np.abs(predicted - high)) > (1e-6 * high if kind == "counts" else 0)
    np.testing.assert_array_equal(region.accepts(Z)[clear], ((predicted >= low) & (predicted <= high))[clear])
    with pytest.raises(InvalidInputError, match="Booster is a regressor"):
        region_of(bare, Label(1))


@DART
@pytest.mark.parametrize("kind", ["two", "three", "numbers", "categories"])
@pytest.mark.parametrize("seed", range(3))
def test_dropout_leaves_weights(kind, seed):
    xgboost = pytest.importorskip("xgboost")
    X, y, score = numbers(seed, 3 if kind == "three" else 2)
    if kind == "two":
        y = (score > np.quantile(score, 0.8)).astype(int)  # the base is not zero
    model = (regressor if kind == "numbers" else classifier)("xgboost", seed, n_trees=20, depth=3)
    model.set_params(booster="dart", rate_drop=0.3)
    types = None
    if kind == "categories":
        X, y, _ = with_codes(seed, 2, missing=False)
        types = ["q", "q", "c"]
        model.set_params(enable_categorical=True, feature_types=types, max_cat_to_onehot=1)
    model.fit(X, score if kind == "numbers" else y)
    booster, outcome = model.get_booster(), Interval(0.0, 1.0) if kind == "numbers" else Label(1)
    trees = region_of(model, outcome).trees
    Z = X if kind == "categories" else around_thresholds(trees, X)
    own = model.predict(Z, output_margin=True)
    np.testing.assert_array_equal(trees.scores(Z), np.reshape(own, (len(Z), -1)))
    margins = booster.predict(xgboost.DMatrix(Z, feature_types=types), output_margin=True)
    np.testing.assert_array_equal(region_of(booster, outcome).trees.scores(Z), np.reshape(margins, (len(Z), -1)))
    drawn = [float(value) for value in booster.trees_to_dataframe().query("Feature == 'Leaf'")["Gain"]]
    leaves = trees.value[trees.feature < 0]
    assert np.abs(leaves).sum() < 0.9 * np.abs(drawn).sum()  # leaves as they are written weigh less


@pytest.mark.parametrize("missing", [-1.0, 0.0, 2.0, 0.1, np.nan])
@pytest.mark.parametrize("kind", ["two", "three", "numbers"])
def test_a_number_that_xgboost_takes_for_a_missing_value(missing, kind):
    pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 5, (300, 3)).astype(float)
    X[:, 1] = rng.choice([0.1, 0.2, float(np.float32(0.1)), 0.3], 300)
    X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nansum(X, axis=1) + 3 * (X[:, 0] == missing) + rng.normal(size=300)
    y = score if kind == "numbers" else np.digitize(score, [2, 4] if kind == "three" else [3])
    model = (regressor if kind == "numbers" else classifier)("xgboost", n_trees=12, depth=3).set_params(missing=missing)
    trees = region_of(model.fit(X, y), Interval(0.0, 1.0) if kind == "numbers" else Label(1)).trees
    Z = np.concatenate([X, around_thresholds(trees, np.nan_to_num(X))])
    own = np.reshape(model.predict(Z, output_margin=True), (len(Z), -1))
    np.testing.assert_array_equal(trees.scores(Z), own)
    np.testing.assert_array_equal(
        trees.where_missing(np.array([True, False, False])).scores(Z),
        trees.scores(np.where([True, False, False], np.nan, Z)),
    )
    assert trees.zero_is_missing.any() == (not np.isnan(missing))


@pytest.mark.parametrize("missing", [-1.0, 0.0])
def test_answers_about_a_number_that_stands_for_a_missing_value(missing):
    pytest.importorskip("xgboost")
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 5, (300, 3)).astype(float)
    y = (X.sum(axis=1) + 3 * (X[:, 0] == missing) > 3).astype(int)
    model = classifier("xgboost", n_trees=10, depth=3).set_params(missing=missing).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) != 1][:20]
    cuts = region_of(model, Label(1)).trees.cuts()
    for row, answer in zip(rows, explainer.explain(rows, 1)):
        nearest = nearest_of_numbers(cuts, row, explainer.distance_.weights, lambda points: model.predict(points) == 1)
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)


@DART
def test_weights_that_are_rounded_in_an_unknown_way_are_refused(monkeypatch):
    xgboost = pytest.importorskip("xgboost")
    X, y, _ = numbers(0)
    model = classifier("xgboost", n_trees=20, depth=3).set_params(booster="dart", rate_drop=0.3).fit(X, y)
    before = xgboost.Booster.inplace_predict

    def otherwise(booster, rows, **options):
        return before(booster, rows, **options) + np.float32(1e-3)

    monkeypatch.setattr(xgboost.Booster, "inplace_predict", otherwise)
    with pytest.raises(UnsupportedSettingError, match=r"trained with dropout, and XGBoost .* Fit the model without"):
        region_of(model, Label(1))


@pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_after_early_stopping_the_trees_of_predict_count(name, n_classes):
    X, y, _ = numbers(0, n_classes)
    shuffled = np.random.default_rng(0).permutation(y)  # nothing to be learned of these
    model = classifier(name, n_trees=60, depth=3)
    if name == "xgboost":
        model.set_params(early_stopping_rounds=4).fit(X, y, eval_set=[(X, shuffled)], verbose=False)
    else:
        import lightgbm

        stop = lightgbm.early_stopping(4, verbose=False)
        model.fit(X, y, eval_X=X, eval_y=shuffled, callbacks=[stop])
    trees = region_of(model, Label(1)).trees
    assert trees.n_trees < 20
    np.testing.assert_array_equal(trees.scores(X), np.reshape(own_scores(name, model, X), (len(X), -1)))


@pytest.mark.parametrize("way", ["callback", "file"])
def test_after_xgboosts_early_stopping_by_a_callback_or_in_another_estimator(way, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    X, y, _ = numbers(0)
    shuffled = np.random.default_rng(0).permutation(y)
    model = classifier("xgboost", n_trees=60, depth=3)
    model.set_params(callbacks=[xgboost.callback.EarlyStopping(rounds=4)])
    model.fit(X, y, eval_set=[(X, shuffled)], verbose=False)
    if way == "file":
        model.save_model(tmp_path / "model.json")
        model = xgboost.XGBClassifier()
        model.load_model(tmp_path / "model.json")
    trees = region_of(model, Label(1)).trees
    assert trees.n_trees == model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    np.testing.assert_array_equal(trees.scores(X)[:, 0], model.predict(X, output_margin=True))


@pytest.mark.parametrize(
    "objective",
    ["squarederror", "absoluteerror", "pseudohubererror", "logistic", "gamma", "tweedie", "quantileerror"],
)
def test_sums_of_xgboosts_objectives(objective):
    X, _, score = numbers(1)
    target = score if objective not in ("logistic", "gamma", "tweedie") else 1 / (1 + np.exp(-score))
    model = regressor("xgboost", n_trees=20, depth=3).set_params(objective=f"reg:{objective}")
    model.set_params(**({"quantile_alpha": 0.5} if objective == "quantileerror" else {})).fit(X, target)
    low, high = (float(end) for end in np.quantile(model.predict(X), [0.3, 0.6]))
    region = region_of(model, Interval(low, high))
    np.testing.assert_array_equal(region.trees.scores(X)[:, 0], model.predict(X, output_margin=True))


@pytest.mark.parametrize("objective", ["binary:logistic", "reg:logistic", "count:poisson", "reg:gamma"])
def test_xgboosts_base_is_found_to_the_bit(objective):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, share = rng.normal(size=(60, 2)), rng.uniform(0.05, 0.95)
        y = rng.random(60) < share if objective == "binary:logistic" else np.clip(rng.normal(share, 0.1, 60), 0.01, 1)
        model = (classifier if objective == "binary:logistic" else regressor)("xgboost", n_trees=2)
        model.set_params(objective=objective).fit(X, y.astype(float))
        outcome = Label(1) if objective == "binary:logistic" else Interval(0.1, 0.5)
        scores = region_of(model, outcome).trees.scores(X)[:, 0]
        np.testing.assert_array_equal(scores, model.predict(X, output_margin=True))


def test_lightgbms_sigmoid_may_be_steeper():
    X, y, _ = numbers(0)
    model = classifier("lightgbm", n_trees=20).set_params(sigmoid=3.0).fit(X, y)
    likely = region_of(model, Label(1, min_probability=0.8)).accepts(X)
    np.testing.assert_array_equal(likely, model.predict_proba(X)[:, 1] >= 0.8)
    assert likely.any()


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


@pytest.mark.parametrize("n_classes", [2, 3])
def test_boosting_that_stopped_early_has_fewer_trees(n_classes):
    X, y, _ = numbers(0, n_classes)
    model = classifier("boosting", n_trees=200).set_params(n_iter_no_change=2).fit(X, y)
    assert len(model.estimators_) < 200
    trees = region_of(model, Label(1)).trees
    assert trees.n_trees == model.estimators_.size
    np.testing.assert_array_equal(trees.scores(X), np.reshape(model.decision_function(X), (len(X), -1)))
    forest = classifier("forest", n_trees=7).fit(X, y).set_params(n_estimators=50)
    np.testing.assert_array_equal(region_of(forest, Label(1)).trees.scores(X), forest.predict_proba(X))


@pytest.mark.parametrize("n_trees", [3, 40])
def test_boosting_with_an_exponential_loss(n_trees):
    X, y, _ = numbers(1)
    model = classifier("boosting", n_trees=n_trees, depth=3).set_params(loss="exponential").fit(X, y)
    Z = around_thresholds(region_of(model, Label(1)).trees, X)
    for index in range(2):
        region = region_of(model, Label(index))
        np.testing.assert_array_equal(region.trees.scores(Z)[:, 0], model.decision_function(Z))
        np.testing.assert_array_equal(region.accepts(Z), model.predict(Z) == index)
        likely = region_of(model, Label(index, min_probability=0.6)).accepts(Z)
        np.testing.assert_array_equal(likely, model.predict_proba(Z)[:, index] >= 0.6)


def test_boosting_that_starts_from_another_model_is_refused():
    X, y, score = numbers(0)
    for model, target, start in (
        (classifier("boosting"), y, DummyClassifier(strategy="most_frequent")),
        (regressor("boosting"), score, LinearRegression()),
    ):
        model.set_params(init=start).fit(X, target)
        with pytest.raises(UnsupportedSettingError, match=f"init=None or 'zero', received init={type(start).__name__}"):
            region_of(model, Label(1) if target is y else Interval(0.0, 1.0))
    constant = regressor("boosting").set_params(init=DummyRegressor(strategy="median")).fit(X, score)
    scores = region_of(constant, Interval(0.0, 1.0)).trees.scores(X)[:, 0]
    np.testing.assert_array_equal(scores, constant.predict(X))


def test_what_is_refused_says_why():
    X, y, _ = numbers(0)
    several = classifier("forest").fit(X, np.column_stack([y, y]))
    with pytest.raises(UnsupportedSettingError, match="outputs at once"):
        region_of(several, Label(1))
    with pytest.raises(UnsupportedSettingError, match="min_probability is not supported for IsolationForest"):
        region_of(IsolationForest(n_estimators=3).fit(X), Label(1, min_probability=0.5))


@pytest.mark.filterwarnings("ignore:.*`booster=gblinear` is deprecated")
def test_what_is_refused_of_xgboost():
    pytest.importorskip("xgboost")
    X, y, score = numbers(0)
    with pytest.raises(UnsupportedSettingError, match="booster='gbtree' or 'dart', received 'gblinear'"):
        region_of(classifier("xgboost").set_params(booster="gblinear", max_depth=None).fit(X, y), Label(1))
    with pytest.raises(UnsupportedSettingError, match="supported with the objectives binary:logistic"):
        region_of(classifier("xgboost").set_params(objective="binary:hinge").fit(X, y), Label(1))
    ranks = regressor("xgboost").set_params(objective="reg:squaredlogerror").fit(X, np.exp(score))
    with pytest.raises(UnsupportedSettingError, match="received 'reg:squaredlogerror'"):
        region_of(ranks.get_booster(), Interval(0.0, 1.0))
    model = classifier("xgboost").set_params(missing=3.0, enable_categorical=True, feature_types=["q", "q", "c"])
    X, y, _ = with_codes(0, 2, missing=False)
    with pytest.raises(UnsupportedSettingError, match="number below zero, received missing=3"):
        region_of(model.fit(X, y), Label(1))


def test_what_is_refused_of_lightgbm():
    pytest.importorskip("lightgbm")
    X, _, score = numbers(0)
    with pytest.raises(UnsupportedSettingError, match="objectives binary, multiclass, received 'multiclassova'"):
        region_of(classifier("lightgbm").set_params(objective="multiclassova").fit(X, np.arange(len(X)) % 3), Label(1))
    with pytest.raises(UnsupportedSettingError, match="linear_tree=True"):
        region_of(regressor("lightgbm").set_params(linear_tree=True).fit(X, score), Interval(0.0, 1.0))
    with pytest.raises(UnsupportedSettingError, match="without reg_sqrt"):
        region_of(regressor("lightgbm").set_params(reg_sqrt=True).fit(X, score), Interval(0.0, 1.0))


def test_what_is_refused_of_catboost():
    catboost = pytest.importorskip("catboost")
    X, _, score = numbers(0)
    plain = catboost.CatBoost({"iterations": 2, "verbose": 0, "allow_writing_files": False}).fit(X, score)
    with pytest.raises(UnsupportedModelError, match="CatBoostClassifier or a CatBoostRegressor instead"):
        region_of(plain, Interval(0.0, 1.0))
    words = pd.DataFrame({"a": X[:, 0], "b": np.where(np.arange(len(X)) % 3 == 0, "x", "y")})
    model = classifier("catboost").fit(words, (words.b == "x").to_numpy().astype(int), cat_features=["b"])
    with pytest.raises(UnsupportedSettingError, match="expected splits by numbers alone"):
        region_of(model, Label(1))
    with pytest.raises(UnsupportedSettingError, match="supported with the losses RMSE"):
        region_of(regressor("catboost").set_params(loss_function="Poisson").fit(X, np.exp(score)), Interval(0.0, 1.0))


def test_what_is_no_sum_of_trees_is_refused():
    X, y, score = numbers(0)
    bad = AdaBoostRegressor(LinearRegression(), n_estimators=3).fit(X, score)
    with pytest.raises(UnsupportedModelError, match="over decision trees, received LinearRegression"):
        region_of(bad, Interval(0.0, 1.0))
    with pytest.raises(UnsupportedModelError, match="averages the probabilities of GaussianNB"):
        region_of(BaggingClassifier(GaussianNB(), n_estimators=2).fit(X, y), Label(1))
