"""Thresholds that are equal, neighbours, denormal, infinite or a negative zero, put into models of every library.

The libraries decide: a region holds exactly the rows that ``predict`` says, on thresholds, one float off, and where 32
bits round. Cells of the search say the same as rows of numbers.
"""

from __future__ import annotations

import copy
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import elsewise as ew
from elsewise.fitted.space import space_of
from elsewise.models import Label, region_of
from elsewise.pipeline import AffineMap
from search.relaxations.tree_sums.small_ensembles import classifier

# scikit-learn adds up all numbers to see whether they are finite
pytestmark = pytest.mark.filterwarnings("ignore:(invalid value|overflow) encountered in reduce:RuntimeWarning")
LARGEST = float(np.finfo(np.float32).max)
SPECIAL = [
    0.0, -0.0, 5e-324, -5e-324, 1e-310, -2.2250738585072014e-308, 1.401298464324817e-45, -1.401298464324817e-45, 7e-46,
    1.1754943508222875e-38, 1e-35, 1.0000000180025095e-35, -1e-35, 0.1, float(np.float32(0.1)), 1.0, 1.0 + 2**-52,
    1.0 + 2**-23, 1.0 + 2**-24, 1.0 - 2**-25, 16777217.0, 1e30, LARGEST, -LARGEST,
]  # fmt: skip
numbers = st.one_of(
    st.sampled_from(SPECIAL),
    st.floats(-LARGEST, LARGEST, allow_nan=False),
    st.floats(-LARGEST, LARGEST, width=32, allow_nan=False),
)
# few different ones for many nodes: equal thresholds are the rule
thresholds = st.lists(numbers, min_size=2, max_size=5)


def trained(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = ((X[:, 0] + X[:, 1] > 0) ^ (X[:, 0] > 1)).astype(int)
    return classifier(name, n_trees=4, depth=2).fit(X, y)


MODELS: dict[str, object] = {}


def with_thresholds(name, drawn):
    """A copy of a small model whose thresholds are the drawn ones, in turn."""
    if name not in MODELS:
        MODELS[name] = trained(name)  # skips where the library is not installed
    model = copy.deepcopy(MODELS[name])
    turn = iter(np.resize(drawn, 1000))
    if name in ("forest", "extra trees", "boosting"):
        for estimator in np.ravel(model.estimators_):
            tree = estimator.tree_
            for node in np.flatnonzero(tree.children_left >= 0):
                tree.threshold[node] = next(turn)
        return model
    if name == "histograms":
        for iteration in model._predictors:
            for predictor in iteration:
                for node in np.flatnonzero(predictor.nodes["is_leaf"] == 0):
                    predictor.nodes["num_threshold"][node] = next(turn)
        return model
    if name == "xgboost":
        written = json.loads(model.get_booster().save_raw("json"))
        for tree in written["learner"]["gradient_booster"]["model"]["trees"]:
            for node in np.flatnonzero(np.array(tree["left_children"]) >= 0):
                tree["split_conditions"][node] = float(np.float32(next(turn)))
        model.load_model(bytearray(json.dumps(written).encode()))
        return model
    import lightgbm

    # treelite does not read denormal numbers, which LightGBM, to which they are zero, never writes
    tiny = np.finfo(np.float64).tiny
    turn = (0.0 if abs(value) < tiny else value for value in turn)

    def line(match):
        return "threshold=" + " ".join(repr(float(next(turn))) for _ in match[1].split())

    text = re.sub(r"^threshold=(.*)$", line, model.booster_.model_to_string(), flags=re.MULTILINE)
    text = re.sub(r"^tree_sizes=.*\n", "", text, flags=re.MULTILINE)  # lengths of texts, which have changed
    model._Booster = lightgbm.Booster(model_str=text)
    return model


def beside(drawn):
    """Numbers on thresholds, one float off, where 32-bit floats round to another, and a few more."""
    at = np.unique(np.concatenate([drawn, [0.0, 1.0, -1.0]]))
    with np.errstate(over="ignore"):
        single = at.astype(np.float32)
        near = [np.nextafter(single, np.float32(side)).astype(float) for side in (-np.inf, np.inf)]
    single = single.astype(float)
    middles = [(single + other) / 2 for other in near]
    every = np.concatenate([at, single, *near, *middles])
    every = np.concatenate([every, np.nextafter(every, -np.inf), np.nextafter(every, np.inf), [-0.0]])
    return np.unique(every[np.abs(every) <= LARGEST])


@pytest.mark.parametrize("name", ["forest", "extra trees", "boosting", "histograms", "xgboost", "lightgbm"])
@given(thresholds, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_membership_is_what_predict_says(name, drawn, random):
    model = with_thresholds(name, drawn)
    values = beside(drawn)
    rng = np.random.default_rng(random.randrange(2**32))
    Z = rng.choice(values, size=(400, 2))
    Z[: len(values), 0] = Z[len(values) : 2 * len(values), 1] = values
    predicted = model.predict(Z)
    for index in range(2):
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), predicted == index)


@pytest.mark.parametrize("name", ["forest", "histograms", "xgboost", "lightgbm"])
@given(thresholds)
@settings(max_examples=25, deadline=None)
def test_cells_and_answers_are_those_of_predict(name, drawn):
    model = with_thresholds(name, drawn)
    region = region_of(model, Label(1))
    distance = ew.Manhattan().resolve(np.zeros((1, 2)))
    space = space_of(AffineMap(np.eye(2), np.zeros(2)), distance, np.zeros(2))
    indexed = region.cover(space).indexed
    if indexed is None:
        assert not region.parts()
        return
    places = [np.arange(*indexed.first_cell[i : i + 2]) for i in range(2)]
    grid = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, 2)
    cells = np.ascontiguousarray(grid - indexed.first_cell[:2], dtype=np.int32)
    accepted = indexed.forest.accepts(cells)
    for ends in (np.maximum(indexed.low, -LARGEST), np.minimum(indexed.high, LARGEST)):
        corner = ends[grid]
        inside = ((corner >= indexed.low[grid]) & (corner <= indexed.high[grid])).all(axis=1)
        np.testing.assert_array_equal(model.predict(corner[inside]) == 1, accepted[inside])
    assert (np.diff(indexed.low[places[0]]) > 0).all()
    row, most = np.array([-1.0, 2.0]), 1e38  # numbers must be so for 32 bits to hold them
    limits = ew.Constraints(bounds={"x0": (-most, most), "x1": (-most, most)})
    X = np.random.default_rng(1).normal(size=(20, 2))
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, X[:, 0] > 0)
    (answer,) = explainer.explain(row[None], 1, constraints=limits)
    first, last = np.maximum(indexed.low, -most)[grid], np.minimum(indexed.high, most)[grid]
    good = np.clip(row, first, last)[accepted & (first <= last).all(axis=1)]
    best = np.abs(good - row).sum(axis=1).min(initial=np.inf)
    if np.isinf(best):
        assert answer.status == "infeasible"
        return
    assert answer.status == "optimal"
    assert model.predict(answer.counterfactual[None])[0] == 1
    np.testing.assert_allclose(answer.distance, best, rtol=1e-12, atol=1e-300)
    assert answer.lower_bound <= best * (1 + 1e-12)


def test_infinite_thresholds_send_all_numbers_one_way():
    for name in ("forest", "histograms"):
        model = with_thresholds(name, [np.inf, 0.5, -np.inf])
        Z = np.array([[a, b] for a in (-LARGEST, -1.0, 0.5, 0.6, LARGEST) for b in (-3.0, 0.5, 0.7)])
        for index in range(2):
            np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), model.predict(Z) == index)


@pytest.mark.parametrize("name", ["forest", "extra trees", "boosting", "bagging", "adaboost"])
def test_numbers_beyond_32_bits_are_refused_with_a_reason(name):
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    model = classifier(name).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for value, message in (
        (-3.5e38, r"the model reads 32-bit floats\): received -3.5e\+38 in row 0"),
        (np.inf, "Replace inf"),
    ):
        with pytest.raises(ew.InvalidInputError, match=message):
            explainer.explain(np.array([[value, 0.0]]), 1)


@pytest.mark.parametrize("threshold", [0.0, -0.0, 1e-35, -1e-35, 1e-34, -1e-34, 0.5, -0.5])
def test_a_missing_value_goes_where_zero_goes_in_lightgbm_that_met_none(threshold):
    model = with_thresholds("lightgbm", [threshold])
    Z = np.array([[np.nan, 0.3], [0.3, np.nan], [np.nan, -0.7], [-0.7, np.nan], [np.nan, np.nan], [0.0, 0.0]])
    predicted = model.predict(Z)
    np.testing.assert_array_equal(predicted[4], predicted[5])
    for index in range(2):
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), predicted == index)
