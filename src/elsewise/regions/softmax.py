r"""Least probabilities of a softmax of linear scores: a convex region that is no polyhedron.

Class ``c`` has a probability of at least ``p`` where

.. math:: g(z) = \log \sum_{k \ne c} \exp(s_k(z) - s_c(z)) \le \log \frac{1 - p}{p}, \qquad s(z) = W z + b .

The logarithm of a sum of exponentials is convex, so the tangent of ``g`` at any point is a half-space that holds for
the whole region: ``g(y) + grad g(y)·(z - y) <= log((1 - p) / p)``. Where a projection is not accepted, a tangent near
it cuts it off. As the sum is at least each of its terms, every rival alone gives a half-space, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..search import Halfspaces, Reach, Region

# Steps towards the boundary before a tangent is taken: it is tightest there.
_NEWTON_STEPS = 30


@dataclass(frozen=True, eq=False)
class SoftmaxRegion(Region):
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

    def parts(self) -> Sequence[int]:
        """One part: the region is convex. None if no weights lead to it."""
        if not self.normals.any():
            inside = self.accepts(np.zeros((1, self.W.shape[1])))[0]
            return (0,) if inside else ()
        return (0,)

    def halfspaces(self, part: int, near: FloatArray, reach: Reach) -> Halfspaces:
        """Give each rival's half-space, and the tangent at the boundary next to a point."""
        value, gradient = self._tangent(near)
        kept = self.normals.any(axis=1)
        if not gradient.any():
            return Halfspaces(self.normals[kept], (self.limit - self.offsets)[kept])
        return Halfspaces(
            np.vstack([self.normals[kept], gradient]),
            np.append((self.limit - self.offsets)[kept], value),
        )

    def divide(self, part: int, near: FloatArray, reach: Reach) -> Sequence[int]:
        """Nothing has to be divided: tangents cut off what is not accepted."""
        return ()

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the softmax gives the class its least probability."""
        scores = points @ self.W.T + self.b
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares[:, self.index] / shares.sum(axis=1) >= self.least)

    def _tangent(self, near: FloatArray) -> tuple[float, FloatArray]:
        """Offset and normal of the tangent where the way down from a point meets the boundary."""
        point = near
        for _ in range(_NEWTON_STEPS):
            value, gradient = self._rivals(point)
            size = float(gradient @ gradient)
            if value - self.limit <= 1e-12 * (1.0 + abs(self.limit)) or size == 0.0:
                break
            point = point - (value - self.limit) / size * gradient
        return self.limit - value + float(gradient @ point), gradient

    def _rivals(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient of ``g``, shape (n_features,)."""
        apart = self.normals @ point + self.offsets
        highest = apart.max()
        shares = np.exp(apart - highest)
        total = shares.sum()
        return float(highest + np.log(total)), (shares / total) @ self.normals
