"""What covers that have a search of their own are asked about a row, and what holds beside limits and the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...arrays import BoolArray, FloatArray, IntArray
from ..domains.clauses import Clauses
from ..domains.least_moves import LeastMoves
from ..domains.special_codes import NumberPieces


@dataclass(frozen=True, slots=True)
class BoxRequest:
    """What one row may become.

    Attributes
    ----------
    row, lower, upper : arrays of shape (n_features,)
    integer : bool array of shape (n_features,)
        Features that must be whole, unless they stay as they are.
    margin : float
        Relative distance to keep from the boundary of the region.
    per_change : float
        What every column that changes costs, beside the distance of its size.
    least_moves : LeastMoves or None
        Of the row alone.
    pieces : NumberPieces or None
        Intervals, of which some numbers have to be in one.
    clauses : Clauses or None
        Of the row alone, about several columns. A cover may use them for its bounds; it need not keep them.
    """

    row: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    margin: float
    per_change: float = 0.0
    least_moves: LeastMoves | None = None
    pieces: NumberPieces | None = None
    clauses: Clauses | None = None


@dataclass(frozen=True, slots=True)
class BoxAnswer:
    """What a cover's own search found for one row.

    Attributes
    ----------
    point : array of shape (n_features,), or None
    value, lower_bound : float
        Its distance, infinite without a point; nothing in the box is nearer than the bound.
    n_boxes : int
    stopped : bool
        A limit ended the proof.
    is_paused : bool
        The search can go on.
    work : float
        What was counted of it, in units of the usual amount.
    """

    point: FloatArray | None
    value: float
    lower_bound: float
    n_boxes: int
    stopped: bool
    is_paused: bool = False
    work: float = 0.0


class OpenSearch(Protocol):
    """A search of a box that goes on in slices."""

    def go_on(self, cutoff: float, seconds: float, most_boxes: int, until: float, work: float) -> BoxAnswer:
        """Search on for the nearest point below a cutoff, which may have fallen since.

        Parameters
        ----------
        cutoff, seconds : float
        most_boxes : int
            Boxes of this slice, 0 for any number.
        until : float
            The slice ends as soon as nothing that is open is nearer.
        work : float
            Counted work of this slice, in units of the usual amount.
        """


@dataclass(frozen=True, slots=True)
class RelaxedBox:
    """The nearest point of a box, the model left out.

    Attributes
    ----------
    bound : float
        Nothing in the box is nearer; infinite if it is empty, negative if nothing is known.
    point : array of shape (n_features,), or None
    fractions : array of shape (n_columns,)
        What it costs to make each column whole, zero where it is.
    """

    bound: float
    point: FloatArray | None
    fractions: FloatArray

    @property
    def is_whole(self) -> bool:
        """Whether the point is whole where it must be: nothing in the box is nearer."""
        return not (self.fractions > 0).any()


class Inside(ABC):
    """What else holds of a row's answers, beside limits and the model: a cone of the density, rules, whole numbers.

    A cover that :attr:`~Cover.searches_boxes` asks it about boxes.

    Attributes
    ----------
    cone : RowCone or None
        The cone itself, for covers that know what to do with it.
    whole : RelaxedBox
        The nearest point of all that the row may become.
    pieces : NumberPieces or None
        What numbers may be, where they may jump over gaps: to codes and from them.
    most_for_changes : float
        The most that prices per change can add to the distance of a point.
    """

    cone: RowCone | None
    whole: RelaxedBox
    pieces: NumberPieces | None = None
    most_for_changes: float = 0.0

    @abstractmethod
    def relax(self, lower: FloatArray, upper: FloatArray, limit: float) -> RelaxedBox:
        """Find the nearest point of a box; nothing from the limit on is of interest."""

    @abstractmethod
    def bounds(self, lower: FloatArray, upper: FloatArray, limit: float) -> FloatArray:
        """Bound the distances of the points of many boxes, of shape (n, n_features), at once; up to the limit."""

    @abstractmethod
    def candidates(self, relaxed: RelaxedBox, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Make points of a relaxed one that are whole and within the box, array of shape (n, n_features)."""

    @abstractmethod
    def holds(self, points: FloatArray) -> BoolArray:
        """Whether points are dense enough, within all rules, and new; the model is not asked. Shape (n,)."""

    @abstractmethod
    def values(self, points: FloatArray) -> FloatArray:
        """Distances of points of shape (n, n_features) from the row."""

    @abstractmethod
    def finish(
        self, lower: FloatArray, upper: FloatArray, limit: float, seconds: float
    ) -> tuple[float, FloatArray | None]:
        """Find the nearest point of a box that holds: a bound of everything in it, and the point if there is one.

        It takes no more than so many seconds.
        """


@dataclass(frozen=True, slots=True)
class RowCone:
    """A cone as a row sees it: ``||F (v - centre)||^2 <= squared_radius - penalties . e``, for numbers moved by ``v``.

    Attributes
    ----------
    shape : int
        Number of the factor among those of the search: cones of equal shape share what is made of it.
    numbers : int array of shape (n_numbers,)
        The features that are numbers.
    factor : array of shape (q, n_numbers)
        ``F``, for moves in units of the distance.
    centre : array of shape (n_numbers,)
    squared_radius : float
        Rounded up.
    penalties : array of shape (n_features,)
        Of indicators; zero for numbers.
    """

    shape: int
    numbers: IntArray
    factor: FloatArray
    centre: FloatArray
    squared_radius: float
    penalties: FloatArray


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a cover is asked for before anything is proven: first answers of one row.

    Attributes
    ----------
    box : BoxRequest
    ellipsoids : sequence of RowCone
        Of which one has to hold an answer; none without a density.
    cutoff : float
        Only points nearer than this are wanted.
    seconds : float
    holds : function of points of shape (n, n_features), or None
        Whether points keep everything that is asked but for the model, shape (n,); None where limits and ellipsoids are
        all there is.
    """

    box: BoxRequest
    ellipsoids: Sequence[RowCone]
    cutoff: float
    seconds: float
    holds: Callable[[FloatArray], BoolArray] | None = None
