"""What regions of sums, and answers from them, are held against: the model's own predict, and everything on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import elsewise as ew
from elsewise.arrays import BoolArray, FloatArray
from elsewise.models import Outcome, region_of
from models.contract import boundary_pairs, wanted_mask


def assert_sums_agree(model: Any, outcome: Outcome, Z: FloatArray) -> FloatArray:
    """The region says what predict says, next to the boundary, too; gives points there."""
    region, wanted = region_of(model, outcome), wanted_mask(model, outcome, Z)
    assert 0 < wanted.sum() < len(Z)
    np.testing.assert_array_equal(region.accepts(Z), wanted)
    inside, outside = boundary_pairs(model, outcome, Z)
    towards = Z[wanted][: len(inside)] - Z[~wanted][: len(inside)]
    for points, held in ((inside + 1e-7 * towards, True), (outside - 1e-7 * towards, False)):
        clear = wanted_mask(model, outcome, points) == held  # another boundary may be as near
        assert clear.mean() > 0.9
        assert (region.accepts(points)[clear] == held).all()
    return inside


def assert_nothing_on_a_grid_is_nearer(
    explainer: ew.Explainer,
    X: FloatArray,
    rows: FloatArray,
    answers: ew.Explanations,
    accepts: Callable[[FloatArray], BoolArray],
    side: int = 400,
) -> None:
    """No accepted and dense point of a fine grid in the plane is nearer than what is proven, nor than what is found."""
    sides = [np.linspace(a - 1, b + 1, side) for a, b in zip(X.min(axis=0), X.max(axis=0))]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    good = accepts(grid)
    good &= explainer.log_density(grid, "right") >= explainer.densities_["right"].log_threshold_
    for x, distance, bound in zip(rows, answers.distances, answers.lower_bounds):
        nearest = explainer.distance_(grid[good], np.repeat(x[None], good.sum(), axis=0)).min()
        assert bound <= nearest * (1 + 1e-9)
        assert distance <= nearest * (1 + 1e-9)
