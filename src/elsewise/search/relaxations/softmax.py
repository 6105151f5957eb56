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

from ...arrays import BoolArray, FloatArray
from ...projection.coordinates import row_product
from .. import Cover, DividingCover, Halfspaces, Reach, Region, Space

# Tangents that cut off less than this, in units of the distance, cut off nothing: some hundred roundings of a double.
FINEST_TANGENT = 1e-14
# Steps towards the boundary before a tangent is taken, which is tightest there, and when they are over.
NEWTON_STEPS, ON_BOUNDARY = 30, 1e-12
# Tangents of points farther out than this have no digits left.
FARTHEST_TANGENT = 1e100


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
        """Give each rival's half-space, and tangents where two ways down from a point meet the boundary.

        The steepest way in model space, and that of the one feature by which most is gained for its price: without a
        density and rules the nearest point often changes one feature alone.
        """
        rivals, offsets = self.normals, self.limit - self.offsets
        gradient = self.rivals(near[None])[1][0]
        ways = [gradient]
        if reach.space.coordinates.norm == 1:
            gain = np.abs(gradient @ reach.space.matrix) / reach.space.coordinates.stretch
            ways.append(reach.space.matrix[:, int(gain.argmax())])
        for way in ways:
            offset, normal = self._tangent(near, way)
            rivals, offsets = np.vstack([rivals, normal]), np.append(offsets, offset)
        kept = rivals.any(axis=1)
        return Halfspaces(rivals[kept], offsets[kept])

    def divide(self, part: int, near: FloatArray, reach: Reach) -> Sequence[int]:
        """Nothing has to be divided: tangents cut off what is not accepted."""
        return ()

    def cover(self, space: Space) -> Cover:
        """Cover the region; how deep points lie in it is known, too."""
        return SoftmaxCover(self, space)

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the softmax gives the class its least probability."""
        scores = points @ self.W.T + self.b
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(shares[:, self.index] / shares.sum(axis=1) >= self.least)

    def _tangent(self, near: FloatArray, way: FloatArray) -> tuple[float, FloatArray]:
        """Offset and normal of the tangent next to where a way from a point meets the boundary, by Newton's steps.

        It cuts the point off, if that is not accepted: as long as it goes down, the way back to the point goes up.
        """
        offset, normal, point, first_slope = 0.0, way, near, 0.0
        for _ in range(NEWTON_STEPS):
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # where the way misses the boundary, steps may be endless
                values, gradients = self.rivals(point[None])
                value, slope = float(values[0]), float(gradients[0] @ way)
            first_slope = first_slope or slope
            is_near = bool(np.abs(point).max(initial=0.0) < FARTHEST_TANGENT)
            if not (np.isfinite(value) and is_near and slope * first_slope >= 0):
                break  # the way misses the boundary: the last tangent will do
            offset, normal = self.limit - value + float(gradients[0] @ point), gradients[0]
            if value - self.limit <= ON_BOUNDARY * (1.0 + abs(self.limit)) or slope == 0.0:
                break
            point = point - (value - self.limit) / slope * way
        return offset, normal

    def rivals(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values of ``g``, shape (n_samples,), and its gradients, shape (n_samples, n_features)."""
        apart = points @ self.normals.T + self.offsets
        highest = apart.max(axis=1, keepdims=True)
        shares = np.exp(apart - highest)
        total = shares.sum(axis=1, keepdims=True)
        return (highest + np.log(total))[:, 0], (shares / total) @ self.normals


class SoftmaxCover(DividingCover):
    """Cover of a :class:`SoftmaxRegion`: points that lie on its boundary up to rounding are known to do so.

    Tangents approach the boundary from outside: without this, the last of them would miss it by rounding for ever.

    Parameters
    ----------
    region : SoftmaxRegion
    space : Space
    """

    finest_cut = FINEST_TANGENT

    def __init__(self, region: SoftmaxRegion, space: Space) -> None:
        super().__init__(region, space)
        self.softmax = region

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Give the distance to the boundary along the gradient, positive inside."""
        assert points is not None
        values, gradients = self.softmax.rivals(self.space.in_model_space(points))
        normals, _ = self.space.coordinates.pull_back(*self.space.pulled_back(gradients, np.zeros(len(gradients))))
        is_sum = self.space.coordinates.norm == 1
        size = np.abs(normals).max(axis=1, initial=0.0) if is_sum else np.sqrt((normals**2).sum(axis=1))
        room = self.softmax.limit - values
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.where(size > 0, room / size, np.where(room >= 0, np.inf, -np.inf))
        unit = np.abs(self.space.coordinates.points(points)).max(axis=1, initial=0.0)
        depth[depth < -2.0 * FINEST_TANGENT * (1.0 + unit)] = -np.inf  # a tangent cuts it off
        return np.repeat(depth[:, None], self.n_parts, axis=1)

    def relative_depth(self, points: FloatArray, plain: FloatArray) -> FloatArray:
        """Compare the room that is left with the sizes of the terms that the model adds up."""
        region, space = self.softmax, self.space
        magnitudes = row_product(np.abs(points), np.abs(space.matrix).T) + np.abs(space.offset)
        sizes = row_product(magnitudes, np.abs(region.normals).T) + np.abs(region.offsets)
        size = sizes.max(axis=1, initial=0.0) + abs(region.limit)
        room = region.limit - region.rivals(space.in_model_space(points))[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(size > 0, room / size, np.where(room >= 0, np.inf, -np.inf))
        is_cut_off = np.isneginf(self.depth(points))
        return np.where(is_cut_off, -np.inf, share[:, None])
