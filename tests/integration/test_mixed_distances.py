"""Distances in tables with categories, by brute force over levels: Clarabel and linear programs for the numbers."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise import theory
from elsewise.lvq import GeneralizedLVQ

pytest.importorskip("clarabel", reason="the reference needs Clarabel")

from reference import project_reference

NUMBERS, CATEGORIES = ["size", "weight"], ["colour", "shape"]
PRICES = {
    "even": {"size": 1.5, "weight": 0.25, "colour": 0.6, "shape": 1.7},
    "dear numbers": {"size": 40.0, "weight": 10.0, "colour": 0.6, "shape": 1.7},
    "dear levels": {"size": 0.5, "weight": 0.1, "colour": 6.0, "shape": 17.0},
}


def table(seed: int, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and categories of three hidden groups, two of which make up one class."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, size=n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(np.array([0.0, 3.0, 1.5])[group], 0.6),
            "weight": rng.normal(np.array([10.0, 4.0, 20.0])[group], 2.0),
            "colour": np.where(rng.random(n) < 0.7, np.array(["red", "blue", "green"])[group], "red"),
            "shape": np.where(rng.random(n) < 0.8, np.array(["round", "flat", "flat"])[group], "long"),
        }
    )
    return frame, np.where(group < 2, "yes", "no")


@cache
def case(
    seed: int, n_components: int, covariance_type: str, threshold: float, prices: str
) -> tuple[ew.Explainer, pd.DataFrame]:
    frame, y = table(seed)
    encode = make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(), CATEGORIES))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    density = ew.MixedMixtureDensity(n_components=n_components, covariance_type=covariance_type, random_state=0)
    explainer = ew.Explainer(
        model, density=density, distance=ew.Manhattan(PRICES[prices]), threshold=threshold, learn_rules=False
    )
    return explainer.fit(frame, y), table(seed + 100, 12)[0]


def nearest(explainer: ew.Explainer, row: pd.Series, label: str, price: dict[str, float], use_model: bool) -> float:
    """Distance to the nearest row that is dense enough, and for which the model decides if asked."""
    density = explainer.densities_[label]
    mixture, best = density.mixture_, np.inf
    levels = {column.name: column.levels for column in explainer.table_.columns if column.kind == "category"}
    x0 = row[NUMBERS].to_numpy(dtype=float)
    prices = np.array([price[name] for name in NUMBERS])
    for combination in product(*(range(len(levels[name])) for name in CATEGORIES)):
        chosen = {name: levels[name][code] for name, code in zip(CATEGORIES, combination, strict=True)}
        moved = sum(price[name] for name in CATEGORIES if chosen[name] != row[name])
        A, b = half_space(explainer, chosen, x0, label) if use_model else (None, None)
        for j, (weight, mean) in enumerate(zip(mixture.weights_, mixture.means_, strict=True)):
            given = mixture.covariances_[j]
            covariance = given if mixture.covariance_type == "full" else np.diag(given)
            tables = zip(mixture.log_probabilities_, combination, strict=True)
            log_weight = np.log(weight) + sum(table[j, code] for table, code in tables)
            squared = 2.0 * (log_weight - density.log_threshold_) - 2.0 * np.log(2.0 * np.pi)
            squared -= np.linalg.slogdet(covariance)[1]
            if squared < 0.0:
                continue
            F = np.linalg.cholesky(np.linalg.inv(covariance)).T
            status, value, _ = project_reference(
                x0, weights=prices, A=A, b=b, F=F, g=F @ (mean - x0), h0=float(np.sqrt(squared))
            )
            assert status in ("optimal", "infeasible")
            best = min(best, moved + value)
    return best


def half_space(explainer: ew.Explainer, chosen: dict[str, Any], x0: np.ndarray, label: str) -> tuple[Any, Any]:
    """Where the model decides for the label among rows of these levels, measured: ``A v <= b`` with ``v = x - x0``."""
    points = x0 + np.vstack([np.zeros(2), np.eye(2)])
    rows = pd.DataFrame(points, columns=NUMBERS).assign(**chosen)
    score = explainer.model.decision_function(rows) * (1.0 if label == explainer.model.classes_[1] else -1.0)
    return -(score[1:] - score[0])[None], np.array([score[0]])


SETTINGS = [
    (0, 2, "full", 0.5, "even"),
    (1, 3, "full", 0.2, "dear numbers"),
    (2, 3, "diag", 0.7, "even"),
    (3, 4, "full", 0.5, "dear levels"),
    (4, 1, "full", 0.5, "dear numbers"),
    (5, 4, "diag", 0.1, "dear numbers"),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_nearest_dense_row(setting):
    explainer, rows = case(*setting)
    changes, components = set(), set()
    for label in ("yes", "no"):
        found = theory.model_free_counterfactuals(explainer, rows, label)
        expected = np.array([nearest(explainer, row, label, PRICES[setting[4]], False) for _, row in rows.iterrows()])
        np.testing.assert_allclose(found.distances, expected, rtol=1e-6, atol=1e-9)
        assert (found.lower_bounds <= expected * (1 + 1e-7) + 1e-9).all()
        np.testing.assert_allclose(found.lower_bounds, expected, rtol=2e-6, atol=1e-9)
        changes |= set((found.points[CATEGORIES] != rows[CATEGORIES]).sum(axis=1))
        components |= set(explainer.explain(rows, label, on_satisfied="move").components.tolist())
    assert len(changes) > 1, "levels change nowhere, or everywhere: their price is not tested"
    assert len(components) > 1 or setting[1] == 1


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_nearest_dense_row_for_which_the_model_decides(setting):
    explainer, rows = case(*setting)
    for label in ("yes", "no"):
        answers = explainer.explain(rows, label, on_satisfied="move")
        expected = np.array([nearest(explainer, row, label, PRICES[setting[4]], True) for _, row in rows.iterrows()])
        np.testing.assert_array_equal(answers.statuses == "infeasible", np.isinf(expected))
        found = np.isfinite(expected)
        np.testing.assert_allclose(answers.distances[found], expected[found], rtol=1e-6, atol=1e-9)
        assert (answers.lower_bounds <= expected * (1 + 1e-7) + 1e-9).all()
        assert (answers.statuses[found] == "optimal").all()


def test_a_table_of_categories_alone():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, size=200)
    levels = {"a": 4, "b": 3, "c": 3}
    frame = pd.DataFrame(
        {
            name: np.array(list("wxyz"))[np.where(rng.random(200) < 0.6, group, rng.integers(0, n, size=200))]
            for name, n in levels.items()
        }
    )
    y = np.where(group + 0.5 * (frame["a"] == "z") > 0.7, "yes", "no")
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, y)
    every = pd.DataFrame(list(product(*(sorted(frame[name].unique()) for name in levels))), columns=list(levels))
    prices = {"a": 1.0, "b": 0.7, "c": 1.9}
    n_found = 0
    for n_components, threshold in ((1, 0.5), (2, 0.3), (3, 0.9)):
        density = ew.MixedMixtureDensity(n_components=n_components, random_state=0)
        explainer = ew.Explainer(
            model, density=density, distance=ew.Manhattan(prices), threshold=threshold, learn_rules=False
        )
        explainer.fit(frame, y)
        for label in ("yes", "no"):
            dense = explainer.log_density(every, label) >= explainer.densities_[label].log_threshold_
            good = every[dense & (model.predict(every) == label)]
            answers = explainer.explain(every, label, on_satisfied="move")
            free = theory.model_free_counterfactuals(explainer, every, label)
            for i, row in every.iterrows():
                for rows, distance, bound in (
                    (good, answers.distances[i], answers.lower_bounds[i]),
                    (every[dense], free.distances[i], free.lower_bounds[i]),
                ):
                    costs = sum(prices[name] * (rows[name] != row[name]) for name in levels)
                    if len(rows) == 0:
                        assert bound == np.inf
                        continue
                    np.testing.assert_allclose(distance, costs.min(), rtol=1e-12, atol=1e-12)
                    assert bound <= costs.min()
                    n_found += 1
    assert n_found > 100


def scores(name: str, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Affine scores ``W z + w`` of what the estimator compares, the largest of which wins, and the label of each."""
    last = model[-1]
    if name == "softmax":
        return last.coef_, last.intercept_, last.classes_
    if name == "lvq":
        points, labels = last.prototypes_, last.classes_[last.prototype_labels_]
    elif name == "centroids":
        points, labels = last.centroids_, last.classes_
    else:
        points, labels = np.asarray(last._fit_X), last.classes_[last._y]
    # The nearest point has the largest 2 p·z - p·p.
    return 2.0 * points, -(points**2).sum(axis=1), labels


SEVERAL = {
    "softmax": lambda: LogisticRegression(C=50.0, max_iter=5_000),
    "lvq": lambda: GeneralizedLVQ(prototypes_per_class=3, random_state=0),
    "centroids": NearestCentroid,
    "neighbour": lambda: KNeighborsClassifier(n_neighbors=1),
}


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("name", SEVERAL)
def test_the_nearest_of_several_polyhedra(name, prices):
    frame, _ = table(0)
    y = np.digitize(frame["size"] + (frame["colour"] == "blue") - 2.0 * (frame["shape"] == "long"), [-0.5, 1.5])
    n = 16 if name == "neighbour" else len(frame)
    encode = make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(sparse_output=False), CATEGORIES))
    model = make_pipeline(encode, SEVERAL[name]()).fit(frame[:n], y[:n])
    price = PRICES[prices]
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(price), learn_rules=False).fit(frame, y)
    rows = table(1, 6)[0]
    W, w, labels = scores(name, model)
    levels = [sorted(frame[:n][each].unique()) for each in CATEGORIES]
    rows = rows[[all(row[each] in known for each, known in zip(CATEGORIES, levels)) for _, row in rows.iterrows()]]
    weights = np.array([price[each] for each in NUMBERS])
    by_label = {int(label): explainer.explain(rows, label) for label in model.classes_}
    nearest_other = explainer.explain(rows)
    for i, (_, row) in enumerate(rows.iterrows()):
        x0 = row[NUMBERS].to_numpy(dtype=float)
        best = dict.fromkeys(by_label, np.inf)
        for combination in product(*levels):
            moved = sum(price[each] for each, level in zip(CATEGORIES, combination) if level != row[each])
            points = x0 + np.vstack([np.zeros(2), np.eye(2)])
            Z = encode_of(model, points, combination)
            value = Z @ W.T + w
            slope = value[1:] - value[0]
            for k, label in enumerate(labels.tolist()):
                others = labels != label
                # slope·v + value of each other label is at most that of this one; |v| is split in its two parts
                A = (slope[:, others] - slope[:, [k]]).T
                b = value[0, k] - value[0, others]
                found = linprog(np.tile(weights, 2), A_ub=np.hstack([A, -A]), b_ub=b, bounds=(0, None), method="highs")
                if found.status == 0:
                    best[label] = min(best[label], moved + found.fun)
        for label, answers in by_label.items():
            np.testing.assert_allclose(answers.distances[i], best[label], rtol=1e-6, atol=1e-8)
            assert answers.lower_bounds[i] <= best[label] * (1 + 1e-9) + 1e-9
        other = min(value for label, value in best.items() if label != nearest_other.predictions[i])
        np.testing.assert_allclose(nearest_other.distances[i], other, rtol=1e-6)
        assert nearest_other.lower_bounds[i] <= other * (1 + 1e-9)


def encode_of(model: Any, points: np.ndarray, combination: tuple[str, ...]) -> np.ndarray:
    rows = pd.DataFrame(points, columns=NUMBERS).assign(**dict(zip(CATEGORIES, combination)))
    return np.asarray(model[:-1].transform(rows))
