"""A region that is no union of polyhedra, through the whole library: the contract carries everything.

Answers are compared with lists of all whole rows, and with a fine walk along the circles for numbers.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
import odd_region
from bits import assert_same_bits
from odd_region import Ring

SIDE = 9
COLOURS = ["blue", "green", "red"]


@pytest.fixture(scope="module")
def numbers():
    """Explainer of a ring in the plane, without a density, and rows outside of it, in its hole and beyond."""
    X = np.random.default_rng(0).normal(scale=3, size=(200, 2))
    model = Ring(inner=1.5, outer=2.5, centre=(0.5, -0.3)).fit(X)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan([1.0, 1.7])).fit(X, model.predict(X))
    rows = X[model.predict(X) == "out"][:25]
    return explainer, rows


@pytest.fixture(scope="module")
def table():
    """Explainer of a ring that moves with a category, over whole numbers; and all rows there are."""
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        {
            "across": rng.integers(0, SIDE, 300),
            "up": rng.integers(0, SIDE, 300),
            "colour": rng.choice(COLOURS, 300),
        }
    )
    encode = make_column_transformer((StandardScaler(), ["across", "up"]), (OneHotEncoder(), ["colour"]))
    ring = Ring(0.9, 1.35, (0.2, -0.1), map=[[1.0, 0.2, 0.0, 0.5, -0.4], [0.0, 1.0, 0.0, -0.3, 0.6]])
    model = make_pipeline(encode, ring)
    model.fit(rows)
    labels = model.predict(rows)
    assert 60 < (labels == "in").sum() < 240
    explainer = ew.Explainer(model, learn_rules=False, condition_on_fixed=False).fit(rows, labels)
    everything = pd.DataFrame(
        list(itertools.product(range(-2, SIDE + 2), range(-2, SIDE + 2), COLOURS)), columns=rows.columns
    )
    return explainer, rows[labels == "out"].reset_index(drop=True), everything


def along_the_circles(explainer, x, weights):
    """Distance to the ring by a fine walk along both circles, refined around the best place."""
    model, best = explainer.model, np.inf
    for radius in (model.inner, model.outer):
        low, high = 0.0, 2 * np.pi
        for _ in range(6):
            angles = np.linspace(low, high, 20_001)
            points = np.asarray(model.centre) + radius * np.column_stack([np.cos(angles), np.sin(angles)])
            values = (np.abs(points - x) * weights).sum(axis=1)
            place, step = angles[values.argmin()], angles[1] - angles[0]
            best, low, high = min(best, values.min()), place - 2 * step, place + 2 * step
    return best


def listed(explainer, everything, row, target, *, keep=None, dense=True):
    """All rows that are answers for a row, nearest first, with their distances; judged by model and density alone."""
    said = explainer.model.predict(everything) == target
    density = explainer.densities_[target]
    good = said & (explainer.log_density(everything, target) >= density.log_threshold_ if dense else True)
    good &= True if keep is None else keep(everything, row)
    points = everything[good]
    encoded = explainer.table_.encode(points)
    distance = explainer.distance_(encoded, explainer.table_.encode(row.to_frame().T.astype(everything.dtypes)))
    order = np.argsort(distance, kind="stable")
    return points.iloc[order], distance[order]


def test_numbers_against_a_walk_along_the_circles(numbers):
    explainer, rows = numbers
    answers = explainer.explain(rows, target="in")
    assert set(answers.statuses) == {"optimal"}
    assert (explainer.model.predict(answers.counterfactuals) == "in").all()
    for x, distance, bound in zip(rows, answers.distances, answers.lower_bounds):
        nearest = along_the_circles(explainer, x, explainer.distance_.weights)
        np.testing.assert_allclose(distance, nearest, rtol=2e-6)
        assert bound <= nearest * (1 + 1e-9)


def test_a_region_that_knows_no_more_leaves_an_honest_bound(numbers, monkeypatch):
    explainer, rows = numbers
    monkeypatch.setattr(odd_region, "SMALLEST_SECTOR", 1.0)  # sectors are hardly divided: chords stay loose
    answers = explainer.explain(rows, target="in")
    assert (answers.statuses != "optimal").any()
    for x, bound in zip(rows, answers.lower_bounds):
        assert bound <= along_the_circles(explainer, x, explainer.distance_.weights) * (1 + 1e-9)


def test_the_complement_has_a_hole_and_an_outside(numbers):
    explainer, _ = numbers
    rng = np.random.default_rng(3)
    angle, radius = rng.uniform(0, 2 * np.pi, 20), rng.uniform(1.5, 2.5, 20)
    rows = np.asarray(explainer.model.centre) + (radius * np.array([np.cos(angle), np.sin(angle)])).T
    answers = explainer.explain(rows, target="out")
    assert set(answers.statuses) == {"optimal"}
    length = explainer.model.length(answers.counterfactuals)
    assert (length < 2.0).any()
    assert (length > 2.0).any()
    for x, distance in zip(rows, answers.distances):
        np.testing.assert_allclose(distance, along_the_circles(explainer, x, explainer.distance_.weights), rtol=2e-6)


def test_a_row_has_the_same_bits_alone_and_in_a_batch(numbers, table):
    for explainer, rows in (numbers, table[:2]):
        together = explainer.explain(rows[:12], target="in")
        for place in range(0, 12, 5):
            assert_same_bits(together[place : place + 1], explainer.explain(rows[place : place + 1], target="in"))


def test_a_density_on_top(numbers):
    plain, rows = numbers
    X = np.random.default_rng(0).normal(scale=3, size=(200, 2))
    density = ew.GaussianMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(plain.model, density=density, distance=ew.Manhattan([1.0, 1.7]))
    explainer.fit(X, plain.model.predict(X))
    answers = explainer.explain(rows, target="in")
    nearer = plain.explain(rows, target="in")
    assert set(answers.statuses) == {"optimal"}
    assert (explainer.log_density(answers.counterfactuals, "in") >= explainer.densities_["in"].log_threshold_).all()
    assert (answers.distances >= nearer.lower_bounds * (1 - 1e-9)).all()
    assert (answers.distances > nearer.distances * 1.01).any()
    # a fine grid of the plane has no nearer point that is both in the ring and dense
    grid = np.stack(np.meshgrid(np.linspace(-5, 5, 601), np.linspace(-5, 5, 601)), axis=-1).reshape(-1, 2)
    good = explainer.model.predict(grid) == "in"
    good &= explainer.log_density(grid, "in") >= explainer.densities_["in"].log_threshold_
    for x, bound, distance in zip(rows, answers.lower_bounds, answers.distances):
        nearest = explainer.distance_(grid[good], x[None]).min()
        assert bound <= nearest * (1 + 1e-9)
        assert distance <= nearest * (1 + 1e-6)


def test_whole_numbers_and_categories_against_the_list(table):
    explainer, rows, everything = table
    answers = explainer.explain(rows[:40], target="in")
    assert set(answers.statuses) == {"optimal"}
    for answer, (_, row) in zip(answers, rows[:40].iterrows()):
        _, distances = listed(explainer, everything, row, "in")
        np.testing.assert_allclose(answer.distance, distances[0], rtol=1e-9)
        assert answer.lower_bound <= distances[0] * (1 + 1e-12)
        assert explainer.model.predict(answer.counterfactual.to_frame().T.astype(rows.dtypes))[0] == "in"


RULES = {
    "immutable": (ew.Constraints(immutable=["colour"]), lambda all_rows, row: all_rows.colour == row.colour),
    "monotone": (ew.Constraints(monotone={"up": "increase"}), lambda all_rows, row: all_rows.up >= row.up),
    "bounds": (ew.Constraints(bounds={"across": (0, SIDE)}), lambda all_rows, row: all_rows.across.between(0, SIDE)),
    "linear": (
        ew.Constraints(linear=["across + up <= 18"]),
        lambda all_rows, row: all_rows.across + all_rows.up <= 18,
    ),
    "max_changes": (
        ew.Constraints(max_changes=1),
        lambda all_rows, row: (all_rows != row).sum(axis=1) <= 1,
    ),
}


@pytest.mark.parametrize("kind", RULES)
def test_rules_against_the_list(table, kind):
    explainer, rows, everything = table
    constraints, keep = RULES[kind]
    answers = explainer.explain(rows[:25], target="in", constraints=constraints)
    for answer, (_, row) in zip(answers, rows[:25].iterrows()):
        points, distances = listed(explainer, everything, row, "in", keep=keep)
        if len(points) == 0:
            assert answer.status == "infeasible"
            assert answer.lower_bound == np.inf
        else:
            assert answer.status == "optimal"
            np.testing.assert_allclose(answer.distance, distances[0], rtol=1e-9)


def test_several_answers_differ_in_a_column_or_a_component(table):
    explainer, rows, everything = table
    several = explainer.explain(rows[:8], target="in", n_counterfactuals=3, diversity="columns")
    assert (np.bincount(several.rows) > 1).sum() > 3
    for number in range(8):
        mine = [several[place] for place in np.flatnonzero(several.rows == number)]
        distances = [answer.distance for answer in mine]
        assert distances == sorted(distances)
        assert all(answer.status == "optimal" for answer in mine)
        for first, second in itertools.combinations(mine, 2):
            leaves_one_alone = (first.changed & ~second.changed).any()
            assert leaves_one_alone or not (first.counterfactual == second.counterfactual).all()
        # nothing nearer than the second leaves a column of the first alone
        if len(mine) > 1:
            points, listed_distances = listed(explainer, everything, rows.iloc[number], "in")
            changed = (points != rows.iloc[number]).to_numpy()
            differs = ~changed[:, mine[0].changed].all(axis=1)
            if differs.any():
                assert mine[1].distance <= listed_distances[differs].min() * (1 + 1e-9)


def test_frontier_and_why_not(table):
    explainer, rows, everything = table
    row = rows.iloc[0]
    frontier = explainer.frontier(row, "in", [0.1, 0.5, 0.8])
    for quantile, answer in zip(frontier.quantiles, frontier.explanations):
        other = explainer.with_threshold(float(quantile))
        _, distances = listed(other, everything, row, "in")
        if len(distances):
            np.testing.assert_allclose(answer.distance, distances[0], rtol=1e-9)
        else:
            assert answer.status == "infeasible"
    stays = ew.Constraints(immutable=["across", "up", "colour"])
    why = explainer.why_not(row, "in", stays)
    assert why.reason == "rules"
    for relief in why.reliefs:
        again = explainer.explain_one(row, "in", constraints=relief.constraints)
        np.testing.assert_allclose(again.distance, relief.distance, rtol=1e-9)


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_leaves_a_point_and_an_honest_bound(numbers):
    explainer, rows = numbers
    hurried, patient = explainer.explain(rows, "in", time_limit=1e-9), explainer.explain(rows, "in")
    assert (hurried.statuses != "infeasible").all()
    assert (explainer.model.predict(hurried.counterfactuals) == "in").all()
    assert (hurried.lower_bounds <= patient.distances * (1 + 1e-9)).all()
    assert (hurried.distances >= patient.lower_bounds * (1 - 1e-9)).all()


def test_saved_and_loaded(table, tmp_path):
    explainer, rows, _ = table
    explainer.save(tmp_path / "ring.ew")
    assert_same_bits(ew.load(tmp_path / "ring.ew").explain(rows[:5], "in"), explainer.explain(rows[:5], "in"))


def test_mahalanobis_is_refused_with_advice(numbers):
    explainer, rows = numbers
    other = ew.Explainer(explainer.model, density=None, distance="mahalanobis")
    other.fit(rows, explainer.model.predict(rows))
    with pytest.raises(ew.InvalidInputError, match="sum over columns"):
        other.explain(rows[:1], "in")
