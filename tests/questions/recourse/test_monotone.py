"""Monotone columns against signs of weights, all cells of small sums of trees, and the model's own scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from listed_table import mixed_table


def data(seed: int = 0, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return X, (X @ [1.0, -0.5, 0.0] + 0.2 * rng.normal(size=n) > 0).astype(int)


def check_pair(explainer: ew.Explainer, found: ew.Monotone, scores: np.ndarray) -> None:
    """Two rows that differ in one column, in the direction asked for, and whose scores fall by the model itself."""
    rows = np.asarray(found.rows, dtype=float)
    place = explainer.table_.names.index(found.column)
    moved = np.delete(rows[0] != rows[1], place)
    assert not moved.any()
    assert (rows[1, place] > rows[0, place]) == (found.direction == "increase")
    assert scores[0] > scores[1]
    np.testing.assert_allclose(found.scores, scores)


@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearSVC(), make_pipeline(StandardScaler(), LogisticRegression())]
)
def test_linear_models_have_the_signs_of_their_weights(model):
    X, y = data()
    model.fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    weights = (model[-1] if hasattr(model, "steps") else model).coef_[0]
    for place, weight in enumerate(weights):
        for direction in ("increase", "decrease"):
            for target in (0, 1):
                rises = (weight > 0) == (direction == "increase")
                found = explainer.monotone(f"x{place}", direction, target=target)
                assert found.status == ("proven" if rises == (target == 1) else "refuted")


def test_of_several_classes_the_lead_over_each_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.monotone("x0", "increase", target=2).is_proven
    found = explainer.monotone("x0", "increase", target=1)
    assert found.status == "refuted"
    check_pair(explainer, found, model.predict_proba(found.rows)[:, 1])


def truly_rises(model: object, X: np.ndarray, place: int, scores: object) -> bool:
    """Whether a score never falls, at a value between all cuts of all columns: there are no others for trees."""
    trees = [tree.tree_ for tree in np.ravel(model.estimators_)]
    values = []
    for feature in range(X.shape[1]):
        cuts = np.unique(np.concatenate([tree.threshold[tree.feature == feature] for tree in trees]))
        values.append(np.concatenate([[-9.0], 0.5 * (cuts[1:] + cuts[:-1]), [9.0]]))
    order = [values[place], *(each for other, each in enumerate(values) if other != place)]
    grid = np.stack(np.meshgrid(*order, indexing="ij"), axis=-1)
    columns = [place, *(other for other in range(X.shape[1]) if other != place)]
    rows = np.empty_like(grid)
    rows[..., columns] = grid
    found = scores(rows.reshape(-1, X.shape[1])).reshape(grid.shape[:-1])  # type: ignore[operator]
    return bool((np.diff(found, axis=0) >= -1e-12).all())


def test_sums_of_trees_agree_with_all_their_cells():
    proven = refuted = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (60, 2))
        y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
        for model in (
            GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=seed),
            RandomForestClassifier(3, max_depth=2, random_state=seed),
        ):
            model.fit(X, y)
            explainer = ew.Explainer(model, density=None).fit(X, y)
            for place in (0, 1):
                truth = truly_rises(model, X, place, lambda rows, model=model: model.predict_proba(rows)[:, 1])
                found = explainer.monotone(f"x{place}", "increase", target=1)
                assert found.is_proven == truth
                proven += truth
                if found.status == "refuted":
                    refuted += 1
                    check_pair(explainer, found, model.predict_proba(found.rows)[:, 1])
    assert proven >= 5
    assert refuted >= 5


def test_a_sum_may_rise_though_a_tree_of_it_falls():
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (80, 2)).astype(float)  # few values: trees share their cuts
        model = GradientBoostingRegressor(n_estimators=6, max_depth=2, learning_rate=0.9, random_state=seed)
        model.fit(X, X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=len(X)))
        explainer = ew.Explainer(model, density=None).fit(X)
        truth = truly_rises(model, X, 0, model.predict)
        assert explainer.monotone("x0", "increase").is_proven == truth
        single = [type("One", (), {"estimators_": [tree]})() for tree in np.ravel(model.estimators_)]
        rises = [truly_rises(one, X, 0, one.estimators_[0].predict) for one in single]
        found += truth and not all(rises)
    assert found >= 1


def test_constraints_of_boosting_are_proven():
    X, y = data(n=400)
    for model in (
        HistGradientBoostingClassifier(max_iter=20, monotonic_cst=[1, -1, 0]),
        pytest.importorskip("xgboost").XGBClassifier(n_estimators=30, max_depth=3, monotone_constraints=(1, -1, 0)),
    ):
        explainer = ew.Explainer(model.fit(X, y), density=None).fit(X, y)
        assert explainer.monotone("x0", "increase", target=1).is_proven
        assert explainer.monotone("x1", "decrease", target=1).is_proven
        assert explainer.monotone("x0", "decrease", target=0).is_proven
        found = explainer.monotone("x2", "increase", target=1)
        assert found.status == "refuted"
        check_pair(explainer, found, model.predict_proba(found.rows)[:, 1])


def test_networks_single_trees_and_regressors():
    X, y = data()
    network = MLPClassifier((3,), solver="lbfgs", max_iter=2000, random_state=0).fit(X, y)
    network.coefs_ = [np.abs(network.coefs_[0]), np.abs(network.coefs_[1])]
    explainer = ew.Explainer(network, density=None).fit(X, y)
    assert explainer.monotone("x0", "increase", target=1).is_proven
    assert explainer.monotone("x0", "increase", target=0).status == "refuted"
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert ew.Explainer(stump, density=None).fit(X, y).monotone("x0", "increase", target=1).is_proven
    line = LinearRegression().fit(X, X @ [1.0, -2.0, 0.0])
    other = ew.Explainer(line, density=None).fit(X)
    assert other.monotone("x0", "increase").is_proven
    assert other.monotone("x1", "increase").status == "refuted"


def test_tables_and_models_that_are_only_asked():
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, LogisticRegression(max_iter=1000)).fit(frame, y)
    explainer = ew.Explainer(model).fit(frame, y)
    assert explainer.monotone("income", "increase", target="good").is_proven
    found = explainer.monotone("debt", "increase", target="good")
    assert found.status == "refuted"
    assert isinstance(found.rows, pd.DataFrame)
    assert (found.rows.dtypes == frame.dtypes).all()
    scores = model.predict_proba(found.rows)[:, list(model.classes_).index("good")]
    np.testing.assert_allclose(found.scores, scores)
    assert "can reduce the score" in found.sentence
    X, labels = data()
    asked = ew.Explainer(KNeighborsClassifier().fit(X, labels)).fit(X, labels)
    assert asked.monotone("x0", "increase", target=1).status in ("refuted", "unknown")


def test_what_makes_no_sense_is_refused():
    frame, y = mixed_table()
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), remainder="passthrough")
    model = make_pipeline(before, LogisticRegression(max_iter=5000)).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    with pytest.raises(ew.InvalidInputError, match="column: expected one of"):
        explainer.monotone("salary", "increase", target="good")
    with pytest.raises(ew.InvalidInputError, match="is a category"):
        explainer.monotone("job", "increase", target="good")
    with pytest.raises(ew.InvalidInputError, match="expected 'increase' or 'decrease'"):
        explainer.monotone("income", "up", target="good")
    with pytest.raises(ew.InvalidInputError, match="expected a label"):
        explainer.monotone("income", "increase")
