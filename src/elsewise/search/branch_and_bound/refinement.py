"""What is known of the pieces of regions that divide: half-spaces, gathered as the search goes on.

A piece is what is left of a part. It inherits the half-spaces of what it was divided from; half-spaces that cut off a
projection the region did not accept are added to it. Regions whose parts are polyhedra known beforehand have no pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...arrays import FloatArray, IntArray
from ...projection.balls import Balls
from ..cover import Cover, Part, Reach
from ..problem import SearchProblem
from .surroundings import Surroundings


@dataclass(slots=True)
class _Piece:
    """A part of a region, and half-spaces ``normals x <= offsets`` that hold for what is accepted of it.

    It is branched if the box of its node was, and what is known of it may follow.
    """

    part: Part
    normals: FloatArray
    offsets: FloatArray
    is_branched: bool = False


class Refinement:
    """Pieces of the regions of a search, numbered.

    Parameters
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)

    Attributes
    ----------
    divides : bool array of shape (n_samples,)
        Whether the region of each row's goal divides.
    refines : bool array of shape (n_samples,)
        Whether its cover refines pieces by itself.
    """

    def __init__(self, problem: SearchProblem, rows: FloatArray, goals: IntArray) -> None:
        self.problem, self.rows, self.goals = problem, rows, goals
        self.divides = np.array([goal.divides for goal in problem.goals], dtype=np.bool_)[goals]
        self.refines = np.array([goal.cover.refines for goal in problem.goals], dtype=np.bool_)[goals]
        self.pieces: list[_Piece] = []

    def reach(
        self,
        row: int,
        limit: float,
        lower: FloatArray,
        upper: FloatArray,
        surroundings: Surroundings | None = None,
    ) -> Reach:
        """Return what can still matter to a row within limits, arrays of shape (n_features,)."""
        return Reach(self.rows[row], float(limit), lower, upper, self.problem.space, surroundings)

    def open(self, row: int, part: int, reach: Reach) -> int:
        """Return a number to a whole part of a row's goal, with the half-spaces that hold near the row."""
        cover = self._cover(row)
        whole = cover.first_part(part)
        self.pieces.append(_Piece(whole, *cover.halfspaces(whole, self.rows[row], reach)))
        return len(self.pieces) - 1

    def halfspaces(self, piece: int) -> tuple[FloatArray, FloatArray]:
        """Return what is known of a piece: ``(A, b)`` with ``A x <= b``."""
        return self.pieces[piece].normals, self.pieces[piece].offsets

    def refine(self, row: int, piece: int, point: FloatArray, reach: Reach) -> list[int] | Literal["nothing known"]:
        """Cut a point off a piece that the region does not accept, or divide the piece.

        Returns
        -------
        list of int, or "nothing known"
            Numbers of the pieces that take its place; none if nothing is left of it.
        """
        cover, before = self._cover(row), self.pieces[piece]
        A, b = cover.halfspaces(before.part, point, reach)
        if self._cuts_off(A, b, point, cover.finest_cut):
            return [self._add(before.part, before, A, b)]
        parts = cover.divide(before.part, point, reach)
        if len(parts) == 0:
            return "nothing known"
        return [self._add(part, before, *cover.halfspaces(part, point, reach)) for part in parts]

    def refine_by_cover(
        self, row: int, piece: int, point: FloatArray, reach: Reach, *, divides: bool
    ) -> tuple[list[int], float] | None:
        """Let a cover that refines by itself do it: numbers of the pieces, and a bound; None if it knows no more."""
        refined = self._cover(row).refine(self.pieces[piece].part, point, reach, divides=divides)
        if refined is None:
            return None
        first = len(self.pieces)
        self.pieces += [_Piece(made.part, made.normals, made.offsets) for made in refined.pieces]
        return list(range(first, len(self.pieces))), refined.bound

    def is_new(self, row: int, piece: int) -> bool:
        """Whether a cover that refines by itself has not refined a piece yet."""
        return self._cover(row).is_new(self.pieces[piece].part)

    def is_branched(self, piece: int) -> bool:
        """Whether the box of a piece is smaller than what is known of it."""
        return piece >= 0 and self.pieces[piece].is_branched

    def effects(self, row: int, pieces: IntArray, near: FloatArray, balls: Balls) -> tuple[IntArray, FloatArray]:
        """Return how much each feature matters to what is not known of pieces, which are then branched, renumbered."""
        before = [self.pieces[piece] for piece in pieces.tolist()]
        parts, effects = self._cover(row).effects([piece.part for piece in before], near, balls)
        first = len(self.pieces)
        self.pieces += [_Piece(part, old.normals, old.offsets, True) for part, old in zip(parts, before)]
        return np.arange(first, len(self.pieces)), effects

    def tightened(self, row: int, pieces: IntArray, balls: Balls) -> IntArray:
        """Return numbers of what is known of branched pieces in their boxes; negative where nothing is left of one."""
        made = self._cover(row).tightened([self.pieces[piece].part for piece in pieces.tolist()], balls)
        numbers = np.full(len(made), -1)
        for k, piece in enumerate(made):
            if piece is not None:
                numbers[k] = len(self.pieces)
                self.pieces.append(_Piece(piece.part, piece.normals, piece.offsets))
        return numbers

    def _add(self, part: Part, before: _Piece, A: FloatArray, b: FloatArray) -> int:
        piece = _Piece(part, np.concatenate([before.normals, A]), np.concatenate([before.offsets, b]))
        self.pieces.append(piece)
        return len(self.pieces) - 1

    def _cuts_off(self, A: FloatArray, b: FloatArray, point: FloatArray, finest: float) -> bool:
        """Whether one of the half-spaces is missed by more than the finest cut, in units of the distance."""
        normals, _ = self.problem.coordinates.pull_back(A, b)
        size = np.abs(normals).max(axis=1, initial=0.0)
        return bool((A @ point - b > finest * size * (1.0 + self._distance_unit(point))).any())

    def _distance_unit(self, point: FloatArray) -> float:
        return float(np.abs(self.problem.coordinates.points(point[None])).max(initial=0.0))

    def _cover(self, row: int) -> Cover:
        return self.problem.goals[int(self.goals[row])].cover
