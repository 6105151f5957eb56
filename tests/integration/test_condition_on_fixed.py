"""Answers given what cannot change, against enumeration of small tables and against absolute thresholds."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.density.conditional import LEAST_WEIGHT, SCORE_DECIMALS

LEVELS = {"kind": ["a", "b", "c"], "home": ["own", "rent"]}
MOST = 6
"""Largest of the whole numbers of the small table."""


def small_table(seed: int, n: int = 160) -> tuple[pd.DataFrame, np.ndarray]:
    """Two whole numbers and two categories, one level of which is rare; and two classes."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.5
    frame = pd.DataFrame(
        {
            "kind": np.where(rng.random(n) < 0.06, "c", np.where(rng.random(n) < np.where(good, 0.7, 0.4), "a", "b")),
            "months": np.minimum(rng.poisson(np.where(good, 4, 2)), MOST),
            "debts": np.minimum(rng.poisson(np.where(good, 1, 3)), MOST),
            "home": np.where(rng.random(n) < np.where(good, 0.7, 0.3), "own", "rent"),
        }
    )
    return frame, np.where(good, "yes", "no")


@cache
def small(model: str) -> tuple[ew.Explainer, pd.DataFrame]:
    """A fitted explainer, and refused rows."""
    frame, y = small_table(0)
    encode = make_column_transformer(
        (StandardScaler(), ["months", "debts"]), (OneHotEncoder(categories=list(LEVELS.values())), list(LEVELS))
    )
    last = {
        "logistic": LogisticRegression(),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "forest": RandomForestClassifier(7, max_depth=3, random_state=0),
    }[model]
    pipeline = make_pipeline(encode, last).fit(frame, y)
    density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(pipeline, density=density).fit(frame, y)
    rows = small_table(1)[0]
    return explainer, rows[pipeline.predict(rows) == "no"].reset_index(drop=True)


def log_highest(explainer: ew.Explainer, rows: pd.DataFrame, fixed: list[str]) -> np.ndarray:
    """Log density of the densest there could be with the same fixed columns: conditional means, likeliest levels."""
    mixture = explainer.densities_["yes"].mixture_
    numbers, categories = ["months", "debts"], list(LEVELS)
    held = [place for place, name in enumerate(numbers) if name in fixed]
    rest = [place for place in (0, 1) if place not in held]
    values = np.empty((len(rows), len(mixture.weights_)))
    for j, (mean, S) in enumerate(zip(mixture.means_, mixture.covariances_, strict=True)):
        points = rows[numbers].to_numpy(float).copy()
        if held:
            gain = S[np.ix_(rest, held)] @ np.linalg.inv(S[np.ix_(held, held)])
            points[:, rest] = mean[rest] + (points[:, held] - mean[held]) @ gain.T
        else:
            points[:] = mean
        values[:, j] = np.log(mixture.weights_[j]) + multivariate_normal.logpdf(points, mean, S)
        for place, name in enumerate(categories):
            table = mixture.log_probabilities_[place][j]
            codes = [LEVELS[name].index(level) for level in rows[name]]
            values[:, j] += table[codes] if name in fixed else table.max()
    return values.max(axis=1)


def shares(explainer: ew.Explainer, rows: pd.DataFrame, fixed: list[str]) -> np.ndarray:
    """Probability of every component given the fixed columns, by Bayes' rule."""
    mixture = explainer.densities_["yes"].mixture_
    held = [place for place, name in enumerate(["months", "debts"]) if name in fixed]
    likely = np.tile(mixture.weights_, (len(rows), 1))
    for j, (mean, S) in enumerate(zip(mixture.means_, mixture.covariances_, strict=True)):
        if held:
            numbers = rows[["months", "debts"]].to_numpy(float)[:, held]
            likely[:, j] *= multivariate_normal.pdf(numbers, mean[held], S[np.ix_(held, held)])
        for place, name in enumerate(LEVELS):
            if name in fixed:
                codes = [LEVELS[name].index(level) for level in rows[name]]
                likely[:, j] *= np.exp(mixture.log_probabilities_[place][j][codes])
    return likely / likely.sum(axis=1, keepdims=True)


def ascending(scores: np.ndarray) -> np.ndarray:
    """Order by scores; of those that differ by rounding alone, the first row comes first."""
    return np.argsort(scores.round(SCORE_DECIMALS), kind="stable")


def weighted_quantiles(scores: np.ndarray, weights: np.ndarray, quantile: float) -> np.ndarray:
    """Quantiles of ascending scores, one for each column of weights: from the first score at 0 to the last at 1."""
    sums = np.cumsum(weights, axis=0)
    return np.array([np.interp(quantile, (w - w[0]) / (w[-1] - w[0]), scores) for w in sums.T])


def everything() -> pd.DataFrame:
    return pd.DataFrame(
        list(product(LEVELS["kind"], range(MOST + 1), range(MOST + 1), LEVELS["home"])),
        columns=["kind", "months", "debts", "home"],
    )


@pytest.mark.parametrize("model", ["logistic", "tree", "forest"])
@pytest.mark.parametrize("fixed", [["kind"], ["kind", "months"], ["debts", "home"]])
def test_answers_equal_enumeration(model: str, fixed: list[str]) -> None:
    explainer, rows = small(model)
    rows = rows.iloc[:25]
    rules = ew.Constraints(immutable=fixed, bounds={"months": (0, MOST), "debts": (0, MOST)})
    train, y = small_table(0)
    train = train[y == "yes"]
    points = everything()
    is_yes = explainer.model.predict(points) == "yes"
    joint = explainer.log_density(points, "yes")
    training = explainer.log_density(train, "yes")
    scores = training - log_highest(explainer, train, fixed)
    order = ascending(scores)
    # training rows are denser than new ones: by as much as thresholds of the class are lower, for the columns left
    above = np.sort(training) - np.sort(explainer.densities_["yes"].log_densities_)
    assert (above > 0).mean() > 0.9
    scores = scores[order] - above * (1 - len(fixed) / train.shape[1])
    order, scores = order[ascending(scores)], np.sort(scores)
    # each counts as far as it is of the components that the row's fixed columns speak for
    weights = shares(explainer, train, fixed)[order] @ shares(explainer, rows, fixed).T + LEAST_WEIGHT
    for quantile in (0.3, 0.7):
        answers = explainer.with_threshold(quantile).explain(rows, "yes", constraints=rules)
        own = weighted_quantiles(scores, weights, quantile) + log_highest(explainer, rows, fixed)
        np.testing.assert_allclose(answers.log_thresholds, own, atol=1e-6)
        for k in range(len(rows)):
            row = rows.iloc[k]
            same = (points[fixed] == row[fixed]).all(axis=1).to_numpy()
            reached = np.flatnonzero(same & is_yes & (joint >= own[k] - 1e-9))
            if len(reached) == 0:
                assert answers.statuses[k] == "infeasible"
                assert answers.lower_bounds[k] == np.inf
                continue
            distances = explainer.distance_(
                explainer.table_.encode(points.iloc[reached]),
                np.repeat(explainer.table_.encode(rows.iloc[[k]]), len(reached), axis=0),
            )
            assert answers.statuses[k] == "optimal"
            assert answers.distances[k] == pytest.approx(distances.min(), abs=1e-9)
            assert answers.plausibilities[k] >= quantile


@cache
def numbers(steps: str = "scaler", density: str = "mixture") -> tuple[ew.Explainer, np.ndarray]:
    """Four correlated numbers in three clumps of two classes."""
    rng = np.random.default_rng(0)
    y = rng.random(240) < 0.5
    X = rng.normal(size=(240, 4)) @ rng.normal(size=(4, 4)) + np.where(y[:, None], 2.0, 0.0)
    X[:80, 1] += 5.0
    before = {"scaler": StandardScaler(), "pca": PCA(3)}[steps]
    model = make_pipeline(before, LogisticRegression()).fit(X, y)
    kinds = {"mixture": ew.GaussianMixtureDensity(n_components=3, random_state=0), "kernel": "kernel"}
    explainer = ew.Explainer(model, density=kinds[density]).fit(X, y)
    return explainer, X[~model.predict(X)][:30]


def test_a_row_of_its_own_threshold_is_answered_as_under_an_absolute_one() -> None:
    explainer, X = numbers()
    rules = ew.Constraints(immutable=["x1", "x2"])
    answers = explainer.explain(X, True, constraints=rules)
    assert len(set(answers.log_thresholds.round(6))) == len(X)
    joint = explainer.with_threshold(0.5).fitted_
    assert joint.condition_on_fixed is True
    for k in range(len(X)):
        alone = explainer.with_threshold(ew.LogDensity(answers.log_thresholds[k]))
        again = alone.explain_one(X[k], True, constraints=rules)
        assert again.log_threshold == answers.log_thresholds[k]  # absolute thresholds are joint
        assert answers[k].status == again.status
        if again.status != "infeasible":
            assert answers.distances[k] == pytest.approx(again.distance, rel=1e-6)
            assert answers.log_densities[k] >= answers.log_thresholds[k]


def test_a_row_has_the_same_bits_alone_and_in_a_batch() -> None:
    explainer, X = numbers()
    rules = ew.Constraints(immutable=["x0"])
    answers = explainer.explain(X, True, constraints=rules)
    for k in (0, 7, 20):
        alone = explainer.explain(X[[k]], True, constraints=rules)
        assert np.array_equal(alone.counterfactuals[0], answers.counterfactuals[k], equal_nan=True)
        assert alone.log_thresholds[0] == answers.log_thresholds[k]


def test_nobody_is_less_plausible_for_what_cannot_change() -> None:
    explainer, rows = small("logistic")
    rare = rows[rows["kind"] == "c"]
    assert len(rare) >= 3
    rules = ew.Constraints(immutable=["kind"])
    strict = explainer.with_threshold(0.7)
    joint = ew.Explainer(
        explainer.model,
        density={label: item.mixture_ for label, item in explainer.densities_.items()},
        threshold=0.7,
        condition_on_fixed=False,
    ).fit(*small_table(0))
    assert (joint.explain(rare, "yes", constraints=rules).statuses == "infeasible").all()
    assert (strict.explain(rare, "yes", constraints=rules).statuses == "optimal").all()


def test_rows_without_fixed_columns_ask_for_the_density_of_the_class() -> None:
    explainer, rows = small("logistic")
    held = ew.Constraints(allowed={"home": {"rent": ["own"], "own": []}})  # owners cannot move
    answers = explainer.explain(rows, "yes", constraints=held)
    owns = (rows["home"] == "own").to_numpy()
    asked = explainer.densities_["yes"].log_threshold_
    np.testing.assert_allclose(answers.log_thresholds[~owns], asked)
    assert not np.isclose(answers.log_thresholds[owns], asked).any()
    assert (explainer.explain(rows, "yes").log_thresholds == asked).all()


def test_further_answers_and_frontiers_have_the_row_s_own_thresholds() -> None:
    explainer, rows = small("logistic")
    rules = ew.Constraints(immutable=["kind"])
    first = explainer.explain(rows.iloc[[0]], "yes", constraints=rules)
    several = explainer.explain(rows.iloc[[0]], "yes", constraints=rules, n_counterfactuals=3)
    assert (several.log_thresholds == first.log_thresholds[0]).all()
    assert (several.log_densities >= several.log_thresholds).all()
    assert (np.diff(several.distances) >= -1e-9).all()
    frontier = explainer.frontier(rows.iloc[[0]], "yes", (0.2, 0.5, 0.8), constraints=rules)
    assert frontier.log_thresholds[1] == pytest.approx(first.log_thresholds[0])
    assert frontier.explanations.distances[1] == pytest.approx(first.distances[0])


@pytest.mark.parametrize(("steps", "density"), [("pca", "mixture"), ("scaler", "kernel")])
def test_where_the_density_is_not_of_the_columns_it_is_joint_and_says_so(steps: str, density: str) -> None:
    explainer, X = numbers(steps, density)
    assert explainer.condition_on_fixed is True
    assert explainer.fitted_.condition_on_fixed is False
    assert explainer.fitted_.references == {}
    answers = explainer.explain(X[:3], True, constraints=ew.Constraints(immutable=["x0"]))
    assert (answers.log_thresholds == explainer.densities_[True].log_threshold_).all()


def test_joint_is_joint_and_keeps_no_rows() -> None:
    explainer, rows = small("logistic")
    joint = ew.Explainer(explainer.model, condition_on_fixed=False).fit(*small_table(0))
    assert joint.fitted_.references == {}
    answers = joint.explain(rows[:3], "yes", constraints=ew.Constraints(immutable=["kind"]))
    assert (answers.log_thresholds == joint.densities_["yes"].log_threshold_).all()
    with pytest.raises(ew.InvalidInputError, match="condition_on_fixed: expected True or False, received 'free'"):
        ew.Explainer(explainer.model, condition_on_fixed="free").fit(*small_table(0))


def test_why_not_asks_at_the_row_s_own_threshold() -> None:
    explainer, rows = small("logistic")
    rows = rows[rows["months"] <= 3]
    strict = explainer.with_threshold(0.9)
    rules = ew.Constraints(immutable=["kind", "debts", "home"], bounds={"months": (0, 3)})
    answers = strict.explain(rows, "yes", constraints=rules)
    refused = np.flatnonzero(answers.statuses == "infeasible")[:4]
    assert len(refused)
    for k in refused:
        why = strict.why_not(rows.iloc[[k]], "yes", rules)
        assert why.reason == "rules"
        highest = why.highest_quantile
        if highest is not None:
            asked = [explainer.with_threshold(q).explain(rows.iloc[[k]], "yes", constraints=rules).statuses[0]
                     for q in (highest, highest + 0.001)]  # fmt: skip
            assert asked == ["optimal", "infeasible"]
        for relief in why.reliefs:
            again = strict.explain(rows.iloc[[k]], "yes", constraints=relief.constraints)
            assert again.distances[0] == pytest.approx(relief.distance)


def test_a_mixture_that_came_fitted_is_conditional_too() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 2))
    y = X.sum(axis=1) > 0
    model = LogisticRegression().fit(X, y)
    mixtures = {label: GaussianMixture(2, random_state=0).fit(X[y == label]) for label in (False, True)}
    explainer = ew.Explainer(model, density=mixtures).fit(X, y)
    answer = explainer.explain_one(X[~y][0], True, constraints=ew.Constraints(immutable=["x0"]))
    assert answer.log_threshold != explainer.densities_[True].log_threshold_


def held_back_by_hand(mixture: GaussianMixture, row: np.ndarray, only_up: list[bool]) -> list[bool]:
    """Columns that may only rise and would have to fall for the densest point, found one after the other."""
    mean, S = mixture.means_[0], mixture.covariances_[0]
    held = [False] * len(row)
    while True:
        F, R = np.flatnonzero(held), np.flatnonzero(np.invert(held))
        densest = mean[R] + (S[np.ix_(R, F)] @ np.linalg.inv(S[np.ix_(F, F)]) @ (row[F] - mean[F]) if len(F) else 0)
        falls = [r for r, value in zip(R, np.broadcast_to(densest, R.shape)) if only_up[r] and value < row[r]]
        if not falls:
            return held
        for r in falls:
            held[r] = True


def test_columns_that_can_only_become_less_typical_count_as_fixed_where_that_asks_for_less() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(600, 3)) @ [[1, 0.6, 0], [0, 1, 0.3], [0, 0, 1]], columns=["a", "b", "c"])
    y = (X["a"] - X["c"] + rng.logistic(0, 0.3, 600) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=1)
    explainer = ew.Explainer(model, density=density, rules=None, learn_rules=False).fit(X, y)
    rules = ew.Constraints(monotone={"a": "increase", "b": "increase"})
    rows = X[model.predict(X) == 0].iloc[:40].copy()
    rows.iloc[:10, 1] += 4.0  # far out where nothing may go back
    answers = explainer.explain(rows, 1, constraints=rules)
    assert answers.found.all()
    mixture = explainer.densities_[1].mixture_
    n_held = 0
    for row, answer in zip(rows.to_numpy(), answers):
        held = held_back_by_hand(mixture, row, [True, True, False])
        names = [name for name, is_held in zip(X.columns, held) if is_held]
        plain = explainer.explain_one(row, 1)
        asked = [plain.log_threshold]
        if names:
            asked.append(explainer.explain_one(row, 1, constraints=ew.Constraints(immutable=names)).log_threshold)
        assert answer.log_threshold == pytest.approx(min(asked), abs=1e-9)
        n_held += bool(names) and asked[1] < asked[0]
    assert n_held >= 10
    alone = [explainer.explain_one(row, 1, constraints=rules) for _, row in rows.iterrows()]
    assert [one.log_threshold for one in alone] == [one.log_threshold for one in answers]
