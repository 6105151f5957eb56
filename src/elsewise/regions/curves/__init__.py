"""Curves: functions of one number that stand between model space and a model's columns, and what is known of them."""

from .base import Affine, Cells, Curve
from .known import Known, Power
from .polynomials import PiecewisePolynomial
from .put_together import Chained, Weighted, chained, weighted
from .tables import PiecewiseLinear, Ranks, Steps

__all__ = [
    "Affine",
    "Cells",
    "Chained",
    "Curve",
    "Known",
    "PiecewiseLinear",
    "PiecewisePolynomial",
    "Power",
    "Ranks",
    "Steps",
    "Weighted",
    "chained",
    "weighted",
]
