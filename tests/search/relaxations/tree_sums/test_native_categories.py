"""Trees that take categories as they are, with and without a density, against the list of all rows."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from search.relaxations.tree_sums.small_ensembles import classifier

LEVELS = {"kind": ["a", "b", "c", "d", "e"], "place": ["north", "south", "west"]}
RANGES = {"age": (0, 6), "size": (0, 4)}


def frame_of(rows):
    """Two whole numbers and two categories, from tuples of values."""
    frame = pd.DataFrame(rows, columns=[*RANGES, *LEVELS])
    return frame.astype({name: pd.CategoricalDtype(levels) for name, levels in LEVELS.items()})


EVERY = frame_of(list(itertools.product(*(range(low, high + 1) for low, high in RANGES.values()), *LEVELS.values())))


def fitted(name, seed):
    """A table, and a classifier of it that takes its categories as they are."""
    rng = np.random.default_rng(seed)
    frame = EVERY.iloc[rng.choice(len(EVERY), 240, replace=False)].reset_index(drop=True)
    worth = rng.normal(size=5)[frame.kind.cat.codes] + (frame.place == "south") * (frame["size"] - 2)
    worth = worth + frame.age / 3 + rng.normal(size=240) / 2
    model = classifier(name, seed, n_trees=12, depth=3)
    if name == "histograms":
        model.set_params(categorical_features="from_dtype")
    elif name == "xgboost":
        model.set_params(enable_categorical=True, max_cat_to_onehot=1 + 4 * (seed % 2))
    else:
        model.set_params(min_data_per_group=5, max_cat_to_onehot=2, cat_smooth=1.0)
    y = (worth > worth.median()).astype(int)
    return model.fit(frame, y), frame, y


def distances_from(row, per_change):
    """Whole numbers cost their difference, and a category one; every change costs something beside."""
    changed = np.array([EVERY[name].astype(object) != row[name] for name in EVERY])
    sizes = [np.abs(EVERY[name] - row[name]) for name in RANGES]
    return np.sum(sizes, axis=0) + changed[2:].sum(axis=0) + per_change * changed.sum(axis=0)


@pytest.mark.parametrize("name", ["histograms", "xgboost", "lightgbm"])
@pytest.mark.parametrize(
    "density", [None, ew.MixedMixtureDensity(n_components=1), ew.MixedMixtureDensity(n_components=2)]
)
@pytest.mark.parametrize("seed", range(2))
def test_the_nearest_of_all_rows_is_found_and_proven(name, density, seed):
    model, frame, y = fitted(name, seed)
    per_change = 0.7 * seed
    distance = ew.Manhattan(per_change=per_change)
    explainer = ew.Explainer(model, density=density, distance=distance, learn_rules=False).fit(frame, y)
    rules = ew.Constraints(integer=list(RANGES), bounds=RANGES, immutable=["place"] if seed else [])
    rows = frame[model.predict(frame) != 1][:8]
    answers = explainer.explain(rows, 1, constraints=rules)
    holds = model.predict(EVERY) == 1
    logs = np.zeros(len(EVERY)) if density is None else np.asarray(explainer.log_density(EVERY, 1))
    n_apart = 0
    for (_, row), answer in zip(rows.iterrows(), answers):
        is_kept = (EVERY.place == row.place).to_numpy() if seed else np.ones(len(EVERY), dtype=bool)
        is_dense = logs >= answer.log_threshold  # of the row's own place, where that cannot change
        away = distances_from(row, per_change)[holds & is_kept & is_dense]
        assert answer.status == ("optimal" if len(away) else "infeasible")
        np.testing.assert_allclose(answer.distance, away.min() if len(away) else np.nan, rtol=1e-9)
        assert answer.lower_bound <= away.min(initial=np.inf) * (1 + 1e-9)
        n_apart += len(away) > 0
    assert n_apart > 3
