"""Trees and ensembles inside of wrappers, behind steps, with gaps and categories; and their least probabilities."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import elsewise as ew
from elsewise.errors import UnsupportedSettingError
from elsewise.models import Interval, Label, region_of
from elsewise.models.trees import one_tree_region
from pipeline.bent_pipelines import BENT, TREES, cuts_by_hand, rows
from search.relaxations.tree_sums.small_ensembles import classifier, nearest_of_numbers, numbers, regressor
from unread import reason_unread


def accepted(explainer, X, outcome):
    """What the region says of rows in the user's columns."""
    return explainer.fitted_.region(outcome).accepts(explainer.to_model_space(X))


# --- least probabilities of every family ------------------------------------------------------------------------------


def booster_of(name, n_classes):
    """A fitted model of a kind, its data and its probabilities by the library itself."""
    X, y, _ = numbers(2, n_classes)
    if name == "bare xgboost":
        xgboost = pytest.importorskip("xgboost")
        several = {"objective": "multi:softprob", "num_class": n_classes}
        settings = several if n_classes > 2 else {"objective": "binary:logistic"}
        return xgboost.train({**settings, "max_depth": 2, "nthread": 1}, xgboost.DMatrix(X, y), 6), X
    if name == "bare lightgbm":
        return classifier("lightgbm").fit(X, y).booster_, X
    if name == "lightgbm forest":
        model = classifier("lightgbm").set_params(boosting_type="rf", bagging_freq=1, bagging_fraction=0.7)
        return model.fit(X, y), X
    if name == "tree":
        return DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), X
    return classifier(name).fit(X, y), X


def own_probabilities(model, X):
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    if type(model).__module__.startswith("xgboost"):
        from xgboost import DMatrix

        X = DMatrix(X)
    said = np.asarray(model.predict(X))
    return said if said.ndim == 2 else np.column_stack([1 - said, said])


FAMILIES = ["bare xgboost", "bare lightgbm", "lightgbm forest", "catboost", "tree", "forest", "histograms", "bagging"]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_least_probability_alone_decides(name, n_classes):
    model, X = booster_of(name, n_classes)
    rng = np.random.default_rng(0)
    Z = np.concatenate([X, X[rng.integers(len(X), size=200)] * rng.uniform(0.5, 1.5, (200, 3))])
    said = own_probabilities(model, Z)
    for index in range(n_classes):
        chosen = said.argmax(axis=1) == index
        differs, positive = False, said[said[:, index] > 0, index]
        for p in np.quantile(positive, [0.2, 0.5, 0.9]) * (1 - 1e-6):
            wanted = said[:, index] >= p
            np.testing.assert_array_equal(region_of(model, Label(index, min_probability=float(p))).accepts(Z), wanted)
            differs |= (wanted != chosen).any()
        assert differs


@pytest.mark.parametrize("name", ["bare xgboost", "bare lightgbm", "lightgbm forest", "catboost", "tree"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_answers_with_a_least_probability_against_the_list(name, share):
    model, X = booster_of(name, 2)
    explainer = ew.Explainer(model, density=None).fit(X)
    said = own_probabilities(model, X)[:, 1]
    p = float(np.quantile(said, share)) * (1 - 1e-6)
    given = X[said < p][:5]
    answers = explainer.explain(given, 1, min_probability=p)
    assert (own_probabilities(model, answers.counterfactuals)[:, 1] >= p).all()
    region = one_tree_region(model, Label(1)) if name == "tree" else region_of(model, Label(1))
    cuts = region.trees.cuts()
    for answer, x in zip(answers, given):
        nearest = nearest_of_numbers(
            cuts, x, explainer.distance_.weights, lambda Z: own_probabilities(model, Z)[:, 1] >= p
        )
        assert answer.status == "optimal"
        # a single tree is projected onto, and keeps a margin
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-7 if name == "tree" else 1e-9)
        assert answer.lower_bound <= nearest.distance * (1 + 1e-12)


@pytest.mark.parametrize("name", ["catboost", "lightgbm forest", "histograms", "tree"])
@pytest.mark.parametrize("share", [0.3, 0.62])
def test_cut_offs_and_calibrations(name, share):
    model, X = booster_of(name, 2)
    threshold = float(np.quantile(model.predict_proba(X)[:, 1], share))
    y = numbers(2, 2)[1]
    cut = FixedThresholdClassifier(FrozenEstimator(model), threshold=threshold, pos_label=1).fit(X, y)
    calibrated = CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid").fit(X, y)
    for wrapped in (cut, calibrated):
        explainer = ew.Explainer(wrapped, density=None).fit(X, y)
        for index in (0, 1):
            in_region, predicted = accepted(explainer, X, Label(index)), wrapped.predict(X) == index
            assert in_region[predicted].all()
            extra = X[in_region & ~predicted]  # on the boundary, where rounding decides: predict is asked about these
            if len(extra):
                assert wrapped is cut
                np.testing.assert_allclose(model.predict_proba(extra)[:, 1], threshold, rtol=1e-12)
            likely = Label(index, min_probability=0.4)
            np.testing.assert_array_equal(accepted(explainer, X, likely), wrapped.predict_proba(X)[:, index] >= 0.4)
        wanted = int(wrapped.predict(X).mean() < 0.5)
        answers = explainer.explain(X[wrapped.predict(X) != wanted][:5], wanted)
        assert (wrapped.predict(answers.counterfactuals) == wanted).all()
        assert set(answers.statuses) <= ({"optimal", "feasible"} if wrapped is cut else {"optimal"})  # rows at the cut


@pytest.mark.parametrize("name", ["histograms", "tree", "catboost"])
def test_a_cut_off_that_nothing_reaches(name):
    model, X = booster_of(name, 2)
    wrapped = FixedThresholdClassifier(FrozenEstimator(model), threshold=1.5, pos_label=1).fit(X, numbers(2, 2)[1])
    answers = ew.Explainer(wrapped, density=None).fit(X).explain(X[:3], 1)
    assert set(answers.statuses) == {"infeasible"}
    assert np.isinf(answers.lower_bounds).all()


def test_what_has_no_probability_is_refused():
    X, _, _ = numbers(0)
    search = GridSearchCV(
        IsolationForest(n_estimators=5, random_state=0), {"max_samples": [20]}, cv=2, scoring=lambda *_: 0.0
    ).fit(X)
    explainer = ew.Explainer(search, density=None).fit(X)
    answers = explainer.explain(X[search.predict(X) == -1][:3], 1)
    assert (search.predict(answers.counterfactuals) == 1).all()
    with pytest.raises(UnsupportedSettingError, match="min_probability is not supported for IsolationForest"):
        explainer.explain(X[:1], 1, min_probability=0.4)


def test_what_has_other_probabilities_is_refused():
    X, y, _ = numbers(0, 3)
    one_by_one = classifier("catboost").set_params(loss_function="MultiClassOneVsAll").fit(X, y)
    with pytest.raises(UnsupportedSettingError, match="without min_probability, MultiClassOneVsAll"):
        region_of(one_by_one, Label(1, min_probability=0.4))
    xgboost = pytest.importorskip("xgboost")
    hard = xgboost.train({"objective": "multi:softmax", "num_class": 3}, xgboost.DMatrix(X, y), 2)
    with pytest.raises(UnsupportedSettingError, match="multi:softmax reports no probabilities"):
        region_of(hard, Label(1, min_probability=0.4))


# --- behind steps -----------------------------------------------------------------------------------------------------

AROUND = {
    "search": lambda inside: GridSearchCV(inside, {"memory": [None]}, cv=2),
    "cut-off": lambda inside: FixedThresholdClassifier(inside, threshold=0.35, pos_label=1),
    "calibration": lambda inside: CalibratedClassifierCV(inside, ensemble=False, cv=2),
    "cut-off of a calibration": lambda inside: FixedThresholdClassifier(
        CalibratedClassifierCV(inside, ensemble=False, cv=2), threshold=0.4, pos_label=1
    ),
    "one against the rest": lambda inside: OneVsRestClassifier(inside),
    "vote of one": lambda inside: VotingClassifier([("only", inside)], voting="soft"),
    "vote": lambda inside: VotingClassifier([("a", inside), ("b", clone(inside))], voting="soft"),
}


def wrapped_pipeline(around, step, model):
    X, y = rows(7)
    inside = make_pipeline(clone(BENT[step]), clone(TREES[model]))
    wrapped = AROUND[around](inside).fit(X, y)
    return wrapped, inside.fit(X, y), X, y  # what is inside is fitted on the same rows, so its cuts are the same


@pytest.mark.parametrize("model", ["tree", "forest", "boosting"])
@pytest.mark.parametrize("step", ["log1p", "uniform quantiles", "ordinal bins", "sparse codes"])
@pytest.mark.parametrize("around", AROUND)
def test_wrapped_pipelines_with_steps_that_are_not_affine(around, step, model):
    wrapped, plain, X, y = wrapped_pipeline(around, step, model)
    explainer = ew.Explainer(wrapped, density=None).fit(X, y)
    points = np.exp(np.random.default_rng(1).normal(size=(300, 3)))
    # what is as probable up to rounding both classes of a vote may claim
    is_clear = np.abs(wrapped.predict_proba(points)[:, 1] - 0.5) > (1e-12 if around == "vote" else -1.0)
    for index in (0, 1):
        claimed = accepted(explainer, points, Label(index))
        np.testing.assert_array_equal(claimed[is_clear], (wrapped.predict(points) == index)[is_clear])
    likely = wrapped.predict_proba(points)[:, 1] >= 0.37
    np.testing.assert_array_equal(accepted(explainer, points, Label(1, min_probability=0.37)), likely)
    given = X[wrapped.predict(X) == 0][:3]
    answers, cuts = explainer.explain(given, 1), cuts_by_hand(plain, X)
    assert (wrapped.predict(answers.counterfactuals) == 1).all()
    for x, answer in zip(given, answers):
        best = nearest_of_numbers(cuts, x, explainer.distance_.weights, lambda Z: wrapped.predict(Z) == 1)
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best.distance, rtol=1e-6 if model == "tree" else 1e-9)
        assert answer.lower_bound <= best.distance * (1 + 1e-12)


@pytest.mark.parametrize("p", [0.3, 0.8])
@pytest.mark.parametrize("model", ["tree", "forest", "boosting", "histograms"])
def test_least_probabilities_behind_steps(model, p):
    X, y = rows(8)
    fitted = make_pipeline(FunctionTransformer(np.log), clone(TREES[model])).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    said = fitted.predict_proba(X)[:, 1]
    p = float(np.quantile(said, p)) * (1 - 1e-9)
    np.testing.assert_array_equal(accepted(explainer, X, Label(1, min_probability=p)), said >= p)
    given = X[said < p][:4]
    answers, cuts = explainer.explain(given, 1, min_probability=p), cuts_by_hand(fitted, X)
    for x, answer in zip(given, answers):
        best = nearest_of_numbers(cuts, x, explainer.distance_.weights, lambda Z: fitted.predict_proba(Z)[:, 1] >= p)
        np.testing.assert_allclose(answer.distance, best.distance, rtol=1e-6)


def test_regressors_inside_of_wrappers_behind_steps():
    X, _ = rows(9)
    target = np.exp(np.log(X).sum(axis=1) / 3)
    tree = DecisionTreeRegressor(max_depth=4, random_state=0)
    models = [
        TransformedTargetRegressor(make_pipeline(FunctionTransformer(np.log), tree), func=np.log, inverse_func=np.exp),
        make_pipeline(FunctionTransformer(np.log), VotingRegressor([("a", tree), ("b", regressor("forest"))])),
        make_pipeline(FunctionTransformer(np.log), AdaBoostRegressor(tree, n_estimators=4, random_state=0)),
        AdaBoostRegressor(make_pipeline(FunctionTransformer(np.log), tree), n_estimators=4, random_state=0),
    ]
    for model in models:
        model.fit(X, target)
        explainer = ew.Explainer(model, density=None).fit(X, target)
        said = model.predict(X)
        np.testing.assert_array_equal(accepted(explainer, X, Interval(1.0, 1.5)), (said >= 1.0) & (said <= 1.5))
        answers = explainer.explain(X[said < 1.0][:4], (1.0, 1.5))
        reached = model.predict(answers.counterfactuals)
        assert ((reached >= 1.0) & (reached <= 1.5)).all()


def bins():
    return KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")


@pytest.mark.parametrize("p", [0.3, 0.7])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scorecards_with_least_probabilities(n_classes, p):
    X, y, _ = numbers(3, n_classes)
    model = make_pipeline(bins(), LogisticRegression(C=10.0)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    edges = [of_column[1:-1] for of_column in model[0].bin_edges_]
    for index in range(n_classes):
        likely = model.predict_proba(X)[:, index] >= p
        np.testing.assert_array_equal(accepted(explainer, X, Label(index, min_probability=p)), likely)
        given = X[~likely][:4]
        answers = explainer.explain(given, index, min_probability=p)
        for x, answer in zip(given, answers):
            best = nearest_of_numbers(
                [np.nextafter(of_column, -np.inf) for of_column in edges],
                x,
                explainer.distance_.weights,
                lambda Z, index=index: model.predict_proba(Z)[:, index] >= p,
            )
            assert answer.status == ("optimal" if np.isfinite(best.distance) else "infeasible")
            np.testing.assert_allclose(answer.distance, best.distance, rtol=1e-9)


@pytest.mark.parametrize("around", ["search", "cut-off", "calibration", "one against the rest", "vote of one"])
def test_wrapped_scorecards(around):
    X, y, _ = numbers(3)
    model = AROUND[around](make_pipeline(bins(), LogisticRegression())).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    np.testing.assert_array_equal(accepted(explainer, X, Label(1)), model.predict(X) == 1)
    answers = explainer.explain(X[model.predict(X) == 0][:4], 1)
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert set(answers.statuses) == {"optimal"}


def test_what_cannot_stand_behind_steps_is_refused_inside_of_wrappers_too():
    X, y = rows(10)
    several = np.digitize(np.log(X).sum(axis=1), [-1.0, 0.0, 1.0])
    log = FunctionTransformer(np.log)
    centroid = GridSearchCV(make_pipeline(log, NearestCentroid()), {"memory": [None]}, cv=2).fit(X, y)
    assert re.search("but not NearestCentroid", reason_unread(centroid, X, y))
    linear = FixedThresholdClassifier(make_pipeline(log, LogisticRegression()), pos_label=1).fit(X, y)
    assert ew.Explainer(linear, density=None).fit(X, y).exactness_ == "exact"  # a sum of curves
    members = [(name, LogisticRegression(C=c)) for name, c in (("a", 0.01), ("b", 1.0), ("c", 100.0))]
    vote = make_pipeline(bins(), VotingClassifier(members, voting="hard")).fit(X, y)
    assert re.search(r"VotingClassifier decides by votes", reason_unread(vote, X, y))
    pairs = make_pipeline(bins(), SVC(kernel="linear")).fit(X, several)
    assert re.search(r"SVC decides by votes", reason_unread(pairs, X, several))
    own_ways = VotingClassifier(
        [("a", make_pipeline(FunctionTransformer(np.log), TREES["tree"])), ("b", make_pipeline(bins(), TREES["tree"]))],
        voting="soft",
    ).fit(X, y)
    assert re.search("each in its own way", reason_unread(own_ways, X, y))


# --- missing values and categories ------------------------------------------------------------------------------------


def with_gaps(seed):
    X, y, _ = numbers(seed)
    X = X / X.std(axis=0)
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.2, np.nan, X), y


@pytest.mark.parametrize("name", ["tree", "forest", "histograms", "xgboost", "lightgbm", "catboost", "bagging"])
@pytest.mark.parametrize("around", ["nothing", "cut-off", "calibration"])
def test_rows_with_gaps(name, around):
    X, y = with_gaps(5)
    inside = DecisionTreeClassifier(max_depth=3, random_state=0) if name == "tree" else classifier(name)
    model = inside if around == "nothing" else AROUND[around](FrozenEstimator(inside.fit(X, y)))
    model.fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    p = float(np.quantile(model.predict_proba(X)[:, 1], 0.7)) * (1 - 1e-6)
    has_gap = np.isnan(X).any(axis=1)
    for kind in ("label", "probability"):

        def wanted(Z, kind=kind):
            return model.predict(Z) == 1 if kind == "label" else model.predict_proba(Z)[:, 1] >= p

        given = X[has_gap & ~wanted(X)][:6]
        assert len(given) > 4
        answers = explainer.explain(given, 1, min_probability=None if kind == "label" else p)
        reached = [answer.counterfactual for answer in answers if answer.status != "infeasible"]
        assert len(reached) > 2
        assert wanted(np.array(reached)).all()
        np.testing.assert_array_equal(np.isnan(reached), np.isnan(given[answers.found]))
        assert set(answers.statuses) <= {"optimal", "infeasible"}
        # changing one value cannot be nearer than what is proven
        for x, answer in zip(given, answers):
            for column in np.flatnonzero(~np.isnan(x)):
                moved = np.repeat(x[None], 60, axis=0)
                moved[:, column] = np.linspace(-4, 4, 60)
                apart = np.abs(moved[:, column] - x[column]) * explainer.distance_.weights[column]
                assert apart[wanted(moved)].min(initial=np.inf) >= answer.lower_bound * (1 - 1e-9)


@pytest.mark.parametrize("around", ["search", "cut-off", "calibration"])
@pytest.mark.parametrize("name", ["histograms", "xgboost", "lightgbm"])
def test_categories_of_models_inside_of_wrappers(name, around):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"number": rng.normal(size=300), "colour": pd.Categorical(rng.choice(["blue", "green", "red"], 300))}
    )
    y = (frame.number + frame.colour.map({"blue": 0.0, "green": 1.5, "red": -1.5}).astype(float) > 0).to_numpy()
    y = y.astype(int)
    if name == "histograms":
        inside = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype", early_stopping=False)
    elif name == "xgboost":
        inside = classifier(name).set_params(enable_categorical=True, tree_method="hist")
    else:
        inside = classifier(name)
    if around == "search":
        model = GridSearchCV(inside, {"random_state": [0]}, cv=2).fit(frame, y)
    else:
        model = AROUND[around](FrozenEstimator(inside.fit(frame, y))).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    given = frame[model.predict(frame) == 0].iloc[:8]
    answers = explainer.explain(given, 1)
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert set(answers.statuses) == {"optimal"}
    if around != "calibration":  # the same question to what is inside
        plain = model.best_estimator_ if around == "search" else inside
        least = None if around == "search" else 0.35
        same = ew.Explainer(plain, density=None).fit(frame, y).explain(given, 1, min_probability=least)
        np.testing.assert_allclose(answers.distances, same.distances, rtol=1e-12)


def test_bagged_pipelines_behind_steps():
    X, y = rows(11)
    inside = make_pipeline(FunctionTransformer(np.log), DecisionTreeClassifier(max_depth=3))
    model = BaggingClassifier(inside, n_estimators=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    np.testing.assert_array_equal(accepted(explainer, X, Label(1)), model.predict(X) == 1)
    likely = Label(1, min_probability=0.3)
    np.testing.assert_array_equal(accepted(explainer, X, likely), model.predict_proba(X)[:, 1] >= 0.3)
