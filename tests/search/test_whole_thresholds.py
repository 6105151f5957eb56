"""Trees whose thresholds are whole numbers up to rounding, against a list of all whole numbers.

A tree that sees 6 and 8 parts them at 7; behind a scaler its threshold misses 7 by rounding, on either side.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

WEIGHTS = {"size": 1.0, "months": 0.25}


def table(seed: int, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """A number, and whole numbers that are mostly even."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < 0.5
    months = 2 * rng.poisson(np.where(good, 6, 3)) + (rng.random(n) < 0.1)
    return pd.DataFrame({"size": rng.normal(1.5 * good, 1.0), "months": months}), good


def nearest(explainer: ew.Explainer, own: pd.Series, thresholds: np.ndarray) -> float:
    """Smallest distance to a row that the model accepts and that is dense enough.

    For each whole number the other column is walked along: where it may stop is at its own value, just beside a
    threshold of the tree, or where the density crosses its threshold.
    """
    least = explainer.densities_[True].log_threshold_
    grid = np.linspace(-6.0, 8.0, 1_401)
    best = np.inf
    for months in range(41):

        def excess(sizes: np.ndarray, months: int = months) -> np.ndarray:
            frame = pd.DataFrame({"size": np.atleast_1d(sizes), "months": months})
            return explainer.log_density(frame, True) - least

        values = excess(grid)
        turns = np.flatnonzero(np.diff(np.sign(values)))
        roots = [brentq(lambda size: float(excess(size)[0]), grid[k], grid[k + 1], xtol=1e-13) for k in turns]
        around = np.concatenate([thresholds, roots])
        sizes = np.concatenate([[own["size"]], around - 1e-7, around + 1e-7])
        frame = pd.DataFrame({"size": sizes, "months": months})
        good = explainer.model.predict(frame) & (excess(sizes) >= 0)
        distances = WEIGHTS["size"] * np.abs(sizes - own["size"]) + WEIGHTS["months"] * abs(months - own["months"])
        best = min(best, distances[good].min(initial=np.inf))
    return float(best)


@pytest.mark.parametrize(
    ("seed", "places"), [(0, [0, 5, 9]), (22, [1, 5, 6, 17]), (60, [3, 45, 77]), (88, [0, 19, 40])]
)
def test_whole_numbers_on_thresholds(seed, places):
    frame, good = table(seed)
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4, random_state=0)).fit(frame, good)
    density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    distance = ew.Manhattan(weights=list(WEIGHTS.values()))
    explainer = ew.Explainer(model, density=density, distance=distance, threshold=0.5).fit(frame, good)
    scaler, tree = model[0], model[1].tree_
    thresholds = tree.threshold[tree.feature == 0] * scaler.scale_[0] + scaler.mean_[0]
    rows = frame[~model.predict(frame)]
    assert set(explainer.explain(rows, True).statuses) == {"optimal"}
    rows = rows.iloc[places]
    answers = explainer.explain(rows, True)
    expected = [nearest(explainer, row, thresholds) for _, row in rows.iterrows()]
    np.testing.assert_allclose(answers.distances, expected, atol=1e-6)
    assert (answers.lower_bounds <= np.array(expected) + 1e-9).all()
