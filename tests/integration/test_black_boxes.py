"""Models that are only asked: answers as valid, dense and lawful as any; optimal only where that is proven."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.lvq import GeneralizedLVQ

CLOSE = 1 + 1e-6


class Counted:
    """A model whose methods are counted."""

    def __init__(self, model):
        self.model, self.calls, self.points = model, 0, 0

    def count(self, method, rows):
        self.calls, self.points = self.calls + 1, self.points + len(rows)
        return method(rows)

    def box(self, *, scores):
        give = (lambda rows: self.count(self.model.predict_proba, rows)) if scores else None
        return ew.BlackBox(lambda rows: self.count(self.model.predict, rows), self.model.classes_, give)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


FAMILIES = [
    (LogisticRegression(), True, 1.02),
    (LinearSVC(random_state=0), False, 1.3),
    (DecisionTreeClassifier(max_depth=4, random_state=0), False, 1.3),
    (GeneralizedLVQ(random_state=0), False, 1.3),
    (KNeighborsClassifier(1), False, 1.5),
    (RandomForestClassifier(5, max_depth=3, random_state=0), True, 2.5),
]


@pytest.mark.parametrize("has_density", [True, False], ids=["dense", "plain"])
@pytest.mark.parametrize(("model", "scores", "p95"), FAMILIES, ids=lambda item: type(item).__name__)
def test_exact_families_that_are_only_asked(wine, model, scores, p95, has_density):
    X, y = wine
    model.fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=2) if has_density else None
    read = ew.Explainer(model, density=density).fit(X, y)
    counted = Counted(model)
    asked = ew.Explainer(counted.box(scores=scores), density=density).fit(X, y)
    assert (read.exactness_, asked.exactness_) == ("exact", "black box")
    rows = X[::12]
    best = read.explain(rows, target=(model.predict(rows) + 1) % 3)
    counted.calls = counted.points = 0
    answers = asked.explain(rows, target=(model.predict(rows) + 1) % 3)
    assert counted.points <= 5000 * len(rows)
    assert counted.calls <= 60 * 100  # of a batch of a hundred rows: more rows make larger calls, hardly more of them
    assert np.isfinite(answers.distances).all()
    assert (model.predict(answers.counterfactuals) == (model.predict(rows) + 1) % 3).all()
    if has_density:
        for k, target in enumerate(answers.targets):
            assert read.log_density(answers.counterfactuals[[k]], target)[0] >= answers.log_thresholds[k]
    ratio = answers.distances / best.distances
    assert (ratio * CLOSE >= best.lower_bounds / best.distances).all()
    assert np.percentile(ratio, 95) <= p95
    # the bound is one of every model, and so of this: no proof may be wrong
    assert (answers.lower_bounds <= best.distances * CLOSE).all()
    proven = answers.statuses == "optimal"
    assert ratio[proven] == pytest.approx(np.ones(proven.sum()), rel=1e-6)
    assert has_density == proven.any()
    assert (answers.lower_bounds[~proven] == 0).all() or has_density


def test_what_the_model_does_not_decide_is_proven_without_it(iris, iris_explainer):
    X, y = iris
    model = iris_explainer.model
    asked = ew.Explainer(
        ew.BlackBox(model.predict, model.classes_), density=ew.GaussianMixtureDensity(n_components=2)
    ).fit(X, y)
    rows = X[[0, 5, 10, 60, 65, 70, 110, 120]]
    for target in ("versicolor", "virginica"):
        best, answers = iris_explainer.explain(rows, target=target), asked.explain(rows, target=target)
        assert (answers.statuses[best.model_free] == "optimal").all()
        assert (answers.model_free == best.model_free).all()
        assert answers.distances[best.model_free] == pytest.approx(best.distances[best.model_free], rel=1e-6)
        for k in np.flatnonzero(answers.statuses == "feasible"):
            assert "the model could only be queried" in answers[int(k)].reason
    assert best.model_free.sum() < len(rows)


def test_an_answer_does_not_depend_on_its_batch(wine):
    X, y = wine
    asked = ew.Explainer(SVC().fit(X, y), density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
    together = asked.explain(X[:8], target=1)
    for k in (0, 3, 7):
        alone = asked.explain_one(X[k], target=1)
        assert alone.distance == together.distances[k]
        assert (alone.counterfactual == together.counterfactuals[k]).all()


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_density", [True, False], ids=["dense", "plain"])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"immutable": ["housing"]},
        {"max_changes": 2},
        {"monotone": {"income": "increase"}, "bounds": {"years": (2, 12)}},
        {"linear": ["years >= 2 * income"]},
    ],
    ids=str,
)
def test_rules_hold_for_tables_of_several_types(loans, rules, has_density):
    frame, label = loans.frame, loans.label
    model = loans.explainer.model
    density = ew.MixedMixtureDensity(n_components=2) if has_density else None
    asked = ew.Explainer(ew.BlackBox(model.predict, model.classes_, model.predict_proba), density=density)
    asked.fit(frame, label)
    assert asked.fitted_.condition_on_fixed is False  # where a model is only asked, all rows have the same cones
    read = ew.Explainer(model, density=density, condition_on_fixed=False).fit(frame, label)
    constraints = ew.Constraints(**rules)
    kept = frame.query("years >= 2 and years <= 12 and years >= 2 * income") if rules else frame
    rows = kept[model.predict(kept) == "no"].iloc[:4]
    answers = asked.explain(rows, target="yes", constraints=constraints)
    best = read.explain(rows, target="yes", constraints=constraints)
    found = np.isfinite(answers.distances)
    assert (found == np.isfinite(best.distances)).mean() >= 0.8
    assert (answers.lower_bounds <= np.where(np.isnan(best.distances), np.inf, best.distances * CLOSE)).all()
    made = answers.counterfactuals[found]
    assert (made.dtypes["income"], made.dtypes["housing"]) == (frame.dtypes["income"], frame.dtypes["housing"])
    assert (model.predict(made.astype(frame.dtypes)) == "yes").all()
    resolved = asked.fitted_.rules(constraints)
    encode = asked.table_.encode
    assert not list(resolved.broken(encode(rows[found]), encode(made.astype(frame.dtypes))))
    assert np.median(answers.distances[found] / best.distances[found]) <= 1.05
    if not has_density:
        assert set(answers.statuses) <= {"feasible", "optimal"}


def test_several_answers_differ(loans):
    frame, model = loans.frame, loans.explainer.model
    asked = ew.Explainer(ew.BlackBox(model.predict, model.classes_, model.predict_proba), density=None)
    asked.fit(frame, loans.label)
    row = frame[model.predict(frame) == "no"].iloc[0]
    answers = asked.explain_one(row, target="yes", n_counterfactuals=3)
    assert len(answers) >= 2
    changes = [frozenset(np.flatnonzero(each).tolist()) for each in answers.changed]
    assert len(set(changes)) == len(answers)
    assert (model.predict(answers.counterfactuals.astype(frame.dtypes)) == "yes").all()


def test_a_pipeline_that_cannot_be_followed_is_asked_in_the_users_columns(loans):
    frame, label = loans.frame, loans.label
    encode = make_column_transformer(
        (make_pipeline(FunctionTransformer(np.log1p), PolynomialFeatures()), ["years", "income"]),
        (OneHotEncoder(), ["housing", "guarantor"]),
    )
    model = make_pipeline(encode, SVC()).fit(frame.assign(income=frame.income.abs()), label)
    frame = frame.assign(income=frame.income.abs())
    explainer = ew.Explainer(model).fit(frame, label)
    assert explainer.exactness_ == "black box"
    assert [column.kind for column in explainer.table_.columns] == ["integer", "number", "category", "category"]
    rows = frame[model.predict(frame) == "no"].iloc[:5]
    rules = ew.Constraints(bounds={"income": (0.0, None), "years": (0, None)})
    answers = explainer.explain(rows, target="yes", constraints=rules)
    found = np.isfinite(answers.distances)
    assert found.all()
    assert (model.predict(answers.counterfactuals.astype(frame.dtypes)) == "yes").all()


def test_missing_values_stay_missing(wine):
    X, y = wine
    gaps = X.copy()
    gaps[::4, 2] = np.nan
    base = LogisticRegression().fit(X, y)

    def predict(rows):
        rows = np.asarray(rows)
        assert np.isnan(np.delete(rows, 2, axis=1)).sum() == 0
        return base.predict(np.where(np.isnan(rows), 0.0, rows))

    explainer = ew.Explainer(ew.BlackBox(predict, base.classes_), density=None).fit(gaps, y)
    answers = explainer.explain(gaps[:6], target=1)
    assert np.isnan(answers.counterfactuals[[0, 4], 2]).all()
    assert np.isfinite(answers.counterfactuals[[1, 2, 3, 5]]).all()
    assert (predict(answers.counterfactuals) == 1).all()
    dense = ew.Explainer(ew.BlackBox(predict, base.classes_)).fit(gaps, y)
    answers = dense.explain(gaps[:6], target=1)
    assert np.isnan(answers.counterfactuals[[0, 4], 2]).all()
    assert (predict(answers.counterfactuals) == 1).all()
    found = dense.log_density(answers.counterfactuals, 1)
    np.testing.assert_allclose(found, answers.log_densities, rtol=1e-9)
    assert (found >= answers.log_thresholds - 1e-9).all()


# --- other outcomes ---------------------------------------------------------------------------------------------------


def test_ranges_of_regressors(wine):
    X, _ = wine
    y = X @ np.linspace(-1, 1, X.shape[1])
    model = LinearRegression().fit(X, y)
    read, asked = ew.Explainer(model).fit(X), ew.Explainer(ew.BlackBox(model.predict, None)).fit(X)
    best, answers = read.explain(X[:10], target=(1.0, 1.5)), asked.explain(X[:10], target=(1.0, 1.5))
    reached = model.predict(answers.counterfactuals)
    assert ((reached >= 1.0) & (reached <= 1.5)).all()
    assert (answers.distances <= 1.02 * best.distances).all()
    other = ew.Explainer(GaussianProcessRegressor(alpha=1.0).fit(X, y)).fit(X)
    assert other.exactness_ == "black box"
    assert np.isfinite(other.explain(X[:3], target=(0.0, None)).distances).all()


def test_least_probabilities(wine):
    X, y = wine
    model = LogisticRegression().fit(X, y == 1)
    read = ew.Explainer(model, density=None).fit(X, y == 1)
    asked = ew.Explainer(ew.BlackBox(model.predict, model.classes_, model.predict_proba), density=None).fit(X, y == 1)
    for least in (0.3, 0.9):
        best = read.explain(X[:10], target=True, min_probability=least)
        answers = asked.explain(X[:10], target=True, min_probability=least)
        assert (model.predict_proba(answers.counterfactuals)[:, 1] >= least).all()
        assert (answers.distances <= 1.02 * best.distances + 1e-9).all()
    labels = ew.Explainer(ew.BlackBox(model.predict, model.classes_), density=None).fit(X, y == 1)
    with pytest.raises(ew.InvalidInputError, match="min_probability needs a model with predict_proba"):
        labels.explain(X[:1], target=True, min_probability=0.9)


def test_no_point_is_not_called_infeasible_unless_it_is_proven(wine):
    X, y = wine
    never = ew.BlackBox(lambda rows: np.zeros(len(rows), dtype=int), [0, 1, 2])
    answer = ew.Explainer(never, density=None).fit(X, y).explain_one(X[0], target=1)
    assert answer.counterfactual is None or np.isnan(np.asarray(answer.counterfactual, dtype=float)).all()
    assert answer.lower_bound == 0
    assert "is not known" in answer.reason
    dense = ew.Explainer(never).fit(X, y)
    answer = dense.explain_one(X[0], target=1)
    assert 0 < answer.lower_bound < np.inf
    why = ew.Explainer(never, density=None).fit(X, y).why_not(X[0], 1, ew.Constraints(immutable=["x0"]))
    assert not why.is_proven
    assert "what was not found may exist" in why.sentence
    stuck = dense.explain_one(X[0], target=1, constraints=ew.Constraints(immutable=[f"x{i}" for i in range(1, 13)]))
    assert stuck.lower_bound == np.inf
    assert stuck.status == "infeasible"


def test_stacks_frontiers_and_reasons_work(wine):
    X, y = wine
    model = StackingClassifier([("a", LogisticRegression()), ("b", SVC())], cv=2).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    frontier = explainer.frontier(X[0], target=1, quantiles=[0.2, 0.6])
    assert len(frontier.quantiles) == 2
    limit = explainer.explain(X[:4], target=1, time_limit=1e-6)
    assert np.isfinite(limit.distances).all()


def test_it_is_kept_in_files(wine, tmp_path):
    X, y = wine
    explainer = ew.Explainer(SVC().fit(X, y)).fit(X, y)
    explainer.save(tmp_path / "asked.ew")
    again = ew.load(tmp_path / "asked.ew")
    assert again.exactness_ == "black box"
    assert again.explain(X[:3], target=1).distances.tolist() == explainer.explain(X[:3], target=1).distances.tolist()


# --- the function -----------------------------------------------------------------------------------------------------


def test_rows_are_handed_over_as_they_came(loans):
    seen = []

    def predict(rows):
        seen.append(rows)
        return np.where(rows["income"] > 3, "yes", "no")

    frame = loans.frame
    explainer = ew.Explainer(ew.BlackBox(predict, ["no", "yes"]), density=None).fit(frame, loans.label)
    explainer.explain(frame.iloc[:3], target="yes")
    assert all(isinstance(rows, pd.DataFrame) and list(rows.columns) == list(frame.columns) for rows in seen)
    assert all((rows.dtypes == frame.dtypes).all() for rows in seen)
    levels = set(frame.housing)
    assert all(set(rows.housing) <= levels for rows in seen)


def test_functions_that_do_not_predict_are_named(iris):
    X, y = iris
    with pytest.raises(ew.InvalidInputError, match="predict: expected a function of rows, received 3"):
        ew.BlackBox(3, ["a", "b"])
    for classes in (["a"], ["a", "a"], [["a", "b"]]):
        with pytest.raises(ew.InvalidInputError, match="classes: expected two or more different labels"):
            ew.BlackBox(len, classes)
    with pytest.raises(ew.InvalidInputError, match="predict_proba is for classifiers"):
        ew.BlackBox(len, None, len)
    labels = ["setosa", "versicolor", "virginica"]
    for predict, message in (
        (lambda rows: "setosa", r"predict gave an array of shape \(\) for 149 rows"),
        (lambda rows: np.full(len(rows), "rose"), "predict gave the label 'rose', which is not among the classes"),
    ):
        with pytest.raises(ew.InvalidInputError, match=message):
            ew.Explainer(ew.BlackBox(predict, labels), density=None).fit(X, y)
    wrong = ew.BlackBox(lambda rows: np.full(len(rows), "setosa"), labels, lambda rows: np.ones(len(rows)))
    with pytest.raises(ew.InvalidInputError, match=r"predict_proba gave an array of shape \(149,\) for 149 rows"):
        ew.Explainer(wrong, density=None).fit(X, y).explain(X[60:62], target="setosa", min_probability=0.9)


def test_models_behind_scalers_keep_the_density_of_model_space(wine):
    X, y = wine
    scaled = make_pipeline(StandardScaler(), SVC()).fit(3 * X + 1, y)
    explainer = ew.Explainer(scaled, density=ew.GaussianMixtureDensity(n_components=1)).fit(3 * X + 1, y)
    same = ew.Explainer(
        make_pipeline(StandardScaler(), LogisticRegression()).fit(3 * X + 1, y),
        density=ew.GaussianMixtureDensity(n_components=1),
    ).fit(3 * X + 1, y)
    rows = 3 * X[:5] + 1
    assert explainer.log_density(rows, 1) == pytest.approx(same.log_density(rows, 1))


@pytest.mark.parametrize("density", [None, "auto"], ids=str)
@pytest.mark.parametrize("stretch", [1.0, 30.0], ids=["even", "uneven"])
def test_neighbours_that_are_asked_are_as_near_as_those_that_are_read(density, stretch):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(150, 8)) * np.array([stretch, *np.ones(7)])
    y = (np.sin(X[:, 1:4]).sum(axis=1) + 0.5 * X[:, 4] * X[:, 5] > 0).astype(int)
    for model in (KNeighborsClassifier(1), make_pipeline(StandardScaler(), KNeighborsClassifier(1))):
        model.fit(X[:120], y[:120])
        read = ew.Explainer(model, density=density).fit(X[:120], y[:120])
        asked = ew.Explainer(ew.BlackBox(model.predict, classes=[0, 1]), density=density).fit(X[:120], y[:120])
        targets = 1 - model.predict(X[120:132])
        best, found = read.explain(X[120:132], target=targets), asked.explain(X[120:132], target=targets)
        assert (found.found == best.found).all()
        ratio = found.distances / best.distances
        assert (ratio >= 1 - 1e-6).all()  # nothing is nearer than what is proven
        assert np.median(ratio) <= 1.001
        assert np.quantile(ratio, 0.95) <= 1.1
