"""What a search of a sum of trees proves, in a form that can be checked without it.

A certificate is a tree of boxes of cells. Each box carries the dual points at which its bound was evaluated (the price
of a unit of distance, weights of the conditions, messages from trees to cells; with a density, its multipliers), what
each of them ruled out, and the boxes it was divided into, or why it was closed. Where distances go in steps a box is
closed by a bound that leaves no step below the best point: what is proven is the next step, not the bound itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ....arrays import BoolArray, FloatArray, IntArray
from ... import BoxAnswer, NumberPieces, RowCone
from .reaching import Cut

if TYPE_CHECKING:
    from .indexed import IndexedTrees

# What the kernel tells, in its order.
_BEGUN, _OPENED, _BOUNDED, _NARROWED, _CLOSED = range(5)
# Why boxes are closed: by a bound (its own, or that of the box around it), no leaves are left that could do, it is a
# single cell, the projection onto it; or they are not, and what is known of them bounds the rest.
REASONS = ("bound", "nothing left", "point", "projection")
OPEN = "open"


@dataclass(frozen=True, slots=True, eq=False)
class DualPoint:
    """Multipliers of a bound.

    Attributes
    ----------
    mu : float
        Price of a unit of distance, in scores.
    pi : array of shape (n_conditions,)
        Weights of the conditions.
    theta : array of shape (n_trees, n_cells)
        Messages.
    kappa : float
        Multiplier of the density; 0 without one.
    z : array of shape (n_numbers,)
        Where its quadratic form is bounded by a tangent.
    diagonal : array of shape (n_numbers,)
        Taken off the matrix of the cone.
    """

    mu: float
    pi: FloatArray
    theta: FloatArray
    kappa: float
    z: FloatArray
    diagonal: FloatArray


@dataclass(slots=True, eq=False)
class BoundStep:
    """A bound, and what it rules out.

    Attributes
    ----------
    dual : DualPoint
    cells : bool array of shape (n_cells,), or None
        What is left of the box; None where nothing was ruled out.
    dead : bool array of shape (n_leaves,), or None
        Leaves that no point of the box that matters is in.
    """

    dual: DualPoint
    cells: BoolArray | None = None
    dead: BoolArray | None = None


@dataclass(slots=True, eq=False)
class CertifiedBox:
    """One box.

    Attributes
    ----------
    parent : int
        The box that it is part of; -1 for none.
    cells : bool array of shape (n_cells,)
        Its cells; those out of reach do not count.
    steps : list of BoundStep
    closed : str
        One of `REASONS`, or `OPEN`: also of boxes that were divided.
    """

    parent: int
    cells: BoolArray
    steps: list[BoundStep] = field(default_factory=list)
    closed: str = OPEN


@dataclass(frozen=True, slots=True, eq=False)
class BoxCertificate:
    """Nothing that is accepted, within limits and dense enough is nearer than a bound.

    Attributes
    ----------
    row, lower, upper : arrays of shape (n_features,)
        The row, and limits of what may become of it; of numbers that move in steps, counts of steps.
    price : array of shape (n_features,)
        What a unit of each feature costs.
    integer : bool array of shape (n_features,)
        Numbers that are whole unless they stay as they are.
    lower_bound, value : float
        What is proven, and the distance of the best point.
    point : array of shape (n_features,), or None
    first_cell : int array of shape (n_vars + 1,)
        Where the cells of each column start.
    feature : int array of shape (n_cells,)
        The number that a cell is about, or the indicator of its level, which trees may see as a code.
    is_number : bool array of shape (n_cells,)
    low, high : arrays of shape (n_cells,)
        First and last number of each cell; of levels, 1.
    scale : float
        Scores are divided by this.
    leaf_tree : int array of shape (n_leaves,)
    leaf_cells : bool array of shape (n_leaves, n_cells)
        Cells that lead to each leaf.
    cone : RowCone or None
    cuts : list of Cut
        What was cut off the limits at first: nothing dense and nearer than the bound is there.
    boxes : dict of int to CertifiedBox
        None of them if nothing is so near.
    pieces : NumberPieces or None
        Intervals, of which some numbers have to be in one.
    """

    row: FloatArray
    lower: FloatArray
    upper: FloatArray
    price: FloatArray
    integer: BoolArray
    lower_bound: float
    value: float
    point: FloatArray | None
    first_cell: IntArray
    feature: IntArray
    is_number: BoolArray
    low: FloatArray
    high: FloatArray
    scale: float
    leaf_tree: IntArray
    leaf_cells: BoolArray
    cone: RowCone | None
    cuts: list[Cut]
    boxes: dict[int, CertifiedBox]
    pieces: NumberPieces | None = None


class Recorder:
    """Makes a certificate of every search; hand it to a cover as its `recorder`.

    Attributes
    ----------
    certificates : list of BoxCertificate
    """

    def __init__(self) -> None:
        self.certificates: list[BoxCertificate] = []
        self._boxes: dict[int, CertifiedBox] = {}
        self._cuts: list[Cut] = []

    def note(
        self,
        what: int,
        why: int,
        box: int,
        parent: int,
        cells: BoolArray,
        dead: BoolArray,
        dual: tuple[float, FloatArray, FloatArray, float, FloatArray, FloatArray] | None,
    ) -> None:
        """Take down what the kernel tells."""
        if what == _BEGUN:
            self._boxes = {}
        elif what == _OPENED:
            self._boxes[box] = CertifiedBox(parent, cells)
        elif what == _BOUNDED:
            assert dual is not None
            self._boxes[box].steps.append(BoundStep(DualPoint(*dual)))
        elif what == _NARROWED:
            last = self._boxes[box].steps[-1]
            last.cells, last.dead = cells, dead
        else:
            self._boxes[box].closed = REASONS[why]

    def cut(self, cuts: list[Cut]) -> None:
        """Take down what is cut off the limits before the boxes that are recorded from now on."""
        self._cuts = self._cuts + cuts

    def end(
        self,
        trees: IndexedTrees,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        answer: BoxAnswer,
        cone: RowCone | None = None,
        pieces: NumberPieces | None = None,
    ) -> None:
        """Finish the certificate of a search."""
        tree, leaf_cells = trees.forest.leaf_cells()
        self.certificates.append(
            BoxCertificate(
                row=row.copy(),
                lower=lower.copy(),
                upper=upper.copy(),
                price=trees.price,
                integer=integer.copy(),
                lower_bound=answer.lower_bound,
                value=answer.value,
                point=answer.point,
                first_cell=trees.first_cell,
                feature=trees.feature,
                is_number=trees.is_number,
                low=trees.low,
                high=trees.high,
                scale=trees.scale,
                leaf_tree=tree,
                leaf_cells=leaf_cells,
                cone=cone,
                cuts=self._cuts,
                boxes=self._boxes,
                pieces=pieces,
            )
        )
        self._boxes, self._cuts = {}, []
