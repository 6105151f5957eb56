"""The region of sums of univariate functions of linear forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from ....arrays import BoolArray, FloatArray
from ....projection.balls import Balls
from ... import Cover, DividingCover, Exactness, Halfspaces, Piece, Reach, Refined, Region, Space
from .branching import side_at_break, side_to_divide
from .cuts import cuts_near, effects_on_gaps, sides_of_first_layer
from .first_moves import first_moves
from .intervals import in_balls
from .parts import Side, SumPart
from .refining import Refining
from .units import SETTLED, Intervals, Sums

# Descents are tried in pieces that were divided so few times, then in each one where that is a multiple.
FIRST_DESCENTS, DESCENT_EVERY = 4, 4
# Units of all layers up to which nearly all rows are proven within seconds (docs/benchmarks.md).
UNITS_USUALLY_PROVEN = 100


class Decides(Protocol):
    """A model's own arithmetic, which tells what is in a region."""

    def __call__(self, points: FloatArray) -> BoolArray:
        """Judge points of model space, of shape (n_samples, n_features)."""

    def of_terms(self, terms: FloatArray) -> BoolArray:
        """Judge values of the units of the last layer, of shape (n_samples, n_units)."""


@dataclass(frozen=True, eq=False)
class SumRegion(Region):
    """Where all margins of sums are not negative.

    Attributes
    ----------
    sums : Sums
        In model space.
    is_empty : bool
        The model never decides so.
    decides : Decides or None
        Tells by the model's own arithmetic where the sums' may err: where margins are zero on more than a boundary.
    starts : array of shape (n_starts, n_features), or None
        Points that are probably accepted, such as the middle of a class.
    """

    sums: Sums
    is_empty: bool = field(default=False)
    decides: Decides | None = field(default=None)
    starts: FloatArray | None = field(default=None)

    @property
    def exactness(self) -> Exactness:  # type: ignore[override]
        """What answers can be expected to be: so many units are usually proven within seconds."""
        n_units = sum(len(layer.b) for layer in self.sums.layers)
        return "exact" if n_units <= UNITS_USUALLY_PROVEN else "bounded"

    def parts(self) -> Sequence[SumPart]:
        """Everything at once."""
        return () if self.is_empty else (SumPart.whole(self.sums),)

    def halfspaces(self, part: SumPart, near: FloatArray, reach: Reach) -> Halfspaces:
        """Nothing is known before intervals are; see :class:`SumCover`."""
        return Halfspaces(np.empty((0, self.sums.n_features)), np.empty(0))

    def divide(self, part: SumPart, near: FloatArray, reach: Reach) -> Sequence[SumPart]:
        """Nothing more is known than what the cover makes of it."""
        return ()

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether no margin is negative."""
        if self.decides is not None:
            return self.decides(points)
        return np.asarray((self.sums.margins(points) >= 0).all(axis=1))

    def cover(self, space: Space) -> Cover:
        """Cover the region."""
        return SumCover(self, space)


class SumCover(DividingCover):
    """Cover of a :class:`SumRegion`, which refines pieces by itself.

    Parameters
    ----------
    region : SumRegion
    space : Space
    """

    def __init__(self, region: SumRegion, space: Space) -> None:
        super().__init__(region, space)
        self.in_model_space, self.decides = region.sums, region.decides
        self.sums = region.sums.in_plain_coordinates(space) if space.coordinates.norm == 1 else region.sums
        self.starts = np.empty((0, space.n_features))
        if region.starts is not None and space.coordinates.norm == 1:
            in_features = np.linalg.lstsq(space.matrix, (region.starts - space.offset).T, rcond=None)[0].T
            self.starts = space.coordinates.points(np.asarray(in_features, dtype=np.float64))

    @property
    def refines(self) -> bool:
        """It does."""
        return True

    def first_part(self, place: int) -> SumPart:
        """Return everything."""
        return SumPart.whole(self.sums)

    def halfspaces(self, part: SumPart, near: FloatArray, reach: Reach) -> tuple[FloatArray, FloatArray]:
        """Nothing is known before intervals are."""
        return np.empty((0, self.space.n_features)), np.empty(0)

    def divide(self, part: SumPart, near: FloatArray, reach: Reach) -> Sequence[SumPart]:
        """Nothing more is known than what :meth:`refine` makes of it."""
        return ()

    def is_on_boundary(self, points: FloatArray, rounding: float) -> BoolArray:
        """Whether rounding of the sums may decide at points."""
        if len(points) == 0:
            return super().is_on_boundary(points, rounding)
        Z = self.space.in_model_space(points)
        near = np.abs(self.in_model_space.margins(Z)) <= rounding * self.in_model_space.sizes(Z)
        return np.asarray(near.any(axis=1))

    def refine(self, part: SumPart, near: FloatArray, reach: Reach, *, divides: bool) -> Refined | None:
        """Cut, narrow, and divide a piece."""
        assert reach.surroundings is not None
        at = Refining(
            sums=self.sums,
            surroundings=reach.surroundings,
            accepts=self._accepts,
            limit=reach.limit,
            x=reach.surroundings.plain(near),
            intervals=part.intervals,
            sides=part.sides,
            normals=part.normals,
            offsets=part.offsets,
            trail=part.trail,
        )
        is_first = part.depth < 0
        if is_first:
            moves = first_moves(self.in_model_space, replace(reach, space=self.space))
            at.limit = min(at.limit, reach.surroundings.offer(moves)) if len(moves) else at.limit
            at.start(self.starts, narrows=divides)
        else:
            at.narrow_by_box()
            at.cut()
            if at.is_open and not at.is_accepted and (part.depth <= FIRST_DESCENTS or part.depth % DESCENT_EVERY == 0):
                at.descend()
            if at.is_open and not at.is_accepted and divides:
                at.narrow_while_worth()
        bound = min(at.bound, at.limit)
        if not at.is_open and at.bound >= at.limit * (1 - SETTLED):
            return Refined((), bound)
        if at.is_late():  # the same piece, with what is known by now
            return Refined((self._piece(at, at.sides, depth=part.depth),), bound)
        if not at.is_open and part.is_doubtful:
            return None
        if not at.is_open or at.is_accepted or (not divides and (at.has_new_cuts or is_first)):
            return Refined((self._piece(at, at.sides, depth=max(part.depth, 0)),), bound)
        if not divides:
            return None
        sides = side_to_divide(at)
        if sides is None:  # no unit has a gap: what is missing is more cuts, or rounding
            if self._is_hopeless(at):
                return Refined((), at.limit)
            at.descend()
            if at.has_new_cuts and at.is_open:
                return Refined((self._piece(at, at.sides, depth=part.depth + 1),), bound)
            sides = side_at_break(at) if at.is_open and self.decides is not None else None
        if sides is None:
            return Refined((), min(at.bound, at.limit))
        return Refined([self._piece(at, (*at.sides, side), depth=part.depth + 1) for side in sides], bound)

    def tightened(self, parts: Sequence[SumPart], balls: Balls) -> list[Piece | None]:
        """Bound all intervals by the boxes, and cut where pieces were branched."""
        X = np.array([part.near for part in parts])
        intervals = Intervals.stacked([part.intervals for part in parts])
        intervals = in_balls(self.sums, balls, intervals, self.sums.forms_of(X))
        made: list[Piece | None] = []
        for k, (A, b) in enumerate(cuts_near(self.sums, X, intervals, [part.sides for part in parts])):
            part = replace(parts[k], intervals=intervals.of_piece(k), normals=A, offsets=b, trail=None)
            is_empty = ~A.any(axis=1) & (b < 0)
            made.append(None if is_empty.any() else self._as_piece(part))
        return made

    def effects(self, parts: Sequence[SumPart], near: FloatArray, balls: Balls) -> tuple[list[SumPart], FloatArray]:
        """Add up what each feature adds to the gaps of units."""
        moved = [replace(part, near=x) for part, x in zip(parts, self.space.coordinates.points(near))]
        return moved, effects_on_gaps(self.sums, balls, Intervals.stacked([part.intervals for part in parts]))

    def is_new(self, part: SumPart) -> bool:
        """Whether no intervals are known."""
        return part.depth < 0

    def _is_hopeless(self, at: Refining) -> bool:
        """Whether the model's own arithmetic refuses the best that a piece may have."""
        best = None if self.decides is None else at.best_terms()
        return best is not None and self.decides is not None and not self.decides.of_terms(best[None])[0]

    def _accepts(self, points: FloatArray) -> BoolArray:
        return self.region.accepts(self.space.in_model_space(points))

    def _piece(self, at: Refining, sides: tuple[Side, ...], depth: int) -> Piece:
        """Make a piece of what is known, with fresh cuts for its own side."""
        intervals, kept = at.intervals, at.active_cuts()
        normals, offsets, more_sides, more_cuts = at.normals[kept], at.offsets[kept], 0, 0
        if len(sides) > len(at.sides):
            side = sides[-1]
            low, high = intervals.low[side.layer].copy(), intervals.high[side.layer].copy()
            if side.sign > 0:
                low[side.unit] = max(low[side.unit], side.at)
            else:
                high[side.unit] = min(high[side.unit], side.at)
            intervals = intervals.with_layer(side.layer, low, high)
            A, b = at.cuts_at(at.x, intervals, sides)
            cuts = A @ at.x > b
            normals, offsets = np.vstack([normals, A[cuts]]), np.concatenate([offsets, b[cuts]])
            more_sides, more_cuts = int(side.layer == 0), int(cuts.sum())
        trail = at.trail_for(kept, more_sides=more_sides, more_cuts=more_cuts)
        part = SumPart(intervals, sides, normals, offsets, depth, is_doubtful=not at.is_open, trail=trail)
        return self._as_piece(part)

    def _as_piece(self, part: SumPart) -> Piece:
        """Write what is known of a part in features."""
        of_sides = sides_of_first_layer(self.sums, part.sides)
        A, b = np.vstack([of_sides[0], part.normals]), np.concatenate([of_sides[1], part.offsets])
        # from plain coordinates xi = s (x - o) back to features
        stretch, origin = self.space.coordinates.stretch, self.space.coordinates.origin
        in_features = A * stretch
        return Piece(part, in_features, b + in_features @ origin)
