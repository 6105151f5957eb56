"""Certificates: the proof of an answer, written so that a separate program can check it.

The format and its formulas are described in ``docs/proofs.md``. The checker, :mod:`elsewise_check`, imports nothing of
this package; this package imports nothing of the checker.
"""

from .certificate import Proof
from .ensembles import StatedTrees
from .prover import prove
from .regions import (
    AffineView,
    NotCertifiedError,
    StatedEllipsoids,
    StatedPolyhedra,
    StatedSums,
)
from .statement import StatedGoal, Statement, limits

__all__ = [
    "AffineView",
    "NotCertifiedError",
    "Proof",
    "StatedEllipsoids",
    "StatedGoal",
    "StatedPolyhedra",
    "StatedSums",
    "StatedTrees",
    "Statement",
    "limits",
    "prove",
]
