r"""What an ellipsoid leaves of a box: limits of each number by itself, and levels that are likely enough.

In plain coordinates an ellipsoid is :math:`\|L z - g\|^2 \le s`, where :math:`s` falls with the penalties of levels:
with the best levels that a box leaves, a number is within :math:`\sqrt s` times the length of its row of
:math:`L^+` of the centre :math:`L^+ g`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...projection.cells import Cells
from ..constants import LIMIT_ROUNDING
from ..domains.domain import Domain
from ..problem import SearchProblem
from .nodes import Nodes

# Room that ellipsoids get, as a share of their squared radius: more than points may miss them by.
SLACK = 1e-6
# Singular values below this share of the largest say nothing of a number.
SMALLEST_SINGULAR_VALUE = 1e-9


@dataclass(frozen=True, slots=True)
class _Shape:
    """One ellipsoid in features: numbers are within ``width sqrt(s)`` of the centre.

    Attributes
    ----------
    centre, width : arrays of shape (n_numbers,)
    squared_radius, slack : float
        Where no level takes anything off, and what is added to it.
    gains : array of shape (n_indicators,)
        What each level adds to the squared radius, most of them less than nothing.
    """

    centre: FloatArray
    width: FloatArray
    squared_radius: float
    slack: float
    gains: FloatArray


class EllipsoidLimits:
    """Narrows boxes by the ellipsoids of their nodes, whole numbers and levels.

    Other numbers keep their limits: to the projector, a limit where an ellipsoid ends anyway is one more thing that
    holds an optimum, and bounds far away lose digits to it.

    Parameters
    ----------
    problem : SearchProblem
    domain : Domain
    """

    def __init__(self, problem: SearchProblem, domain: Domain) -> None:
        self.problem, self.domain = problem, domain
        self.numbers = np.flatnonzero(domain.layout.group < 0)
        self.whole = np.flatnonzero(domain.integer[self.numbers])
        self.shapes: dict[int, _Shape | None] = {}

    def narrow(self, nodes: Nodes, cones: IntArray, own: FloatArray) -> BoolArray:
        """Narrow boxes in place; tell which hold any point of their ellipsoids.

        Parameters
        ----------
        nodes : Nodes
        cones : int array of shape (n,)
            Numbers of the ellipsoids in the table of cells, -1 for none.
        own : array of shape (n, n_features)
            Rows of the nodes, whose values may stay even if they are not whole.
        """
        holds = np.ones(len(nodes), dtype=np.bool_)
        widening = self.domain.widening_of(nodes.rows)
        if not self.domain.discrete.any():
            return holds
        for cone in np.unique(cones[cones >= 0]).tolist():
            shape, some = self._shape(cone), np.flatnonzero(cones == cone)
            if shape is None:
                continue
            s = np.full(len(some), shape.squared_radius + shape.slack)
            if widening is not None:
                s += widening[some]
            s += self._without_levels(nodes, some, shape, s)
            holds[some] = s >= 0
            centre, width = shape.centre[self.whole], shape.width[self.whole]
            with np.errstate(invalid="ignore"):  # no limits of their own, and no radius
                room = np.where(np.isfinite(width), width * np.sqrt(np.maximum(s, 0.0))[:, None], np.inf)
            room += LIMIT_ROUNDING * (1.0 + np.abs(centre))
            low, high = centre - room, centre + room
            at = np.ix_(some, self.numbers[self.whole])
            values = own[at]
            stays = (values >= low) & (values <= high)
            low, high = np.ceil(low), np.floor(high)
            nodes.lower[at] = np.maximum(nodes.lower[at], np.where(stays, np.minimum(low, values), low))
            nodes.upper[at] = np.minimum(nodes.upper[at], np.where(stays, np.maximum(high, values), high))
        return holds

    def _without_levels(self, nodes: Nodes, some: IntArray, shape: _Shape, s: FloatArray) -> FloatArray:
        """Take out levels that leave no radius; return what the best levels add to squared radii."""
        layout = self.domain.layout
        if not len(layout.indicators):
            return np.zeros(len(some))
        levels = nodes.upper[np.ix_(some, layout.indicators)]
        gains = np.where(levels == 1, shape.gains, -np.inf)
        best = np.maximum.reduceat(gains, layout.first_indicators, axis=1)
        total = best.sum(axis=1)
        category = layout.group[layout.indicators]
        left = (s + total)[:, None] + gains - np.where(np.isfinite(best), best, 0.0)[:, category]
        nodes.upper[np.ix_(some, layout.indicators)] = np.where(left >= 0, levels, 0.0)
        return np.asarray(total)

    def _shape(self, cone: int) -> _Shape | None:
        if cone not in self.shapes:
            self.shapes[cone] = _shape_of(self.problem.cells, cone, self.problem, self.numbers)
        return self.shapes[cone]


def _shape_of(cells: Cells, cone: int, problem: SearchProblem, numbers: IntArray) -> _Shape | None:
    """Return an ellipsoid in features; None where numbers do not have limits of their own."""
    coordinates, group = problem.coordinates, problem.space.group
    if coordinates.norm != 1:
        return None
    F, g = cells.factors[cells.shape[cone]].T, cells.centres[cone]
    radius, indicators = float(cells.radii[cone]), np.flatnonzero(group >= 0)
    squared, gains = radius**2, np.zeros(len(indicators))
    if len(cells.tilts):  # ||y||^2 <= (h - l)(h + l), where h - l is the same for all levels
        k, tilt = radius + float(g[-1]), cells.tilts[cone] * coordinates.stretch
        squared = k * (radius - float(g[-1])) - 2.0 * k * float(tilt @ coordinates.origin)
        gains = 2.0 * k * tilt[indicators]
        F, g = F[:-1], g[:-1]
    F = F[:, numbers]
    centre, width = np.zeros(len(numbers)), np.full(len(numbers), np.inf)
    if len(numbers) and len(F):
        sizes = np.linalg.svd(F, compute_uv=False)
        if len(sizes) == len(numbers) and sizes[-1] > SMALLEST_SINGULAR_VALUE * sizes[0]:
            inverse = np.linalg.pinv(F)
            stretch, origin = coordinates.stretch[numbers], coordinates.origin[numbers]
            centre = origin + inverse @ g / stretch
            width = np.linalg.norm(inverse, axis=1) / stretch * (1 + SLACK)
    return _Shape(centre, width, squared, SLACK * radius**2, gains)
