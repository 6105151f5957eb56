"""Numbers with gaps, a code or a regular value and nothing between: the nearest answer is that of enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

CODES = {"a": (-9, -8), "b": (-9,), "c": (99,)}
REGULAR = {"a": range(9), "b": range(1, 8), "c": range(20, 27)}
MODELS = {
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(10, max_depth=3, random_state=0),
}


def coded_table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.choice(list(values), 400) for name, values in REGULAR.items()})
    for place, (name, codes) in enumerate(CODES.items()):
        frame.loc[place::8, name] = rng.choice(codes, len(frame.loc[place::8]))
    frame.loc[7::40, :] = [-9, -9, 99]
    score = frame["a"] * 0.4 + frame["b"] * 0.5 - frame["c"] * 0.1 + rng.normal(size=400)
    return frame, np.where(score > score.median(), "good", "bad")


def fitted(kind: str, per_change: float) -> ew.Explainer:
    frame, y = coded_table()
    model = MODELS[kind].fit(frame, y)
    density, distance = ew.GaussianMixtureDensity(n_components=3), ew.Scaled(per_change=per_change)
    return ew.Explainer(model, density=density, distance=distance).fit(frame, y)


def nearest(explainer: ew.Explainer, row: pd.DataFrame) -> float:
    """Distance of the nearest row that is good and dense enough, by looking at all there are."""
    values = [[*CODES[name], *REGULAR[name]] for name in CODES]
    table = pd.DataFrame(list(itertools.product(*values)), columns=list(CODES))
    dense = explainer.log_density(table, "good") >= explainer.densities_["good"].log_threshold_
    features = explainer.table_.encode(table[(explainer.model.predict(table) == "good") & dense])
    own = np.repeat(explainer.table_.encode(row), len(features), axis=0)
    return float(explainer.distance_(own, features).min())


# in the kernel; in the general search, for the price of changes; of trees, and those whose time is limited
@pytest.mark.parametrize("per_change", [0.0, 0.5])
@pytest.mark.parametrize("time_limit", [None, 60.0])
@pytest.mark.parametrize("kind", MODELS)
def test_the_nearest_answer_jumps_over_gaps_where_that_is_nearer(kind, time_limit, per_change):
    explainer = fitted(kind, per_change)
    assert explainer.special_values_ == CODES
    assert not list(explainer.never_together_)
    rows = coded_table()[0].iloc[[0, 1, 2, 7, 12, 20, 31, 47]]
    answers = explainer.explain(
        rows, "good", constraints=ew.Constraints(codes="change"), time_limit=time_limit, on_satisfied="move"
    )
    assert set(answers.statuses) == {"optimal"}
    expected = [nearest(explainer, rows.iloc[[place]]) for place in range(len(rows))]
    np.testing.assert_allclose(answers.distances, expected, rtol=1e-9)
    assert (answers.lower_bounds <= np.array(expected) * (1 + 1e-9)).all()
    before, after = rows.isin([-9, -8, 99]), answers.counterfactuals.isin([-9, -8, 99])
    assert (before & ~after).to_numpy().any()  # codes are left


def test_many_gaps_take_few_nodes():
    rng = np.random.default_rng(0)
    sizes = dict(zip("abcdefgh", (5, 9, 14, 20, 30, 44, 61, 83)))
    frame = pd.DataFrame({name: np.abs(rng.normal(s, s / 2, 600)).round().astype(int) for name, s in sizes.items()})
    for place, name in enumerate(frame):
        frame.loc[place::20, name] = -9
    score = ((frame - frame.mean()) / frame.std()) @ rng.normal(size=8) + rng.normal(scale=0.5, size=600)
    y = np.where(score > score.median(), "good", "bad")
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(frame, y)).fit(frame, y)
    assert explainer.special_values_ == dict.fromkeys(frame, (-9.0,))
    answers = explainer.explain(frame[y == "bad"][:20], "good", constraints=ew.Constraints(codes="change"))
    assert set(answers.statuses) == {"optimal"}
    assert answers.n_projections.max() < 50  # twice as many where whole numbers come before gaps
