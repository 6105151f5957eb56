"""First answers: what a cover is asked for before anything is proven."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...arrays import BoolArray, FloatArray
from ..domains.clauses import Clauses
from ..domains.special_codes import NumberPieces
from .inside import RowCone


@dataclass(frozen=True, slots=True)
class Proposal:
    """What first answers of one row have to keep.

    Attributes
    ----------
    row, lower, upper : arrays of shape (n_features,)
    integer : bool array of shape (n_features,)
        Features that must be whole, unless they stay as they are.
    ellipsoids : sequence of RowCone
        Of which one has to hold an answer; none without a density.
    cutoff : float
        Only points nearer than this are wanted.
    margin : float
    seconds : float
    per_change : float
        What every change costs beside its size.
    pieces : NumberPieces or None
    clauses : Clauses or None
        Of the row alone.
    holds : function of points of shape (n, n_features), or None
        Whether points keep everything that is asked but for the model, shape (n,); None where limits and ellipsoids are
        all there is.
    """

    row: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    ellipsoids: Sequence[RowCone]
    cutoff: float
    margin: float
    seconds: float
    per_change: float = 0.0
    pieces: NumberPieces | None = None
    clauses: Clauses | None = None
    holds: Callable[[FloatArray], BoolArray] | None = None
