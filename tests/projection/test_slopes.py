"""Slopes of a projection claim no more than holds at a point that is known to be in the cell.

A fixed feature with a weight of 3 and a free one with a tiny weight: what is missing is made up by the free one alone,
at a distance that is known. Where the iteration stalls, the bound comes from a closed form, and slopes must not add to
it.
"""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.projection.cells import Details, PackedCones, Polyhedra, pack
from elsewise.projection.distance import manhattan_coordinates

MISSING = 24.8766


@pytest.mark.parametrize("exponent", range(-14, -3))
def test_slopes_hold_at_a_known_point(exponent):
    weight = 1.37 * 10.0**exponent
    nearest = MISSING / weight
    normals = np.array([[-3.0, -weight, 0.0], [3.0, weight, 0.0]])
    offsets = np.array([-MISSING, MISSING + 2.0])
    cells = pack(
        manhattan_coordinates(np.ones(3), np.zeros(3)),
        Polyhedra(normals, offsets, np.array([[0, 2]])),
        PackedCones.none(3, 3),
    )
    # the free feature may go a little beyond the nearest point, by less and less of the margin
    room = nearest * np.concatenate([np.linspace(0.0, 2e-9, 60), [1e-6, 1.0]])
    n = len(room)
    lower = np.tile([0.0, -1e16, -1e3], (n, 1))
    upper = np.column_stack([np.zeros(n), nearest + room, np.full(n, 1e3)])
    batch = cells.project(
        np.zeros((1, 3)), np.zeros(n, dtype=np.int64), np.tile([0, -1], (n, 1)), np.full(n, -1),
        cutoff=np.full(n, np.inf), margin=np.full(n, 1e-9), limits=(lower, upper), details=Details(multipliers=True),
    )  # fmt: skip
    assert (batch.bound <= nearest * (1 + 1e-9)).all()
    known = np.isfinite(batch.slopes).all(axis=1) & np.isfinite(batch.value)
    assert known[-1]
    claimed = batch.bound + nearest + batch.slopes[:, 1] * nearest
    assert (claimed[known] <= nearest * (1 + 1e-8)).all()
