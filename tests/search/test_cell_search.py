"""The search alone: against enumeration, with cutoffs, bans, time limits and without the model."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.fitted import space_of
from elsewise.models import Label, polyhedron, union
from elsewise.pipeline.affine import AffineMap
from elsewise.search import compile_problem, search_cells
from fitted_models import FAMILIES, reference_cell, reference_cones, reference_distance
from reference import project_reference


def explained(name, *, density, distance="manhattan", seed=1):
    family = next(family for family in FAMILIES if str(family) == name)
    model, X, y = family.fitted(seed=seed)
    return ew.Explainer(model, density=density, distance=distance).fit(X, y), X


def problem_of(explainer):
    """Search problem of all labels."""
    return explainer.fitted_.problem(explainer.fitted_.labels)


def boxes(centres, half):
    """Union of cubes."""
    d = centres.shape[1]
    A = np.vstack([np.eye(d), -np.eye(d)])
    return union([(A, np.concatenate([c + half, half - c])) for c in centres], n_features=d)


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("name", ["softmax", "gmlvq", "tree", "1-nn", "pca softmax"])
def test_goals_can_be_mixed(name, distance):
    explainer, X = explained(name, density=ew.GaussianMixtureDensity(n_components=2), distance=distance)
    rows = X[:12]
    goal = np.arange(12) % 3
    found = search_cells(problem_of(explainer), rows, goal)
    for g in range(3):
        alone = search_cells(problem_of(explainer), rows[goal == g], np.full(4, g))
        np.testing.assert_array_equal(found.value[goal == g], alone.value)
        np.testing.assert_array_equal(found.lower_bound[goal == g], alone.lower_bound)
        np.testing.assert_array_equal(found.points[goal == g], alone.points)
        np.testing.assert_array_equal(found.n_projections[goal == g], alone.n_projections)
    for x, g, value, bound in zip(rows, goal, found.value, found.lower_bound):
        reference = reference_distance(explainer, x, Label(int(g)))
        if reference > 0:
            np.testing.assert_allclose(value, reference, rtol=1e-6, atol=1e-9)
        assert bound <= reference * (1 + 1e-9) + 1e-9


def test_many_boxes_against_clipping():
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, size=(300, 3))
    distance = ew.Manhattan([1.0, 2.0, 0.5]).resolve(np.zeros((2, 3)))
    problem = compile_problem([(boxes(centres, 0.4), None)], space_of(AffineMap.identity(3), distance, np.zeros(3)))
    X = rng.uniform(-12, 12, size=(40, 3))
    found = search_cells(problem, X, np.zeros(40, dtype=int))
    nearest = np.array([distance(np.clip(x, centres - 0.4, centres + 0.4), x).min() for x in X])
    np.testing.assert_allclose(found.value, nearest, rtol=1e-7, atol=1e-9)
    assert (found.lower_bound <= nearest * (1 + 1e-12)).all()
    # Bounds of boxes are exact in Manhattan distance: hardly more than one box a row is looked at.
    assert found.n_projections.mean() < 3


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2)])
def test_a_cutoff_keeps_what_is_no_better_away(density):
    explainer, X = explained("tree", density=density)
    goal = np.zeros(20, dtype=int)
    rows = X[explainer.model.predict(X) != explainer.classes_[0]][:20]
    free = search_cells(problem_of(explainer), rows, goal)
    above = search_cells(problem_of(explainer), rows, goal, cutoff=free.value * 1.5)
    np.testing.assert_array_equal(above.value, free.value)
    below = search_cells(problem_of(explainer), rows, goal, cutoff=free.value * 0.5)
    assert (below.value == np.inf).all()
    assert (below.part == -1).all()
    # What was cut off is proven to be at least that far, and no more is claimed than is true.
    assert (below.lower_bound >= free.value * 0.5 * (1 - 1e-8)).all()
    assert (below.lower_bound <= free.value * (1 + 1e-9)).all()
    assert (below.n_projections <= free.n_projections).all()


def test_banned_polyhedra_are_left_out():
    rng = np.random.default_rng(1)
    centres = rng.uniform(-5, 5, size=(20, 2))
    distance = ew.Mahalanobis(np.eye(2)).resolve(np.zeros((2, 2)))
    problem = compile_problem([(boxes(centres, 0.2), None)], space_of(AffineMap.identity(2), distance, np.zeros(2)))
    X = rng.uniform(-6, 6, size=(10, 2))
    goal = np.zeros(10, dtype=int)
    first = search_cells(problem, X, goal)
    banned = np.zeros((10, 20), dtype=bool)
    banned[np.arange(10), first.part] = True
    second = search_cells(problem, X, goal, banned=banned)
    each = np.array([distance(np.clip(x, centres - 0.2, centres + 0.2), x) for x in X])
    np.testing.assert_allclose(first.value, np.sort(each, axis=1)[:, 0], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(second.value, np.sort(each, axis=1)[:, 1], rtol=1e-6, atol=1e-12)
    everything = search_cells(problem, X, goal, banned=np.ones((10, 20), dtype=bool))
    assert (everything.value == np.inf).all()


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
def test_without_the_model_it_is_the_nearest_dense_point(distance):
    explainer, X = explained("softmax", density=ew.GaussianMixtureDensity(n_components=3), distance=distance)
    goal = np.full(10, 1)
    free = search_cells(problem_of(explainer), X[:10], goal, use_region=False)
    full = search_cells(problem_of(explainer), X[:10], goal)
    everywhere = np.empty((0, 4)), np.empty(0)
    for i, x in enumerate(X[:10]):
        cones = reference_cones(explainer, Label(1))
        value = min(reference_cell(explainer.distance_, x, np.eye(4), np.zeros(4), everywhere, cone) for cone in cones)
        np.testing.assert_allclose(free.value[i], value, rtol=1e-6, atol=1e-8)
        assert full.lower_bound[i] >= free.lower_bound[i] * (1 - 1e-9)
        # model_free says that the model made no difference
        if full.model_free[i]:
            np.testing.assert_allclose(full.value[i], free.value[i], rtol=1e-7, atol=1e-12)
        else:
            assert full.value[i] > free.value[i] * (1 - 1e-9)
    assert free.model_free.all()


@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_stops_rows_that_have_a_point():
    explainer, X = explained("1-nn", density=ew.KernelDensity())
    goal = np.zeros(len(X), dtype=int)
    hurried = search_cells(problem_of(explainer), X, goal, time_limit=1e-12)
    patient = search_cells(problem_of(explainer), X, goal)
    assert (np.isfinite(hurried.value) == np.isfinite(patient.value)).all()
    assert (hurried.lower_bound <= patient.value).all()
    assert (hurried.value >= patient.lower_bound).all()
    assert (hurried.n_projections <= patient.n_projections).all()
    assert hurried.n_projections.sum() < patient.n_projections.sum()


def test_empty_goals():
    distance = ew.Manhattan().resolve(np.zeros((2, 2)))
    nothing = union([], n_features=2)
    nowhere = polyhedron([[1.0, 0.0], [-1.0, 0.0]], [0.0, -1.0])  # x0 <= 0 and x0 >= 1
    problem = compile_problem(
        [(nothing, None), (nowhere, None)], space_of(AffineMap.identity(2), distance, np.zeros(2))
    )
    found = search_cells(problem, np.ones((4, 2)), np.array([0, 1, 0, 1]))
    assert (found.value == np.inf).all()
    assert (found.lower_bound == np.inf).all()
    assert (found.part == -1).all()
    assert found.n_projections.tolist()[::2] == [0, 0]


def test_no_goals_and_no_rows():
    distance = ew.Manhattan().resolve(np.zeros((2, 2)))
    problem = compile_problem([], space_of(AffineMap.identity(2), distance, np.zeros(2)))
    assert problem.goals == ()
    assert problem.cells.n_polyhedra == 0
    problem = compile_problem(
        [(polyhedron([[1.0, 0.0]], [0.0]), None)], space_of(AffineMap.identity(2), distance, np.zeros(2))
    )
    assert len(search_cells(problem, np.empty((0, 2)), np.empty(0, dtype=int)).value) == 0


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
def test_the_margin_is_kept_and_costs_little(distance):
    explainer, X = explained("lda", density=None, distance=distance)
    rows = X[explainer.model.predict(X) != explainer.classes_[1]][:15]
    goal = np.ones(15, dtype=int)
    region = problem_of(explainer).goals[1].cover.region
    for margin in (1e-8, 1e-5):
        found = search_cells(problem_of(explainer), rows, goal, margin=margin)
        assert (region.slacks(found.points)[:, 0] > 0).all()
        tight = search_cells(problem_of(explainer), rows, goal, margin=0.0)
        power = 1 if distance == "manhattan" else 2
        assert (found.value >= tight.lower_bound).all()
        # Slanted faces make a margin dearer than itself, but not by orders of magnitude.
        assert (found.value <= tight.value * (1 + 100 * power * margin)).all()
        assert (found.lower_bound <= tight.value * (1 + 1e-12)).all()


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6])
def test_a_great_offset_does_not_matter(shift):
    # The same problem far away from the origin has the same optimum, up to the rounding of the rows.
    rng = np.random.default_rng(0)
    a, X = rng.normal(size=4), rng.normal(size=(5, 4)) + shift
    distance = ew.Manhattan().resolve(X)
    problem = compile_problem(
        [(polyhedron(a[None], [a @ X[0] - 2.0]), None)], space_of(AffineMap.identity(4), distance, X.mean(axis=0))
    )
    found = search_cells(problem, X[:1], np.zeros(1, dtype=int))
    _, value, _ = project_reference(np.zeros(4), weights=np.ones(4), A=a[None], b=np.array([-2.0]))
    np.testing.assert_allclose(found.value[0], value, rtol=1e-6)
