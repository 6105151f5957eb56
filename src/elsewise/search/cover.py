"""A cover of a region: its convex parts as one search sees them, in its features and its distance.

See :mod:`.region` for what a region is, and :class:`~.region.DividingCover` for the cover that asks it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..projection.balls import Balls
from ..projection.cells import Cells
from .boxes.inside import BoxAnswer, BoxRequest, Inside, OpenSearch, Proposal
from .branch_and_bound.surroundings import Surroundings
from .cones import Cones
from .space import Space

# A half-space cuts a point off if it is violated by more than this, in units of the distance.
CUTS_OFF = 1e-9

# A part of a region. What it is, only its region knows: a box, an interval of each unit of a network, a number.
Part = Any


@dataclass(frozen=True, slots=True)
class Reach:
    """What can still matter to a row: points nearer than the incumbent, within limits.

    Attributes
    ----------
    row : array of shape (n_features,)
        The row, in features.
    limit : float
        Only points nearer than this are of interest; infinite without an incumbent.
    lower, upper : arrays of shape (n_features,)
        Within these limits, in features.
    space : Space
        Features, distance, and the map to model space.
    surroundings : Surroundings or None
        What else holds there, to be asked; None where it is not known yet.
    """

    row: FloatArray
    limit: float
    lower: FloatArray
    upper: FloatArray
    space: Space
    surroundings: Surroundings | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a region, with half-spaces ``normals x <= offsets`` of features that hold for what is accepted of it.

    Attributes
    ----------
    part : part of the region
    normals : array of shape (n, n_features)
    offsets : array of shape (n,)
    """

    part: Part
    normals: FloatArray
    offsets: FloatArray


@dataclass(frozen=True, slots=True)
class Refined:
    """What a cover made of a piece: smaller ones that cover what is accepted of it, none if nothing is left.

    Attributes
    ----------
    pieces : sequence of Piece
    bound : float
        Nothing of the piece is nearer.
    """

    pieces: Sequence[Piece]
    bound: float


@dataclass(frozen=True, slots=True)
class Terms:
    """What is compared where parts that are polyhedra judge points, as arrays that a kernel can read.

    A point ``x`` is in a part if ``o_r - N_r·x``, in plain coordinates, is at least a share of
    ``weights_r·|x| + constants_r``, in features, for each of its half-spaces, and its whole numbers are within limits.

    Attributes
    ----------
    weights : array of shape (n_halfspaces, n_features)
    constants : array of shape (n_halfspaces,)
    least, most : arrays of shape (n_parts, n_features)
    """

    weights: FloatArray
    constants: FloatArray
    least: FloatArray
    most: FloatArray


class Cover(ABC):
    """A cover of one region for one search, in features.

    Attributes
    ----------
    n_parts : int
        Parts it starts from. Bounds, bans and "another part of the region" are about these.
    cells : Cells or None
        The parts as polyhedra for the kernel, if they are polyhedra that are known beforehand and never divided. Then
        nothing below the line is asked.
    finest_cut : float
        A half-space cuts a point off if it is violated by more than this, in units of the distance.
    examples : array of shape (n, n_features)
        Rows from which :meth:`propose` may make first answers; set by whoever compiles the search, for covers that
        have ``proposes``.
    """

    examples: FloatArray = np.empty((0, 0))
    proposes: ClassVar[bool] = False
    n_parts: int
    cells: Cells | None
    finest_cut: float = CUTS_OFF

    @property
    def entries_a_row(self) -> int:
        """Numbers that the bounds of one row need at a time: what bounds the memory of a chunk of rows."""
        return 0

    @abstractmethod
    def bounds(self, rows: FloatArray, integer: BoolArray | None = None) -> FloatArray:
        """Lower bounds of the distances of rows to the parts, array of shape (n_samples, n_parts).

        Parameters
        ----------
        rows : array of shape (n_samples, n_features)
        integer : bool array of shape (n_features,), optional
            Features that must be whole: points that are not need not be counted.
        """

    @abstractmethod
    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """How far inside of each part points lie, in the (unsquared) distance, shape (n_samples, n_parts).

        Negative outside; infinite where it is known only that they are inside.

        Parameters
        ----------
        points : array of shape (n_samples, n_features), optional
            Covers that divide need them, for the model sees these.
        plain : array of shape (n_samples, n_plain), optional
            The same in plain coordinates, which are enough for polyhedra.
        """

    @property
    def terms(self) -> Terms | None:
        """What :meth:`relative_depth` and :meth:`excludes` compare, if half-spaces and limits are all there is."""
        return None

    def relative_depth(self, points: FloatArray, plain: FloatArray) -> FloatArray:
        """How far inside of each part points lie, as a share of the numbers compared there, (n_samples, n_parts).

        Negative outside, where the size of the share tells rounding from the rest; infinite where nothing is compared.

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
        plain : array of shape (n_samples, n_plain)
            The same in plain coordinates.
        """
        depth = self.depth(points, plain=plain)
        return np.where(depth > 0, np.inf, -np.inf)

    @abstractmethod
    def limits(self, parts: IntArray, rows: FloatArray, integer: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Limits of each feature in parts, one a row, for points made of rows: arrays of shape (n_samples, n_features).

        They are whole where features must be, but for a row's own value, which may stay.
        """

    def excludes(self, points: FloatArray, parts: IntArray, discrete: BoolArray) -> BoolArray:
        """Whether points have a whole number or level that no point of a part, one each, has; shape (n,).

        Parameters
        ----------
        points : array of shape (n, n_features)
        parts : int array of shape (n,)
        discrete : bool array of shape (n_features,)
            Features that are whole or indicators.
        """
        return np.zeros(len(points), dtype=np.bool_)

    def is_described_by_limits(self, discrete: BoolArray) -> BoolArray:
        """Which half-spaces of ``cells`` say no more than `limits` and `excludes` do, shape (n_halfspaces,)."""
        return np.zeros(0 if self.cells is None else len(self.cells.offsets), dtype=np.bool_)

    @abstractmethod
    def may_meet(self, cones: Cones) -> BoolArray:
        """Whether each cone may have a point in common with each part, array of shape (n_cones, n_parts)."""

    def is_on_boundary(self, points: FloatArray, rounding: float) -> BoolArray:
        """Whether points lie on the boundary of the region up to a relative rounding of sums, shape (n_samples,).

        There the model may say one thing of a batch and another of the row alone: sums are formed in another order.
        """
        return np.zeros(len(points), dtype=np.bool_)

    @abstractmethod
    def squared_radii_needed(self, cones: Cones) -> FloatArray:
        """Bound from below the squared radius at which each cone first touches each part; shape (n_parts, n_cones)."""

    @property
    def searches_boxes(self) -> bool:
        """Whether the cover has a search of its own for points of a box."""
        return False

    @property
    def is_large(self) -> bool:
        """Whether a search within a small distance takes much less than one within a large distance."""
        return False

    def search_box(self, box: BoxRequest, *, cutoff: float, seconds: float, work: float = np.inf) -> BoxAnswer:
        """Search the nearest point of a box for a row, if the cover :attr:`searches_boxes`.

        Parameters
        ----------
        box : BoxRequest
        cutoff : float
            Only points nearer than this are wanted.
        seconds : float
            It may take, infinite for no limit; without a point a little more (:data:`~.constants.GRACE`). None are
            left if they are negative.
        work : float
            Counted work that it may take, as a multiple of the usual amount; see :class:`~.request.SearchRequest`.
        """
        raise NotImplementedError

    def open_box(self, box: BoxRequest, *, inside: Inside | None, start: FloatArray | None = None) -> OpenSearch:
        """Open a search of the nearest point of a box that goes on in slices.

        ``inside`` is what else must hold; None asks for the distance alone of the nearest point but for that.
        ``start`` is an answer that is known, of shape (n_features,), inside or not.
        """
        raise NotImplementedError

    def propose(self, asked: Proposal) -> FloatArray:
        """Return points that may be answers, found fast and proving nothing, array of shape (n, n_features)."""
        return np.empty((0, len(asked.box.row)))

    def first_part(self, place: int) -> Part:
        """Return the part at a place of the cover, to be divided."""
        raise NotImplementedError

    def halfspaces(self, part: Part, near: FloatArray, reach: Reach) -> tuple[FloatArray, FloatArray]:
        """Return half-spaces ``(A, b)`` of features, ``A x <= b``, for a part near a point in features."""
        raise NotImplementedError

    def divide(self, part: Part, near: FloatArray, reach: Reach) -> Sequence[Part]:
        """Divide a part near a point in features."""
        raise NotImplementedError

    def candidates(self, reach: Reach) -> FloatArray:
        """Return points that may be good answers, of shape (n, n_features)."""
        raise NotImplementedError

    @property
    def refines(self) -> bool:
        """Whether the cover refines pieces by itself; then `halfspaces` and `divide` are asked at first only."""
        return False

    def refine(self, part: Part, near: FloatArray, reach: Reach, *, divides: bool) -> Refined | None:
        """Refine a piece whose projection is not accepted, if the cover :attr:`refines`.

        Parameters
        ----------
        part : part of the region
        near : array of shape (n_features,)
            The projection.
        reach : Reach
            With surroundings.
        divides : bool
            Whether the piece may be divided; if not, it may only be cut: something else is to be divided there.

        Returns
        -------
        Refined or None
            None if nothing more is known.
        """
        raise NotImplementedError

    def is_new(self, part: Part) -> bool:
        """Whether a cover that :attr:`refines` has not refined a piece yet."""
        raise NotImplementedError

    def effects(self, parts: Sequence[Part], near: FloatArray, balls: Balls) -> tuple[Sequence[Part], FloatArray]:
        """Tell how much each feature matters to what is not known of pieces, if the cover :attr:`refines`.

        Parameters
        ----------
        parts : sequence of parts of the region
        near : array of shape (n_pieces, n_features)
            Their projections.
        balls : Balls
            What their boxes leave within reach of one row.

        Returns
        -------
        parts : sequence of parts of the region
            The same, to be :meth:`tightened` in what their boxes are branched into.
        effects : array of shape (n_pieces, n_features)
            Zero where branching on a feature tells nothing more; those of a category's levels are the same.
        """
        raise NotImplementedError

    def tightened(self, parts: Sequence[Part], balls: Balls) -> Sequence[Piece | None]:
        """Return what is known of pieces in smaller boxes, parts from :meth:`effects`; None where nothing is left."""
        raise NotImplementedError
