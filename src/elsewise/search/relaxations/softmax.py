r"""Least probabilities of a softmax of linear scores: a convex region that is no polyhedron.

Class ``c`` has a probability of at least ``p`` where

.. math:: g(z) = \log \sum_{k \ne c} \exp(s_k(z) - s_c(z)) \le \log \frac{1 - p}{p}, \qquad s(z) = W z + b .

The logarithm of a sum of exponentials is convex: tangents approach the region (:mod:`.tangents`). As the sum is at
least each of its terms, every rival alone gives a half-space, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...projection.distance import row_product
from .tangents import TangentRegion
from .unit_sums.functions import IDENTITY
from .unit_sums.units import Layer, Sums


@dataclass(frozen=True, eq=False)
class SoftmaxRegion(TangentRegion):
    """Where the softmax of linear scores gives one class at least a probability.

    Attributes
    ----------
    W : array of shape (n_classes, n_features)
    b : array of shape (n_classes,)
    index : int
        The class.
    least : float
        Its least probability, between 0 and 1.
    """

    W: FloatArray
    b: FloatArray
    index: int
    least: float
    normals: FloatArray = field(init=False)
    offsets: FloatArray = field(init=False)
    limit: float = field(init=False)

    def __post_init__(self) -> None:
        others = np.arange(len(self.W)) != self.index
        object.__setattr__(self, "normals", (self.W - self.W[self.index])[others])
        object.__setattr__(self, "offsets", (self.b - self.b[self.index])[others])
        object.__setattr__(self, "limit", float(np.log1p(-self.least) - np.log(self.least)))

    @property
    def sums(self) -> Sums:
        """The leads over all rivals, as sums of no units, of which the soft minimum has to be large enough."""
        n = self.W.shape[1]
        nothing = Layer(np.empty((0, n)), np.empty(0), IDENTITY)
        return Sums((nothing,), np.empty((len(self.offsets), 0)), -self.normals, -self.offsets, self.limit)

    def parts(self) -> Sequence[int]:
        """One part: the region is convex. None if no weights lead to it."""
        if not self.normals.any():
            inside = self.accepts(np.zeros((1, self.W.shape[1])))[0]
            return (0,) if inside else ()
        return (0,)

    def known_halfspaces(self) -> tuple[FloatArray, FloatArray]:
        """Return each rival's half-space."""
        return self.normals, self.limit - self.offsets

    def sizes(self, magnitudes: FloatArray) -> FloatArray:
        """Sizes of the scores' terms."""
        sizes = row_product(magnitudes, np.abs(self.normals).T) + np.abs(self.offsets)
        return np.asarray(sizes.max(axis=1, initial=0.0))

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the softmax gives the class its least probability."""
        scores = points @ self.W.T + self.b
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares[:, self.index] / shares.sum(axis=1) >= self.least)

    def values(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values of ``g``, shape (n_samples,), and its gradients, shape (n_samples, n_features)."""
        apart = points @ self.normals.T + self.offsets
        highest = apart.max(axis=1, keepdims=True)
        shares = np.exp(apart - highest)
        total = shares.sum(axis=1, keepdims=True)
        return (highest + np.log(total))[:, 0], (shares / total) @ self.normals
