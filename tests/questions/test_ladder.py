"""Ladders against ``explain`` for each band, and against the model itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew


@pytest.fixture(scope="module")
def iris() -> tuple[ew.Explainer, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    names = np.array(["low", "middle", "high"])[y]
    return ew.Explainer(LogisticRegression(max_iter=1000).fit(X, names)).fit(X, names), X


def suffix_minima(distances: list[float]) -> np.ndarray:
    found = np.where(np.isnan(distances), np.inf, distances)
    return np.minimum.accumulate(found[::-1])[::-1]


def test_a_class_or_a_better_one(iris):
    explainer, X = iris
    for row in X[[0, 60]]:
        ladder = explainer.ladder(row, ["low", "middle", "high"])
        now = explainer.model.predict(row[None])[0]
        assert ladder.current.name == now
        better = ["low", "middle", "high"][["low", "middle", "high"].index(now) + 1 :]
        assert [step.band.name for step in ladder] == better
        alone = [explainer.explain_one(row, name).distance for name in better]
        np.testing.assert_allclose(ladder.distances, suffix_minima(alone), rtol=1e-6)
        for step in ladder:
            said = explainer.model.predict(step.explanation.counterfactual[None])[0]
            assert said == step.reaches
            assert better.index(said) >= better.index(step.band.name)
            assert step.explanation.status == "optimal"


def test_a_step_may_be_nearer_by_a_better_band():
    """The middle class is far away for a row next to the best one: the nearest answer is in the better band."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 1))
    y = np.where(X[:, 0] < -0.8, "b", np.where(X[:, 0] > 0.2, "a", "c"))
    explainer = ew.Explainer(DecisionTreeClassifier().fit(X, y), density=None, distance="manhattan").fit(X, y)
    ladder = explainer.ladder([0.1], ["c", "b", "a"])
    assert [step.reaches for step in ladder] == ["a", "a"]
    assert ladder.distances[0] == ladder.distances[1] < 0.2
    assert ladder[0].explanation.lower_bound == pytest.approx(ladder.distances[0], rel=1e-5)


def test_probabilities(iris):
    explainer, X = iris
    bands = [0.2, 0.5, 0.8, 0.95]
    ladder = explainer.ladder(X[0], bands, target="middle")
    alone = [explainer.explain_one(X[0], "middle", min_probability=p).distance for p in bands]
    np.testing.assert_allclose(ladder.distances, suffix_minima(alone), rtol=1e-6)
    assert (np.diff(ladder.distances) >= 0).all()
    bounds = [step.explanation.lower_bound for step in ladder]
    assert (np.diff(bounds) >= 0).all()
    place = list(explainer.model.classes_).index("middle")
    for step, p in zip(ladder, bands, strict=True):
        assert explainer.model.predict_proba(step.explanation.counterfactual[None])[0, place] >= p
    named = explainer.ladder(X[0], {"fair": 0.5, "fine": 0.95}, target="middle")
    assert [step.band.name for step in named] == ["fair", "fine"]
    assert "Band fine takes" in named.sentence


@pytest.mark.parametrize("falls", [False, True])
def test_ranges_of_a_regressor(falls):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    y = X @ [1.0, 1.0, 0.0] * (-1 if falls else 1)
    model = RandomForestRegressor(8, max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, threshold=0.2).fit(X)
    bands = [(-9, -1), (-1, 0), (0, 1), (1, 1.8), (1.8, 50), (50, None)]
    if falls:
        bands = [(None if high is None else -high, -low) for low, high in bands]
    row = X[np.argsort(np.abs(model.predict(X) - (0.5 if falls else -0.5)))[0]]
    ladder = explainer.ladder(row, bands)
    assert ladder.current is ladder.bands[1]
    alone = [explainer.explain_one(row, band).distance for band in bands[2:]]
    np.testing.assert_allclose(np.nan_to_num(ladder.distances, nan=np.inf), suffix_minima(alone), rtol=1e-6)
    assert ladder[3].explanation.status == "infeasible"
    assert "cannot be reached" in ladder.sentence
    for step in list(ladder)[:3]:
        said = model.predict(step.explanation.counterfactual[None])[0]
        low, high = step.band.target.value
        assert said <= high if falls else said >= low


def test_bands_that_make_no_sense_are_refused(iris):
    explainer, X = iris
    with pytest.raises(ew.InvalidInputError, match="occurs twice"):
        explainer.ladder(X[0], ["low", "low"])
    with pytest.raises(ew.InvalidInputError, match="Unknown target"):
        explainer.ladder(X[0], ["low", "top"])
    with pytest.raises(ew.InvalidInputError, match="in rising order"):
        explainer.ladder(X[0], [0.5, 0.4], target="middle")
    with pytest.raises(ew.InvalidInputError, match="between 0 and 1"):
        explainer.ladder(X[0], [0.5, 1.5], target="middle")
    with pytest.raises(ew.InvalidInputError, match="expected a list"):
        explainer.ladder(X[0], [])
    regressor = RandomForestRegressor(2, random_state=0).fit(X, X[:, 0])
    other = ew.Explainer(regressor, density=None).fit(X)
    with pytest.raises(ew.InvalidInputError, match="do not overlap"):
        other.ladder(X[0], [(0, 2), (1, 3)])
    with pytest.raises(ew.InvalidInputError, match="leave target out"):
        other.ladder(X[0], [(0, 1)], target=1)


def test_ladders_present_themselves(iris):
    explainer, X = iris
    ladder = explainer.ladder(X[0], ["low", "middle", "high"])
    assert str(ladder).startswith("now: band low")
    assert "band or better" in ladder._repr_html_()
    assert list(ladder.to_frame()["band"]) == ["middle", "high"]
    assert repr(ladder) == "<Ladder: 3 bands, 2 steps up>"
    assert explainer.ladder(X[0], ["high", "low"]).sentence == "The row is in band low, the best there is."
