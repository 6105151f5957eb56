"""Scorecards: linear models of bins and codes, against the list of all bins, SCIP, and the model's own predict."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC

import elsewise as ew
from bits import assert_same_bits
from elsewise.models import Interval, Label
from elsewise.models.trees import EnsembleRegion
from elsewise.models.unit_sums import SumRegion

BINS = {
    "codes": KBinsDiscretizer(5, encode="onehot", strategy="uniform"),
    "dense codes": KBinsDiscretizer(
        4, encode="onehot-dense", strategy="quantile", quantile_method="averaged_inverted_cdf"
    ),
    "numbers of bins": KBinsDiscretizer(6, encode="ordinal", strategy="uniform"),
    "threshold": Binarizer(threshold=0.1),
    "spline": SplineTransformer(n_knots=6, degree=0, extrapolation="continue", include_bias=False),
    "spline within its knots": SplineTransformer(n_knots=6, degree=0),
}
CLASSIFIERS = [
    LogisticRegression(C=10.0),
    LinearSVC(),
    LinearDiscriminantAnalysis(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
]
REGRESSORS = [LinearRegression(), Ridge(), Lasso(alpha=0.01)]


def numbers(seed, n_classes=2, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.01]
    score = np.sin(X[:, 0] * 2) * 2 + X[:, 1] / 10 - X[:, 2] * 100 + rng.normal(size=n) / 2
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])), score


def fitted(bins, model, seed=0, n_classes=2, target=None, scaled=False):
    X, y, score = numbers(seed, n_classes)
    after = [StandardScaler(with_mean=False)] if scaled else []
    step = clone(BINS[bins])
    if bins == "codes" and isinstance(model, LinearDiscriminantAnalysis):
        step.set_params(encode="onehot-dense")  # it takes nothing sparse
    pipeline = make_pipeline(step, *after, clone(model))
    return pipeline.fit(X, y if target is None else score), X, y


def edges_of(step, X):
    """First numbers of all bins but the first, column by column, as the transformer says them."""
    if isinstance(step, KBinsDiscretizer):
        return [edges[1:-1] for edges in step.bin_edges_]
    if isinstance(step, Binarizer):
        return [np.nextafter([step.threshold], np.inf)] * X.shape[1]
    return [spline.t[1:-1] for spline in step.bsplines_]


def best_of_all_bins(pipeline, x, edges, weights, good):
    values = []
    for number, firsts in zip(x, edges):
        low = np.concatenate([[-np.inf], firsts])
        high = np.concatenate([np.nextafter(firsts, -np.inf), [np.inf]])
        values.append(np.clip(number, low, high))
    points = np.array(list(itertools.product(*values)))
    distances = np.abs(points - x) @ weights
    together = np.flatnonzero(good(pipeline.predict(points)))
    # at an end that the model attains, a point alone and one of many may have other last bits: both have to be good
    each = (place for place in together[distances[together].argsort()] if good(pipeline.predict(points[[place]]))[0])
    nearest = next(each, None)
    return np.inf if nearest is None else float(distances[nearest])


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("bins", BINS)
def test_two_classes_against_the_list_of_all_bins(bins, model):
    pipeline, X, y = fitted(bins, model, scaled=bins == "codes")
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    points = X[np.random.default_rng(1).integers(len(X), size=(400, 3)), np.arange(3)]
    for label in (0, 1):
        region = explainer.fitted_.region(Label(label))
        np.testing.assert_array_equal(
            region.accepts(explainer.to_model_space(points)), pipeline.predict(points) == label
        )
    given, edges = X[pipeline.predict(X) == 0][:6], edges_of(pipeline[0], X)
    answers = explainer.explain(given, 1)
    for x, answer in zip(given, answers):
        best = best_of_all_bins(pipeline, x, edges, explainer.distance_.weights, lambda labels: labels == 1)
        if np.isinf(best):
            assert answer.status == "infeasible"
            continue
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9, atol=1e-12)
        assert answer.lower_bound <= best * (1 + 1e-12)
        assert pipeline.predict(answer.counterfactual[None])[0] == 1


@pytest.mark.parametrize("model", [LogisticRegression(C=10.0), LinearSVC(), LinearDiscriminantAnalysis()], ids=str)
@pytest.mark.parametrize("bins", ["codes", "numbers of bins"])
def test_several_classes_against_the_list_of_all_bins(bins, model):
    pipeline, X, y = fitted(bins, model, 2, n_classes=4)
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    given, edges = X[pipeline.predict(X) == 0][:5], edges_of(pipeline[0], X)
    for label in (1, 2, 3):
        answers = explainer.explain(given, label)
        for x, answer in zip(given, answers):
            best = best_of_all_bins(
                pipeline, x, edges, explainer.distance_.weights, lambda said, label=label: said == label
            )
            np.testing.assert_allclose(answer.distance, best, rtol=1e-9)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("bins", ["codes", "threshold", "spline"])
def test_ranges_of_numbers_against_the_list_of_all_bins(bins, model):
    pipeline, X, _ = fitted(bins, model, 3, target="score")
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    low, high = np.quantile(pipeline.predict(X), [0.6, 0.9])
    given, edges = X[pipeline.predict(X) < low][:5], edges_of(pipeline[0], X)
    answers = explainer.explain(given, (low, high))
    for x, answer in zip(given, answers):
        best = best_of_all_bins(
            pipeline, x, edges, explainer.distance_.weights, lambda said: (said >= low) & (said <= high)
        )
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9)


@pytest.mark.parametrize("toward", [-np.inf, np.inf])
@pytest.mark.parametrize("n_rows", [2, 100])
def test_an_end_that_is_attained_in_some_batches_hides_no_other_answer(monkeypatch, toward, n_rows):
    """Both ends are numbers that the model attains, and fewer rows at once get other last bits than many."""
    pipeline, X, _ = fitted("threshold", Lasso(alpha=0.01), 3, target="score")
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    predicted, edges = pipeline.predict(X), edges_of(pipeline[0], X)
    low, high = np.unique(predicted)[2:]
    predict = Lasso.predict

    def rounded(model, rows):
        sums = predict(model, rows)
        return np.nextafter(sums, toward) if len(rows) < n_rows else sums

    monkeypatch.setattr(Lasso, "predict", rounded)
    given, n_nearer = X[predicted < low][:5], 0
    for x, answer in zip(given, explainer.explain(given, (low, high))):
        best = best_of_all_bins(
            pipeline, x, edges, explainer.distance_.weights, lambda said: (said >= low) & (said <= high)
        )
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9)
        assert answer.lower_bound <= best
        n_nearer += answer.lower_bound < 0.9 * best
    assert n_nearer  # a row that is an answer in some batches alone may be nearer: nothing is claimed of it


def test_why_not_is_not_proven_where_the_model_refuses_what_may_be_an_answer(monkeypatch):
    pipeline, X, _ = fitted("threshold", Lasso(alpha=0.01), 3, target="score")
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    attained, predict = float(np.unique(pipeline.predict(X))[2]), Lasso.predict
    monkeypatch.setattr(Lasso, "predict", lambda model, rows: np.nextafter(predict(model, rows), np.inf))
    row = X[pipeline.predict(X) < attained][0]
    assert explainer.explain_one(row, (attained, attained)).status == "unknown"
    assert not explainer.why_not(row, (attained, attained)).is_proven


@pytest.mark.parametrize("seed", range(8))
def test_single_numbers_that_the_model_attains(seed):
    """Sums are formed in another order than the model's: whether an end is attained is for `predict` to say."""
    pipeline, X, _ = fitted("threshold", Lasso(alpha=0.01), seed, target="score")
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    row, edges = X[:1], edges_of(pipeline[0], X)
    for attained in np.unique(pipeline.predict(X)):
        (answer,) = explainer.explain(row, (attained, attained), on_satisfied="keep")
        best = best_of_all_bins(
            pipeline, row[0], edges, explainer.distance_.weights, lambda said, v=attained: said == v
        )
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9)


def test_least_probabilities_and_log_links():
    pipeline, X, y = fitted("codes", LogisticRegression(C=10.0), 4)
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    given = X[pipeline.predict(X) == 0][:5]
    answers = explainer.explain(given, 1, min_probability=0.8)
    assert (pipeline.predict_proba(answers.counterfactuals)[:, 1] >= 0.8).all()
    edges = edges_of(pipeline[0], X)
    for x, answer in zip(given, answers):
        values = [
            np.clip(number, np.append(-np.inf, firsts), np.append(np.nextafter(firsts, -np.inf), np.inf))
            for number, firsts in zip(x, edges)
        ]
        points = np.array(list(itertools.product(*values)))
        good = pipeline.predict_proba(points)[:, 1] >= 0.8
        np.testing.assert_allclose(
            answer.distance, (np.abs(points - x) @ explainer.distance_.weights)[good].min(), rtol=1e-9
        )
    counts = make_pipeline(clone(BINS["codes"]), PoissonRegressor(alpha=1e-3)).fit(X, np.exp(X[:, 0]))
    of_counts = ew.Explainer(counts, density=None).fit(X)
    reached = counts.predict(of_counts.explain(X[counts.predict(X) < 1.0][:5], (2.0, 4.0)).counterfactuals)
    assert ((reached >= 2.0) & (reached <= 4.0)).all()


# --- tables -----------------------------------------------------------------------------------------------------------


def credit(seed, n=300):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.exp(rng.normal(3, 0.6, n)).round(1),
            "amount": np.exp(rng.normal(1, 0.8, n)).round(2),
            "housing": rng.choice(["free", "own", "rent"], n),
            "grade": pd.Categorical(rng.choice(["low", "mid", "top"], n), ["low", "mid", "top"], ordered=True),
        }
    )
    score = np.log(frame.income) - 3 - np.log(frame.amount) + frame.housing.map({"free": 0, "own": 1, "rent": -1})
    score += 0.5 * frame.grade.cat.codes + np.abs(frame.age - 45) / 30 - 1 + rng.normal(size=n) / 2
    return frame, np.where(score > 0, "good", "bad")


def card(model=None, seed=0):
    before = make_column_transformer(
        (KBinsDiscretizer(5, strategy="uniform"), ["age", "income"]),
        (make_pipeline(FunctionTransformer(np.log1p), KBinsDiscretizer(4, strategy="uniform")), ["amount"]),
        (OneHotEncoder(drop="first"), ["housing"]),
        (OrdinalEncoder(categories=[["low", "mid", "top"]]), ["grade"]),
    )
    frame, y = credit(seed)
    last = LogisticRegression(C=10.0, max_iter=1000) if model is None else model
    return make_pipeline(before, StandardScaler(with_mean=False), last).fit(frame, y), frame, y


def choices(pipeline, row):
    """For each column its choices: the nearest value in each bin or level, what it costs in it, and its score."""
    codes, scale, last = pipeline[0], pipeline[1].scale_, pipeline[2]
    ages, incomes = codes.named_transformers_["kbinsdiscretizer"].bin_edges_
    (amounts,) = codes.named_transformers_["pipeline"][-1].bin_edges_
    values = {
        "age": [np.clip(row.age, low, high) for low, high in whole_bins(ages)],
        "income": [np.clip(row.income, low, high) for low, high in bins(incomes)],
        "amount": [np.clip(row.amount, low, high) for low, high in bins(np.expm1(amounts))],
        "housing": ["free", "own", "rent"],
        "grade": ["low", "mid", "top"],
    }
    weights, base = last.coef_[0] / scale, row.to_frame().T
    out = {}
    for name, of_column in values.items():
        rows = pd.concat([base] * len(of_column), ignore_index=True)
        rows[name] = of_column
        out[name] = (rows, dense(codes.transform(rows.astype(credit(0)[0].dtypes))) @ weights)
    return out


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def bins(edges):
    firsts = edges[1:-1]
    # a little inside: the reference's own logarithms and powers round
    return list(zip(np.append(-np.inf, firsts * (1 + 1e-12)), np.append(firsts * (1 - 1e-12), np.inf)))


def whole_bins(edges):
    firsts = np.ceil(edges[1:-1])
    return list(zip(np.append(-np.inf, firsts), np.append(firsts - 1, np.inf)))


def by_scip(explainer, pipeline, row):
    """Choose one bin or level a column so that the score is positive and the change is smallest, by SCIP."""
    scip = pytest.importorskip("pyscipopt")
    problem = scip.Model()
    problem.hideOutput()
    table, encoded = explainer.table_, None
    costs, score = [], float(pipeline[2].intercept_[0])
    own = row.to_frame().T.astype(credit(0)[0].dtypes)
    encoded = table.encode(own)
    now = float(dense(pipeline[0].transform(own))[0] @ (pipeline[2].coef_[0] / pipeline[1].scale_))
    score += now
    for rows, scores in choices(pipeline, row).values():
        chosen = [problem.addVar(vtype="B") for _ in scores]
        problem.addCons(scip.quicksum(chosen) == 1)
        distances = explainer.distance_(table.encode(rows.astype(own.dtypes)), encoded)
        costs += [float(cost) * one for cost, one in zip(distances, chosen)]
        score = score + scip.quicksum(float(gain - now) * one for gain, one in zip(scores, chosen))
    problem.addCons(score >= 1e-7)
    problem.setObjective(scip.quicksum(costs))
    problem.setParam("limits/gap", 0.0)
    problem.optimize()
    return problem.getObjVal() if problem.getStatus() == "optimal" else np.inf


def test_tables_against_scip():
    pipeline, frame, y = card()
    explainer = ew.Explainer(pipeline, density=None).fit(frame, y)
    given = frame[pipeline.predict(frame) == "bad"][:25]
    answers = explainer.explain(given, "good")
    assert set(answers.statuses) == {"optimal"}
    assert (pipeline.predict(answers.counterfactuals) == "good").all()
    for number, answer in enumerate(answers):
        best = by_scip(explainer, pipeline, given.iloc[number])
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6, atol=1e-9)


def test_tables_with_rules_and_a_density(tmp_path):
    pipeline, frame, y = card(seed=1)
    explainer = ew.Explainer(pipeline, threshold=0.2).fit(frame, y)
    given = frame[pipeline.predict(frame) == "bad"][:4]
    rules = ew.Constraints(immutable=["housing"], monotone={"age": "increase"})
    answers = explainer.explain(given, "good", constraints=rules, time_limit=10)
    found = np.flatnonzero(np.isfinite(answers.distances))
    assert len(found) > 0
    reached = answers.counterfactuals.iloc[found]
    assert (pipeline.predict(reached) == "good").all()
    assert (reached.housing.to_numpy() == given.housing.to_numpy()[found]).all()
    assert (reached.age.to_numpy() >= given.age.to_numpy()[found]).all()
    plain = ew.Explainer(pipeline, density=None).fit(frame, y)
    plain.save(tmp_path / "card.ew")
    together = plain.explain(given, "good")
    assert_same_bits(ew.load(tmp_path / "card.ew").explain(given, "good"), together)
    for place in range(len(given)):
        assert_same_bits(together[place : place + 1], plain.explain(given.iloc[[place]], "good"))


def test_scores_that_are_equal_in_another_order():
    """Weights of whole points: many sums reach the limit exactly, and both sides agree on it."""
    X, y, _ = numbers(5)
    model = LinearRegression().fit(BINS["dense codes"].fit_transform(X), y)
    model.coef_, model.intercept_ = np.round(model.coef_ * 20), 600.0
    pipeline = make_pipeline(BINS["dense codes"], model)
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    given = X[pipeline.predict(X) < 601][:10]
    answers = explainer.explain(given, (601, None))
    assert set(answers.statuses) == {"optimal"}
    predicted = pipeline.predict(answers.counterfactuals)
    assert (predicted >= 601).all()
    edges = edges_of(pipeline[0], X)
    for x, answer in zip(given, answers):
        best = best_of_all_bins(pipeline, x, edges, explainer.distance_.weights, lambda said: said >= 601)
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9)
    assert (predicted == 601).any()
    cover = explainer.fitted_.problem((Interval(601, np.inf),)).goals[0].cover
    np.testing.assert_array_equal(cover.is_on_boundary(answers.counterfactuals, 1e-13), predicted == 601)


def test_a_weight_of_zero_leaves_numbers_alone():
    X, y, _ = numbers(6)
    before = ColumnTransformer(
        [("bins", KBinsDiscretizer(4, strategy="uniform"), [0, 1]), ("number", "passthrough", [2])]
    )
    pipeline = make_pipeline(before, LogisticRegression()).fit(X, y)
    assert isinstance(ew.Explainer(pipeline, density=None).fit(X, y).fitted_.region(Label(1)), SumRegion)
    pipeline[-1].coef_[0, -1] = 0.0
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    assert isinstance(explainer.fitted_.region(Label(1)), EnsembleRegion)
    given = X[pipeline.predict(X) == 0][:5]
    answers = explainer.explain(given, 1)
    assert (pipeline.predict(answers.counterfactuals) == 1).all()
    np.testing.assert_array_equal(answers.counterfactuals[:, 2], given[:, 2])


def test_a_range_out_of_reach_and_one_that_holds_everywhere():
    pipeline, X, _ = fitted("codes", Ridge(), 7, target="score")
    explainer = ew.Explainer(pipeline, density=None).fit(X)
    assert set(explainer.explain(X[:3], (1e6, None)).statuses) == {"infeasible"}
    region = explainer.fitted_.region(Interval(-1e6, 1e6))
    assert region.accepts(explainer.to_model_space(X)).all()


def test_bins_replaced_by_the_share_of_their_target():
    """Weight-of-evidence cards: each bin becomes a number learned from the labels."""
    X, y, _ = numbers(9)
    bins, encoder = KBinsDiscretizer(5, encode="ordinal", strategy="uniform").fit(X), TargetEncoder()
    codes = encoder.fit(bins.transform(X), y).transform(bins.transform(X))  # not fit_transform, which shuffles
    pipeline = make_pipeline(bins, encoder, LogisticRegression().fit(codes, y))
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    given, edges = X[pipeline.predict(X) == 0][:6], edges_of(pipeline[0], X)
    for x, answer in zip(given, explainer.explain(given, 1)):
        best = best_of_all_bins(pipeline, x, edges, explainer.distance_.weights, lambda labels: labels == 1)
        np.testing.assert_allclose(answer.distance, best, rtol=1e-9)


def test_powers_before_bins_are_followed():
    X, y, _ = numbers(8)
    pipeline = make_pipeline(PowerTransformer(), KBinsDiscretizer(5, strategy="uniform"), LogisticRegression()).fit(
        X, y
    )
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    given = X[pipeline.predict(X) == 0][:5]
    assert (pipeline.predict(explainer.explain(given, 1).counterfactuals) == 1).all()
