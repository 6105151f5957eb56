"""Closed-form lower bounds of the distance from a row to a cone.

A cone alone is at least ``(||F x0 - g|| - h0) / ||F'e||_*`` away, in the dual norm of the distance, with ``e`` the unit
vector along ``F x0 - g``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..projection.cells import Cells
from ..projection.coordinates import row_product
from .constants import BOUND_ROUNDING


@dataclass(frozen=True, slots=True)
class ConeBounds:
    """Bounds for every cone along its own axis."""

    cells: Cells

    def __call__(self, X0: FloatArray, widening: FloatArray | None = None) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_cones).

        ``widening``, of shape (n_samples,), is what each row adds to the squared radii.
        """
        cells = self.cells
        bounds = np.zeros((len(X0), cells.n_cones))
        if cells.n_cones < 2 or len(cells.tilts):  # a single cone is projected onto anyway
            return bounds
        images = [row_product(X0, factor) for factor in cells.factors]
        for j, (shape, centre, radius) in enumerate(zip(cells.shape, cells.centres, cells.radii)):
            if widening is not None:
                radius = np.sqrt(np.maximum(radius**2 + widening, 0.0))
            apart = images[shape] - centre
            length = np.sqrt((apart**2).sum(axis=1))
            pull = row_product(apart, cells.factors[shape].T)
            reach = np.abs(pull).max(axis=1) if cells.norm == 1 else np.sqrt((pull**2).sum(axis=1))
            excess = np.maximum(length - radius, 0.0) * length
            bounds[:, j] = np.divide(excess, reach, out=np.zeros(len(X0)), where=reach > 0)
        bounds *= 1 - BOUND_ROUNDING
        return bounds if cells.norm == 1 else bounds**2
