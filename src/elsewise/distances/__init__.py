"""Distances: how large a change is, in the space of the user's features.

A distance is described by `Manhattan`, `Scaled` or `Mahalanobis` and becomes definite by ``resolve``, which checks it
against the training rows and fills in what was left open. `theta(x', x)`, the paper's regularizer, is the value of the
resolved object; for Mahalanobis this is the quadratic form itself, not its root.
"""

from ..projection.distance import ResolvedDistance, ResolvedMahalanobis, ResolvedManhattan
from .mahalanobis import Mahalanobis
from .manhattan import Manhattan, Scaled
from .resolve import Distance, resolve_distance

__all__ = [
    "Distance",
    "Mahalanobis",
    "Manhattan",
    "ResolvedDistance",
    "ResolvedMahalanobis",
    "ResolvedManhattan",
    "Scaled",
    "resolve_distance",
]
