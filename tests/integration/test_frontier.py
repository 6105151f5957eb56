"""A frontier, quantile by quantile, against ``explain`` of an explainer that was fitted with that threshold."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

QUANTILES = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97)


@cache
def case(name: str) -> tuple[Any, Any, Any, Any, Any]:
    """Model, density, training rows, labels and the wanted outcome."""
    X, y = load_iris(return_X_y=True)
    two = ew.GaussianMixtureDensity(n_components=2)
    if name == "logistic":
        return LogisticRegression(max_iter=1_000).fit(X, y), two, X, y, 2
    if name == "tree":
        return DecisionTreeClassifier(random_state=0).fit(X, y), two, X, y, 1
    if name == "regressor":
        return make_pipeline(StandardScaler(), Ridge()).fit(X[:, :3], X[:, 3]), two, X[:, :3], None, (1.4, 1.6)
    rng = np.random.default_rng(0)
    good = np.arange(160) % 2 == 0
    frame = pd.DataFrame(
        {
            "years": rng.poisson(np.where(good, 9, 4)),
            "income": rng.normal(np.where(good, 4.0, 2.5), 0.6),
            "housing": np.where(rng.random(160) < np.where(good, 0.7, 0.3), "own", rng.choice(["rent", "free"], 160)),
        }
    )
    encode = make_column_transformer((StandardScaler(), ["years", "income"]), (OneHotEncoder(), ["housing"]))
    last = LogisticRegression() if name == "table" else DecisionTreeClassifier(max_depth=4, random_state=0)
    label = np.where(good, "yes", "no")
    mixed = ew.MixedMixtureDensity(n_components=2, random_state=0)
    return make_pipeline(encode, last).fit(frame, label), mixed, frame, label, "yes"


@cache
def explainer(name: str, threshold: float = 0.5) -> ew.Explainer:
    """Fit an explainer with a threshold."""
    model, density, rows, label, _ = case(name)
    return ew.Explainer(model, density=density, threshold=threshold).fit(rows, label)


def check(
    name: str, place: int, rules: ew.Constraints | None = None, quantiles: tuple[float, ...] = QUANTILES
) -> ew.Frontier:
    """Compare each quantile with an explainer of that threshold."""
    _, _, rows, _, target = case(name)
    row = rows.iloc[[place]] if hasattr(rows, "iloc") else rows[[place]]
    frontier = explainer(name).frontier(row, target, quantiles, constraints=rules, on_satisfied="move")
    np.testing.assert_array_equal(frontier.quantiles, quantiles)
    assert len(frontier.explanations) == len(quantiles)
    for i, quantile in enumerate(quantiles):
        alone = explainer(name, quantile).explain(row, target, constraints=rules, on_satisfied="move")[0]
        mine, where = frontier.explanations[i], f"{name}, row {place}, quantile {quantile}"
        np.testing.assert_array_equal(np.asarray(mine.x, dtype=object), np.asarray(alone.x, dtype=object))
        assert mine.target == alone.target, where
        assert frontier.log_thresholds[i] == mine.log_threshold == alone.log_threshold, where
        assert mine.status == alone.status, where
        if alone.status == "infeasible":
            assert mine.lower_bound == np.inf, where
            assert np.isnan(mine.distance), where
            continue
        np.testing.assert_allclose(mine.distance, alone.distance, rtol=1e-6, err_msg=where)
        # Both bounds hold for both answers.
        assert mine.lower_bound <= alone.distance, where
        assert alone.lower_bound <= mine.distance, where
        assert mine.lower_bound <= mine.distance, where
        np.testing.assert_allclose(mine.lower_bound, alone.lower_bound, rtol=2e-6, atol=1e-9, err_msg=where)
        assert mine.log_density >= mine.log_threshold, where
        assert (mine.reason, mine.nearer) == (alone.reason, 0), where
        fresh = explainer(name).log_density(frontier.explanations.counterfactuals[i : i + 1], label_of(name))
        assert fresh[0] >= mine.log_threshold, where
        predicted = explainer(name).model.predict(frontier.explanations.counterfactuals[i : i + 1])[0]
        assert predicted == target if label_of(name) is not None else target[0] <= predicted <= target[1], where
    found = np.isfinite(frontier.distances)
    assert (np.diff(frontier.distances[found]) >= -1e-9 * frontier.distances[found][1:]).all()
    assert (np.diff(frontier.explanations.lower_bounds[found]) >= 0).all()
    assert not (np.diff(found.astype(int)) > 0).any()  # nothing works above a threshold that does not
    np.testing.assert_array_equal(frontier.to_frame()["quantile"], quantiles)
    return frontier


def label_of(name: str) -> Any:
    return None if name == "regressor" else case(name)[4]


NAMES = ("logistic", "tree", "regressor", "table", "tree of a table")


@pytest.mark.parametrize("name", NAMES)
def test_each_quantile_is_that_of_an_explainer_with_its_threshold(name):
    _, _, rows, _, _ = case(name)
    flat = steep = 0
    for place in range(0, len(rows), len(rows) // 6):
        distances = check(name, place).distances
        flat += int((np.diff(distances) <= 1e-12 * distances[1:]).sum())
        steep += int((np.diff(distances) > 1e-6 * distances[1:]).sum())
    assert steep > 0
    assert flat > 0 or name == "logistic", "no stretch of one distance: nothing was settled without a search"


@pytest.mark.parametrize("name", ["table", "tree of a table"])
def test_under_rules_and_where_high_quantiles_have_no_answer(name):
    ends = set()
    rules = [
        ew.Constraints(monotone={"years": "decrease"}, max_changes=2),
        ew.Constraints(bounds={"income": (None, 3.4)}, immutable=["housing"]),
        ew.Constraints(linear=["income + 0.1 * years <= 3.6"]),
    ]
    for place, rule in zip((1, 3, 5), rules, strict=True):
        row = case(name)[2].iloc[place]
        if "income" in rule.bounds and row["income"] > 3.4:
            continue
        found = np.isfinite(check(name, place, rule).distances)
        ends |= {int(found.sum())}
    assert any(0 < end < len(QUANTILES) for end in ends), "all or nothing: no frontier ends"


def test_distances_that_hardly_differ_are_told_apart():
    quantiles = tuple((0.5 + np.arange(1, 9) * 2e-5).round(6).tolist())
    apart = []
    for place in (0, 60, 80):
        distances = check("logistic", place, quantiles=quantiles).distances
        apart += (np.diff(distances) / distances[1:]).tolist()
    assert any(1e-6 < each < 1e-4 for each in apart)


@pytest.mark.parametrize("name", ["logistic", "tree", "table"])
def test_a_row_that_is_an_answer_itself(name):
    model, _, rows, label, target = case(name)
    fitted = explainer(name)
    densities = np.where((label == target) & (model.predict(rows) == target), fitted.log_density(rows, target), -np.inf)
    middle = int(np.argsort(densities)[-int((label == target).sum()) // 2])
    frontier = check(name, middle)
    assert frontier.distances[0] == 0.0
    assert frontier.distances[-1] > 0.0
    assert frontier.explanations[0].reason != frontier.explanations[-1].reason


def test_a_quantile_alone_and_in_any_order():
    _, _, rows, _, target = case("logistic")
    whole = explainer("logistic").frontier(rows[0], target, QUANTILES)
    shuffled = explainer("logistic").frontier(rows[0], target, [*QUANTILES[::-1], 0.5])
    np.testing.assert_array_equal(shuffled.quantiles, QUANTILES)
    np.testing.assert_array_equal(shuffled.distances, whole.distances)
    for i in (0, 5, 10):
        one = explainer("logistic").frontier(rows[0], target, [QUANTILES[i]])
        np.testing.assert_allclose(one.distances, whole.distances[[i]], rtol=1e-6)
        assert one.explanations.lower_bounds[0] <= whole.distances[i]
