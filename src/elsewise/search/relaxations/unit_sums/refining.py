"""Refining a piece of a region of sums: cuts while they are violated, intervals narrowed, then a unit divided.

A piece is an interval for every unit. On it the margins are over-estimated by linear functions; where one of these is
negative nothing is accepted. So each is a half-space, a *cut*, that holds for every accepted point of the piece, and
cuts are added at the projections that they cut off. What is narrowed and cut is about points nearer than the incumbent.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ....projection.warm_starts import MOST_ON_PATH, Trail, renumbered
from ... import Surroundings
from .cuts import cuts_near, sides_of_first_layer
from .descent import Accepts, descend, first_points, from_starts, push
from .intervals import in_balls, narrowed
from .parts import Side
from .units import NARROWED_A_PIECE, ROUNDS_A_SIDE, SETTLED, TIMES_AT_FIRST, Intervals, Sums

# Rounds of cuts before intervals are narrowed, after which cuts are deeper: each projects once. What is left is cut off
# in its children.
MOST_ROUNDS_OF_CUTS = 3
# A cut is worth a projection if it is violated by more than this, relative to the distance so far plus one.
CUT_DEPTH = 1e-7
# Half-spaces with a smaller multiplier than this do nothing for a bound: children do without them.
SMALLEST_MULTIPLIER = 1e-9
# Intervals of a piece are narrowed again while that lifts its bound by this share of what is missing to the incumbent,
# and so many times at most: dividing lifts it as well, for twice the work.
WORTH_NARROWING, MOST_TIMES_NARROWED = 0.2, 6


@dataclass(slots=True)
class Refining:
    """One piece on its way.

    Attributes
    ----------
    sums : Sums
        In plain coordinates.
    surroundings : Surroundings
    accepts : function of points in features
    limit : float
        Distance of the best answer so far.
    x : array of shape (n,)
        The projection, in plain coordinates.
    bound : float
        Nothing accepted in the piece is nearer, if it is nearer than the limit.
    is_open : bool
        False once the bound reaches the limit, or nothing is left.
    is_accepted : bool
        Whether the projection is.
    multipliers : array of shape (n_halfspaces,), or None
        Of the last projection.
    trail : int array of shape (2 + 2 n,), or None
        To start projections from.
    is_projected : bool
        Whether the trail is that of the projection onto all half-spaces.
    """

    sums: Sums
    surroundings: Surroundings
    accepts: Accepts
    limit: float
    x: FloatArray
    intervals: Intervals
    sides: tuple[Side, ...]
    normals: FloatArray
    offsets: FloatArray
    bound: float = 0.0
    is_open: bool = True
    is_accepted: bool = False
    has_new_cuts: bool = False
    multipliers: FloatArray | None = field(default=None)
    trail: Trail | None = None
    is_projected: bool = False
    side_normals: FloatArray = field(init=False)
    side_offsets: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.side_normals, self.side_offsets = sides_of_first_layer(self.sums, self.sides)

    def start(self, starts: FloatArray, *, narrows: bool) -> None:
        """Look for points, from some of shape (n_starts, n) if need be; bound all intervals, narrow them if told so."""
        self.limit = first_points(self.sums, self.surroundings, self.accepts, self.x, self.limit)
        if not np.isfinite(self.limit):  # without a point intervals may have no ends
            self.limit = push(self.sums, self.surroundings, self.accepts, self.x, self.limit)
            self.limit = from_starts(self.sums, self.surroundings, self.accepts, starts, self.limit)
        self.narrow_by_box()
        self.cut()
        for _ in range(TIMES_AT_FIRST if narrows else 0):
            if not self.is_open or self.is_accepted or self.is_late():
                return
            units = [np.arange(len(layer.b)) for layer in self.sums.layers]
            self.narrow([some[self._has_gap(place)[some]] for place, some in enumerate(units)])
            self.cut()

    def narrow_by_box(self) -> None:
        """Bound all forms by the box of the node, which may have been branched since the intervals were found."""
        near, known = [of_layer[None] for of_layer in self.sums.forms(self.x)], Intervals.stacked([self.intervals])
        self.intervals = in_balls(self.sums, self.surroundings.ball(self.limit), known, near).of_piece(0)

    def is_late(self) -> bool:
        """Whether the time of the row is over: what is known then is all there will be."""
        return self.surroundings.is_late(self.limit)

    def descend(self) -> None:
        """Look for points near the projection."""
        self.limit = push(self.sums, self.surroundings, self.accepts, self.x, self.limit)
        self.limit = descend(self.sums, self.surroundings, self.accepts, self.x, self.limit)
        self._check_bound()

    def narrow_some(self) -> None:
        """Narrow the intervals of the units with the largest gaps."""
        gaps = self.gaps()
        order = np.argsort(-np.concatenate(gaps), kind="stable")[:NARROWED_A_PIECE]
        order = order[np.concatenate(gaps)[order] > 0]
        first = np.cumsum([0, *(len(of_layer) for of_layer in gaps)])
        units = [order[(order >= a) & (order < b)] - a for a, b in itertools.pairwise(first)]
        self.narrow(units)

    def narrow_while_worth(self) -> None:
        """Narrow and cut in turn, as long as that lifts the bound by a share of what is missing."""
        for _ in range(MOST_TIMES_NARROWED):
            before = self.bound
            self.narrow_some()
            self.cut()
            is_done = not self.is_open or self.is_accepted or self.is_late()
            if is_done or not self.bound - before > WORTH_NARROWING * (self.limit - before):
                return

    def narrow(self, units: list[IntArray]) -> None:
        """Narrow intervals of units."""
        A, b = self.halfspaces()
        if not self.is_projected:
            self.trail, self.is_projected = self.surroundings.nearest(A, b, np.inf, self.trail).trail, True
        largest = partial(
            self.surroundings.largest, A=A, b=b, limit=self.limit, near=self.x, rounds=ROUNDS_A_SIDE, start=self.trail
        )
        self.intervals = narrowed(self.sums, self.intervals, units, self.x, largest)

    def cut(self) -> None:
        """Add cuts and project, until none is violated."""
        for _ in range(MOST_ROUNDS_OF_CUTS):
            if self.is_late() or not self._add_cuts():
                return
            self.has_new_cuts = True
            if self.is_open:
                self._project()
            if not self.is_open or self.is_accepted:
                return

    def cuts_at(self, x: FloatArray, intervals: Intervals, sides: tuple[Side, ...]) -> tuple[FloatArray, FloatArray]:
        """Cuts ``A x <= b`` that are tight near a point, scaled to the unit of the distance."""
        return cuts_near(self.sums, x[None], Intervals.stacked([intervals]), [sides])[0]

    def halfspaces(self) -> tuple[FloatArray, FloatArray]:
        """All that is known to hold in the piece, ``A x <= b``: sides, then cuts."""
        return np.vstack([self.side_normals, self.normals]), np.concatenate([self.side_offsets, self.offsets])

    def active_cuts(self) -> BoolArray:
        """Cuts that the last projection rests upon, and those added since, array of shape (n_cuts,)."""
        kept = np.ones(len(self.offsets), dtype=np.bool_)
        if self.multipliers is not None:
            known = self.multipliers[len(self.side_offsets) :]
            kept[: len(known)] = known > SMALLEST_MULTIPLIER
        return kept

    def trail_for(self, kept: BoolArray, *, more_sides: int = 0, more_cuts: int = 0) -> Trail | None:
        """Return the trail for some of the cuts, behind some sides more, and before some cuts more."""
        if self.trail is None:
            return None
        n_sides, n_rules = len(self.side_offsets), len(self.surroundings.reachable.offsets)
        first_cut = n_sides + more_sides
        cuts = np.where(kept, first_cut + np.cumsum(kept) - 1, -1)
        rules = first_cut + int(kept.sum()) + more_cuts + np.arange(n_rules)
        return renumbered(self.trail, np.concatenate([np.arange(n_sides), cuts, rules]))

    def gaps(self) -> list[FloatArray]:
        """By how much the line of each unit misses it at the projection, weighted as the worst margin does."""
        forms = self.sums.forms(self.x)
        margins, C, _ = self.sums.decisive(self.x, forms)
        weight, gaps = C[int(margins.argmin())], []
        for place in range(len(forms) - 1, -1, -1):
            layer, t = self.sums.layers[place], forms[place]
            low, high = self.intervals.low[place], self.intervals.high[place]
            value = layer.function.value(t)
            above, below = layer.function.above(low, high, t), layer.function.below(low, high, t)
            over = np.minimum(above.offset + above.slope * t, 1e300) - value
            under = value - np.maximum(below.offset + below.slope * t, -1e300)
            is_last = place == len(forms) - 1
            helps, hurts = (np.maximum(weight, 0), np.maximum(-weight, 0)) if is_last else (np.abs(weight),) * 2
            slope = np.where(high > low, above.slope, layer.function.slope(t))
            with np.errstate(over="ignore", invalid="ignore"):  # endless intervals of several layers
                gaps.append(np.nan_to_num(helps * np.maximum(over, 0) + hurts * np.maximum(under, 0)))
                weight = np.nan_to_num(np.abs(weight * slope) @ np.abs(layer.W))
        return gaps[::-1]

    def best_terms(self) -> FloatArray | None:
        """Return values of units, shape (n_units,), than which nothing in the piece has better ones.

        None unless there is one margin, of units of features that never fall.
        """
        (layer, *others), low, high = self.sums.layers, self.intervals.low[0], self.intervals.high[0]
        if others or len(self.sums.d) > 1 or self.sums.D.any() or not layer.function.never_falls:
            return None
        return np.where(self.sums.C[0] > 0, layer.function.value(high), layer.function.value(low))

    def _has_gap(self, place: int) -> BoolArray:
        """Units of a layer that are not linear on their intervals and matter."""
        layer, low, high = self.sums.layers[place], self.intervals.low[place], self.intervals.high[place]
        with np.errstate(invalid="ignore"):  # ends may be infinite
            middle = np.where(np.isfinite(low) & np.isfinite(high), (low + high) / 2, 0.0)
        above, below = layer.function.above(low, high, middle), layer.function.below(low, high, middle)
        with np.errstate(invalid="ignore"):
            bent = above.offset + above.slope * middle - below.offset - below.slope * middle > 0
        if place == len(self.sums.layers) - 1:
            bent &= self._needs_interval()
        return np.asarray(bent)

    def _needs_interval(self) -> BoolArray:
        """Units of the last layer whose lines depend on the interval where they count."""
        helps = np.asarray((self.sums.C > 0).any(axis=0))
        return helps if self.sums.layers[-1].function.is_convex else np.ones_like(helps)

    def _add_cuts(self) -> bool:
        """Add cuts that the projection violates."""
        A, b = self.cuts_at(self.x, self.intervals, self.sides)
        is_empty = ~A.any(axis=1) & (b < 0)
        if is_empty.any():
            self.is_open = False
            self.bound = self.limit
            return True
        deep = A @ self.x - b > CUT_DEPTH * (1.0 + self.bound)
        if not deep.any():
            return False
        n_others = len(self.side_offsets) + len(self.surroundings.reachable.offsets) + int(deep.sum())
        kept = np.ones(len(self.offsets), dtype=np.bool_)
        if n_others + len(kept) > MOST_ON_PATH:  # the projector is quick as long as it follows paths
            kept = self.active_cuts()
        self.trail = self.trail_for(kept, more_cuts=int(deep.sum()))
        self.normals = np.vstack([self.normals[kept], A[deep]])
        self.offsets = np.concatenate([self.offsets[kept], b[deep]])
        self.multipliers, self.is_projected = None, False
        return True

    def _project(self) -> None:
        found = self.surroundings.nearest(*self.halfspaces(), self.limit, self.trail)
        self.bound, self.multipliers = max(self.bound, found.bound), found.multipliers
        self.trail, self.is_projected = found.trail, True
        if found.v is None:
            self.is_open = False
            return
        point = self.surroundings.as_points(found.v)
        self.x, self.is_accepted = self.surroundings.plain(point), bool(self.accepts(point[None])[0])
        if self.is_accepted:
            self.limit = min(self.limit, self.surroundings.offer(point[None]))
        self._check_bound()

    def _check_bound(self) -> None:
        if self.bound >= self.limit * (1 - SETTLED):
            self.is_open = False
