"""Bounds of many prototypes: never above those of all pairs, inside where these are, and the same answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.search.relaxations.polyhedra import cover as cover_module
from elsewise.search.relaxations.polyhedra.bounds import SharedBounds, polyhedron_bounds, shared_bounds
from fitted_models import random_data

MARGIN = 1e-12


def customers(n=240, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.normal(3.0, 1.0, n).round(2),
            "years": rng.integers(0, 12, n),
            "job": rng.choice(["clerk", "nurse", "smith"], n),
        }
    )
    score = frame["income"] + 0.3 * frame["years"] + (frame["job"] == "smith") - 4.5 + rng.normal(0, 0.5, n)
    return frame, np.where(score > 0, "yes", "no")


def neighbours(kind):
    """Data, and a model of one nearest neighbour: of numbers, or of a table with whole numbers and categories."""
    if kind == "numbers":
        X, y = random_data(3, seed=1)
        return X, y, KNeighborsClassifier(n_neighbors=1).fit(X, y)
    frame, y = customers()
    columns = make_column_transformer((StandardScaler(), ["income", "years"]), (OneHotEncoder(), ["job"]))
    return frame, y, make_pipeline(columns, KNeighborsClassifier(n_neighbors=1)).fit(frame, y)


def distances_of(kind):
    return ["manhattan", ew.Mahalanobis()] if kind == "numbers" else ["auto"]


@pytest.mark.parametrize("kind", ["numbers", "table"])
def test_bounds_are_never_above_those_of_all_pairs(kind):
    X, y, model = neighbours(kind)
    for distance in distances_of(kind):
        explainer = ew.Explainer(model, density=None, distance=distance).fit(X, y)
        problem, rows = explainer.fitted_.problem(explainer.fitted_.labels), explainer.table_.encode(X)
        rng = np.random.default_rng(0)
        plain = problem.coordinates.points(rows[rng.choice(len(rows), 40)])
        between = (plain[:20] + plain[20:]) / 2
        points = np.vstack([plain, between + rng.normal(scale=0.1, size=between.shape)])
        for goal in problem.goals:
            every, shared = polyhedron_bounds(goal.cover.cells), shared_bounds(goal.cover.cells)
            full, lean = every(points), shared(points)
            assert (lean <= full + MARGIN).all()
            assert (lean > 0).any()
            # nearest cells are found, and nearly all of what all pairs say is said of them
            nearest = full.argmin(axis=1)
            assert (lean[np.arange(len(points)), nearest] <= full.min(axis=1) + MARGIN).all()
            depths, told = every.depth(points), shared.depth(points)
            clear = np.abs(depths.max(axis=1)) > 1e-9
            np.testing.assert_array_equal((depths.max(axis=1) > 0)[clear], (told.max(axis=1) > 0)[clear])
            # what is told is of one cell, by some of its half-spaces: all of them if there are few
            of_cell = depths[np.arange(len(points)), told.argmax(axis=1)]
            assert (told.max(axis=1) >= of_cell - MARGIN).all()
            assert len(goal.cover.cells.offsets) > 64 or np.allclose(told.max(axis=1), of_cell, atol=1e-12)
            assert shared.n_entries < every.n_entries


@pytest.mark.parametrize("density", [False, True], ids=["plain", "dense"])
@pytest.mark.parametrize("kind", ["numbers", "table"])
def test_answers_are_the_same_with_and_without_all_pairs(kind, density, monkeypatch):
    X, y, model = neighbours(kind)
    chosen = None
    if density:
        made = ew.GaussianMixtureDensity if kind == "numbers" else ew.MixedMixtureDensity
        chosen = made(n_components=2, random_state=0)
    rows = X[:12] if kind == "numbers" else X.iloc[:12]
    for distance in distances_of(kind):
        settings = {"density": chosen, "distance": distance, "threshold": 0.2}
        expected = ew.Explainer(model, **settings).fit(X, y).explain(rows)
        with monkeypatch.context() as patched:
            patched.setattr(cover_module, "MOST_PAIRS_LISTED", 0)
            explainer = ew.Explainer(model, **settings).fit(X, y)
            goals = explainer.fitted_.problem(explainer.fitted_.labels).goals
            assert all(isinstance(goal.cover.closed_form, SharedBounds) for goal in goals)
            answers = explainer.explain(rows)
        np.testing.assert_array_equal(answers.statuses, expected.statuses)
        np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-9)
        np.testing.assert_allclose(answers.lower_bounds, expected.lower_bounds, rtol=1e-6)


def test_equal_prototypes_of_two_classes_touch():
    """A row that both classes have: its cell is a tie, which bounds must not shut out or take for inside."""
    X, y = random_data(2, seed=1)
    X, y = np.vstack([X, X[:1]]), np.append(y, y[1])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for goal in explainer.fitted_.problem(explainer.fitted_.labels).goals:
        points = explainer.fitted_.problem(explainer.fitted_.labels).coordinates.points(X[:5])
        full, lean = polyhedron_bounds(goal.cover.cells), shared_bounds(goal.cover.cells)
        assert (lean(points) <= full(points) + MARGIN).all()
        told, depths = lean.depth(points), full.depth(points)
        of_cell = depths[np.arange(len(points)), told.argmax(axis=1)]
        np.testing.assert_allclose(told.max(axis=1), of_cell, atol=1e-12)
