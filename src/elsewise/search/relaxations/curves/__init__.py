"""Curves: functions of one number that stand between model space and a model's columns, and what is known of them."""

from .base import AffineCurve, Curve, CurveCells
from .composition import Chained, Weighted, chained, weighted
from .known import NamedCurve, PiecewisePolynomial, PowerCurve
from .tables import PiecewiseLinear, Ranks, StepCurve

__all__ = [
    "AffineCurve",
    "CurveCells",
    "Chained",
    "Curve",
    "NamedCurve",
    "PiecewiseLinear",
    "PiecewisePolynomial",
    "PowerCurve",
    "Ranks",
    "StepCurve",
    "Weighted",
    "chained",
    "weighted",
]
