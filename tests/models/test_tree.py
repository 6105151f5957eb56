"""Regions of decision trees against the models' own predict, to the last bit of the limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from elsewise.errors import InvalidInputError, UnsupportedSettingError
from elsewise.models import Interval, Label, builder_of, region_of
from elsewise.models.tree import tree_classifier_region, tree_regressor_region
from elsewise.search.relaxations.tree_sums.trees import cast_limits
from models.contract import assert_contract, assert_region_agrees, blobs, wanted_mask

LABELS = [["no", "yes"], [False, True], [-3, 7], ["a", "b", "c"], [5, 1, 9, 2]]
CLASSIFIERS = [
    DecisionTreeClassifier(random_state=0),
    DecisionTreeClassifier(max_depth=3, class_weight="balanced", random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=9, random_state=0),
    DecisionTreeClassifier(ccp_alpha=0.01, random_state=0),
    ExtraTreeClassifier(random_state=0),
]
LARGEST = float(np.finfo(np.float32).max)


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_every_class_agrees_with_predict(model, labels):
    X, y, Z = blobs(len(labels), labels=labels)
    model.fit(X, y)
    for index in range(len(labels)):
        assert_contract(model, Label(index), Z)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(random_state=0), ExtraTreeRegressor(random_state=0)], ids=str)
@pytest.mark.parametrize("interval", [(-0.5, 0.5), (-np.inf, 0.3), (0.3, np.inf)])
def test_interval_agrees_with_predict(model, interval):
    X, _, Z = blobs(2)
    model.fit(X, np.sin(X[:, 0]) + 0.3 * X[:, 1])
    assert_contract(model, Interval(*interval), Z)


def test_interval_ends_are_included_as_predict_returns_them():
    X, _, Z = blobs(2)
    model = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] / 3)
    for value in np.unique(model.predict(X)):
        region = region_of(model, Interval(value, value))
        np.testing.assert_array_equal(region.accepts(Z), model.predict(Z) == value)
        assert not region_of(model, Interval(np.nextafter(value, np.inf), np.nextafter(value, np.inf))).n_polyhedra


def test_each_family_has_its_builder():
    assert {builder_of(model) for model in CLASSIFIERS} == {tree_classifier_region}
    assert builder_of(ExtraTreeRegressor()) is builder_of(DecisionTreeRegressor()) is tree_regressor_region


# --- the cast to 32 bits ---------------------------------------------------------------------------------------------


def thresholds(seed=0):
    rng = np.random.default_rng(seed)
    single = (rng.normal(size=200) * 10.0 ** rng.integers(-30, 30, size=200)).astype(np.float32)
    above = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
    single = single.astype(np.float64)
    special = [0.0, -0.0, 1.0, -1.0, 0.1, 1e-46, -1e-46, 1.4e-45, LARGEST, -LARGEST, 2.0**24 + 1]
    return np.concatenate([single, (single + above) / 2, np.nextafter(above, single), rng.normal(size=200), special])


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
def test_limit_parts_the_doubles_that_cast_to_either_side():
    t = thresholds()
    m = cast_limits(t)
    finite = np.isfinite(m)
    assert finite.sum() == len(t) - 1  # all but the largest 32-bit float, which nothing exceeds
    below, above = np.nextafter(m, -np.inf)[finite], np.nextafter(m, np.inf)[finite]
    assert (below.astype(np.float32) <= t[finite]).all()
    assert not (above.astype(np.float32) <= t[finite]).any()


def test_thresholds_beyond_the_range_send_everything_to_one_side():
    np.testing.assert_array_equal(cast_limits(np.array([1e300, np.inf, LARGEST])), np.inf)
    np.testing.assert_array_equal(cast_limits(np.array([-1e300, -np.inf, -LARGEST * 1.5])), -np.inf)
    assert np.isfinite(cast_limits(np.array([-LARGEST]))).all()


def test_region_is_exact_in_the_last_bit():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 1)) * 1e3
    model = DecisionTreeClassifier(random_state=0).fit(X, np.arange(300) % 2)
    m = cast_limits(model.tree_.threshold[model.tree_.children_left >= 0])
    assert (m != model.tree_.threshold[model.tree_.children_left >= 0]).any()
    for Z in (np.nextafter(m, -np.inf)[:, None], np.nextafter(m, np.inf)[:, None]):
        for index in (0, 1):
            np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), model.predict(Z) == index)


def test_neighbouring_floats_as_training_values():
    values = [np.float32(1000.1)]
    for _ in range(2):
        values.append(np.nextafter(values[-1], np.float32(np.inf)))
    X = np.array(values)[:, None]
    model = DecisionTreeClassifier().fit(X, ["a", "b", "a"])
    grid = np.linspace(float(X[0, 0]) - 1e-4, float(X[2, 0]) + 1e-4, 4001)[:, None]
    limits = cast_limits(model.tree_.threshold)
    grid = grid[~np.isin(grid[:, 0], limits)]  # there, ties decide
    for index in (0, 1):
        wanted = model.predict(grid) == model.classes_[index]
        assert wanted.any()
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(grid), wanted)


# --- boxes -----------------------------------------------------------------------------------------------------------


def test_leaves_of_all_classes_tile_the_space_without_overlap():
    X, y, Z = blobs(3)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    inside = np.hstack([region_of(model, Label(index)).slacks(Z) >= 0 for index in range(3)])
    assert inside.shape[1] == model.get_n_leaves()
    np.testing.assert_array_equal(inside.sum(axis=1), 1)


def test_rows_are_one_for_each_feature_and_side():
    X, y, _ = blobs(2, n_features=2)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert model.get_depth() > 4
    region = region_of(model, Label(0))
    for i in range(region.n_polyhedra):
        A, _ = region.polyhedron(i)
        assert (np.abs(A).sum(axis=1) == 1).all()
        assert len(np.unique(A, axis=0)) == len(A) <= 4


def test_tree_of_one_leaf_is_everywhere_or_nowhere():
    X, _, Z = blobs(2)
    model = DecisionTreeClassifier().fit(X, np.full(len(X), "only"))
    assert region_of(model, Label(0)).accepts(Z).all()
    stump = DecisionTreeRegressor().fit(X, np.full(len(X), 2.0))
    assert region_of(stump, Interval(1.0, 3.0)).accepts(Z).all()
    assert region_of(stump, Interval(3.0, 4.0)).n_polyhedra == 0
    assert not region_of(stump, Interval(3.0, 4.0)).accepts(Z).any()


def test_class_that_is_never_predicted_has_no_box():
    X = np.arange(10.0)[:, None]
    model = DecisionTreeClassifier(max_depth=1, min_samples_leaf=4).fit(X, [0, 0, 0, 0, 2, 2, 2, 2, 2, 1])
    assert 1 not in model.predict(X)
    assert region_of(model, Label(1)).n_polyhedra == 0


def test_tied_leaf_belongs_to_the_first_class():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = DecisionTreeClassifier().fit(X, ["b", "a", "b", "b"])
    Z = np.array([[-1.0], [2.0]])
    np.testing.assert_array_equal(model.predict(Z), ["a", "b"])
    for index in (0, 1):
        wanted = model.predict(Z) == model.classes_[index]
        np.testing.assert_array_equal(region_of(model, Label(index)).accepts(Z), wanted)


def test_splits_on_missing_values_leave_no_empty_box():
    X, _, Z = blobs(2)
    X[::3, 0] = np.nan
    y = np.isnan(X[:, 0]) + 2 * (np.nan_to_num(X[:, 1]) > 0)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert np.isinf(model.tree_.threshold).any()
    boxes = 0
    for index in range(len(model.classes_)):
        region = region_of(model, Label(index))
        boxes += region.n_polyhedra
        assert np.isfinite(region.offsets).all()
        assert_region_agrees(model, Label(index), Z, wanted_mask(model, Label(index), Z))
    assert boxes < model.get_n_leaves()


@pytest.mark.parametrize("shift", [0.0, 1e-9, 0.5])
def test_leaf_between_limits_that_leave_nothing_is_dropped(shift):
    X = np.array([[1.0], [2.0], [3.0]])
    model = DecisionTreeClassifier(random_state=0).fit(X, ["a", "b", "a"])
    child = max(model.tree_.children_left[0], model.tree_.children_right[0])
    if model.tree_.children_left[0] == child:
        shift = -shift
    model.tree_.threshold[child] = model.tree_.threshold[0] - shift  # the middle leaf cannot be reached any more
    Z = np.linspace(0, 4, 1001)[:, None]
    assert "b" not in model.predict(Z)
    assert region_of(model, Label(1)).n_polyhedra == 0
    assert region_of(model, Label(0)).n_polyhedra == 2
    assert region_of(model, Label(0)).accepts(Z).all()


def test_monotonic_constraints():
    X, y, Z = blobs(2)
    model = DecisionTreeClassifier(monotonic_cst=[1, -1, 0, 0], random_state=0).fit(X, y)
    assert_contract(model, Label(1), Z)


def test_deep_tree():
    X = 1.01 ** np.arange(2000.0)[:, None]  # alternating labels and weights that split off one value at a time
    model = DecisionTreeClassifier(random_state=0).fit(X, np.arange(2000) % 2, sample_weight=2.0 ** -np.arange(2000))
    assert model.get_depth() > 200
    np.testing.assert_array_equal(region_of(model, Label(1)).accepts(X), model.predict(X) == 1)


# --- least probability -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_min_probability_agrees_with_predict_proba(p, n_classes):
    X, y, Z = blobs(n_classes)
    model = DecisionTreeClassifier(min_samples_leaf=6, class_weight={0: 1.5}, random_state=0).fit(X, y)
    for index in range(n_classes):
        assert_contract(model, Label(index, min_probability=p), Z)


@pytest.mark.parametrize("p", [0.0, -1.0, 1.1, float("nan")])
def test_probability_outside_the_interval(p):
    X, y, _ = blobs(2)
    with pytest.raises(InvalidInputError, match=r"min_probability of DecisionTreeClassifier .* 0 < p <= 1, received"):
        region_of(DecisionTreeClassifier().fit(X, y), Label(0, min_probability=p))


# --- refusals --------------------------------------------------------------------------------------------------------


def test_several_outputs_are_refused():
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedSettingError, match="DecisionTreeClassifier predicts 2 outputs"):
        region_of(DecisionTreeClassifier().fit(X, np.column_stack([y, y])), Label(0))
    with pytest.raises(UnsupportedSettingError, match="DecisionTreeRegressor predicts 4 outputs"):
        region_of(DecisionTreeRegressor().fit(X, X), Interval(0.0, 1.0))


def test_targets_of_the_wrong_kind():
    X, y, _ = blobs(2)
    with pytest.raises(InvalidInputError, match="DecisionTreeClassifier is a classifier"):
        region_of(DecisionTreeClassifier().fit(X, y), Interval(0.0, 1.0))
    with pytest.raises(InvalidInputError, match="DecisionTreeRegressor is a regressor"):
        region_of(DecisionTreeRegressor().fit(X, y), Label(0))
