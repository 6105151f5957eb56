"""At most so many changes: every choice of columns is proven, against the list of all rows with so few of them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from elsewise.search.branch_and_bound import domain_branching
from search.relaxations.tree_sums.small_ensembles import classifier

RANGES = {"a": range(7), "b": range(-2, 5), "c": range(5), "d": range(4)}


def whole_table(seed, n=160):
    """Four whole numbers, with labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(min(some), max(some) + 1, n) for name, some in RANGES.items()})
    worth = frame.a / 2 + np.abs(frame.b) + (frame.c == 2) * frame.d + rng.normal(size=n) / 2
    return frame, (worth > worth.median()).astype(int)


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", ["forest", "xgboost", "lightgbm"])
@pytest.mark.parametrize("seed", range(2))
def test_the_nearest_row_with_so_few_changes(name, seed, most):
    frame, y = whole_table(seed)
    model = classifier(name, seed, n_trees=20, depth=3).fit(frame, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    everything = pd.DataFrame(list(itertools.product(*RANGES.values())), columns=list(RANGES))
    good = everything[(model.predict(everything) == 1) & (everything.a + everything.c <= 8)]
    rows = frame[(model.predict(frame) != 1) & (frame.d > 0)][:12]
    # some rows are outside of a bound: they may stay there, or come nearer to it
    bounds = {name: (min(some), max(some)) for name, some in RANGES.items()} | {"d": (0, 2)}
    rules = ew.Constraints(max_changes=most, bounds=bounds, linear=["a + c <= 8"], min_change="any", step="any")
    answers = explainer.explain(rows, 1, constraints=rules)
    assert (rows.d > 2).any()
    n_infeasible = 0
    for (_, row), answer in zip(rows.iterrows(), answers):
        near = good[((good != row).sum(axis=1) <= most) & (good.d <= max(2, row.d))]
        nearest = np.abs(near - row) @ explainer.distance_.weights
        n_infeasible += len(near) == 0
        assert answer.status == ("optimal" if len(near) else "infeasible")
        if len(near):
            np.testing.assert_allclose(answer.distance, nearest.min(), rtol=1e-9)
            assert answer.lower_bound <= nearest.min() * (1 + 1e-12)
    assert n_infeasible < len(rows)


@pytest.mark.parametrize("most", [1, 2])
def test_choices_find_what_counting_finds(monkeypatch, most):
    frame, y = whole_table(5)
    model = classifier("forest", 0, n_trees=12, depth=3).fit(frame, y)
    density = ew.GaussianMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=0.3, learn_rules=False).fit(frame, y)
    rows, rules = frame[model.predict(frame) != 1][:8], ew.Constraints(max_changes=most)
    chosen = explainer.explain(rows, 1, constraints=rules)
    monkeypatch.setattr(domain_branching, "MOST_CHOICES", 0)
    counted = explainer.explain(rows, 1, constraints=rules)
    assert set(chosen.statuses) <= {"optimal", "infeasible"}
    for one, other in zip(chosen, counted):
        assert other.status in (one.status, "unknown", "feasible")
        if one.found and other.status == "optimal":
            np.testing.assert_allclose(one.distance, other.distance, rtol=1e-6)
        if one.found:
            assert len(one.changes) <= most


def test_several_answers_with_one_change_each():
    frame, y = whole_table(6)
    model = classifier("forest", 0, n_trees=20, depth=4).fit(frame, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, y)
    everything = pd.DataFrame(list(itertools.product(*RANGES.values())), columns=list(RANGES))
    good = everything[model.predict(everything) == 1]
    bounds = {name: (min(some), max(some)) for name, some in RANGES.items()}
    rules = ew.Constraints(max_changes=1, bounds=bounds, min_change="any", step="any")
    rows = frame[model.predict(frame) != 1][:10]
    n_second = 0
    for place, (_, row) in enumerate(rows.iterrows()):
        near = good[(good != row).sum(axis=1) == 1]
        away = np.abs(near - row) @ explainer.distance_.weights
        of_columns = sorted(
            float(away[near[name] != row[name]].min()) for name in RANGES if (near[name] != row[name]).any()
        )
        answers = explainer.explain(rows.iloc[[place]], 1, constraints=rules, n_counterfactuals=2, diversity="columns")
        found = [one.distance for one in answers if one.found]
        np.testing.assert_allclose(found, of_columns[:2], rtol=1e-9)
        n_second += len(found) == 2
    assert n_second > 0
