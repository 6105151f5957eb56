"""What a region may ask about the surroundings of a row: how far things are, and how large linear forms can be there.

Everything but the region itself is in it: the cone, limits, rules, and categories that are decided. Half-spaces and
points are in plain coordinates.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray
from ...projection.balls import Balls
from ...projection.distance import Coordinates
from ...projection.reachable import Nearest, Reachable
from ...projection.warm_starts import Trail
from ..constants import GRACE

# Linear forms that are bounded between two looks at the clock, a projection each: some milliseconds.
FORMS_AT_ONCE = 8
# The same where paths start from the nearest point, a third of a projection each.
WARM_FORMS_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of one row in one node of a search.

    Attributes
    ----------
    reachable : Reachable
    coordinates : Coordinates
        Plain ones of features.
    constant : float
        Price of categories that are decided, which the kernel does not see.
    margin : float
        Relative distance that points keep from half-spaces.
    as_points : function
        From a difference, array of shape (n,), to a point in features.
    offer : function
        Takes points of shape (n, n_features) that the region accepts; gives the distance of the best answer so far.
    ends : float
        When the time of the row is over, by ``time.perf_counter()``: nothing more need be found out then.
    """

    reachable: Reachable
    coordinates: Coordinates
    constant: float
    margin: float
    as_points: Callable[[FloatArray], FloatArray]
    offer: Callable[[FloatArray], float]
    ends: float = np.inf

    def is_late(self, limit: float) -> bool:
        """Whether the time of the row is over; without an answer, whose distance is the limit, a little later."""
        return time.perf_counter() > self.ends + (0.0 if np.isfinite(limit) else GRACE)

    def nearest(self, A: FloatArray, b: FloatArray, limit: float, start: Trail | None = None) -> Nearest:
        """Find the nearest point with ``A x <= b`` there; nothing from the limit on is of interest."""
        found = self.reachable.nearest(A, b, cutoff=limit - self.constant, margin=self.margin, start=start)
        return Nearest(self.constant + found.bound, found.v, found.multipliers, found.trail)

    def largest(
        self,
        W: FloatArray,
        high: FloatArray,
        A: FloatArray,
        b: FloatArray,
        *,
        limit: float,
        near: FloatArray,
        rounds: int,
        start: Trail | None = None,
    ) -> FloatArray:
        """Bound linear forms ``W x`` over what is there, nearer than the limit, with ``A x <= b``; (n_forms,).

        With the trail of the nearest point with ``A x <= b`` that takes a third of the time. When time is over, what is
        known of the others is all there is.
        """
        radius = self._radius(limit)
        found = high.copy()
        at_once = FORMS_AT_ONCE if start is None else WARM_FORMS_AT_ONCE
        for first in range(0, len(W), at_once):
            if self.is_late(limit):
                break
            some = slice(first, first + at_once)
            found[some] = self.reachable.largest(
                W[some], high[some], A, b, radius=radius, near=near, rounds=rounds, start=start
            )
        return found

    def ball(self, limit: float) -> Balls:
        """Return what bounds and a limit leave, without half-spaces and the cone."""
        return self.reachable.balls(self._radius(limit))

    def _radius(self, limit: float) -> float:
        return limit - self.constant if np.isfinite(limit) else self.reachable.farthest()

    def plain(self, point: FloatArray) -> FloatArray:
        """Plain coordinates of a point in features, array of shape (n,)."""
        return np.asarray(self.coordinates.points(point[None])[0])

    def centre(self) -> FloatArray | None:
        """Return the centre of the cone as a difference from the row, within limits; None without a cone."""
        cells, cone = self.reachable.cells, self.reachable.cone
        if cone < 0:
            return None
        F, x0 = cells.factors[cells.shape[cone]].T, self.reachable.x0
        apart = np.linalg.lstsq(F, cells.centres[cone] - F @ x0, rcond=None)[0]
        if len(cells.group):
            apart[cells.group >= 0] = 0.0
        return np.asarray(np.clip(apart, self.reachable.low, self.reachable.high))
