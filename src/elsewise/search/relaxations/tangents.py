"""Convex regions that are no polyhedra, ``{ z : g(z) <= limit }`` with a smooth convex ``g``: tangents approach them.

The tangent of ``g`` at any point is a half-space that holds for the whole region: ``g(y) + grad g(y)·(z - y) <=
limit``. Where a projection is not accepted, a tangent near it cuts it off.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ...arrays import FloatArray
from ...projection.distance import row_product
from .. import Cover, DividingCover, Halfspaces, Reach, Region, Space

# Tangents that cut off less than this, in units of the distance, cut off nothing: some hundred roundings of a double.
FINEST_TANGENT = 1e-14
# Steps towards the boundary before a tangent is taken, which is tightest there, and when they are over.
NEWTON_STEPS, ON_BOUNDARY = 30, 1e-12
# Tangents of points farther out than this have no digits left.
FARTHEST_TANGENT = 1e100


class TangentRegion(Region):
    """A convex region of which values and gradients of ``g`` are known; ``limit`` is an attribute."""

    limit: float

    @abstractmethod
    def values(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values of ``g``, shape (n_samples,), and its gradients, shape (n_samples, n_features)."""

    @abstractmethod
    def known_halfspaces(self) -> tuple[FloatArray, FloatArray]:
        """Half-spaces that hold for all of it, normals of shape (n, n_features) and offsets of shape (n,)."""

    @abstractmethod
    def sizes(self, magnitudes: FloatArray) -> FloatArray:
        """Sizes of the terms that ``g`` is made of, for magnitudes of features; shape (n_samples,)."""

    def halfspaces(self, part: int, near: FloatArray, reach: Reach) -> Halfspaces:
        """Return what always holds, and tangents where two ways down from a point meet the boundary.

        The steepest way in model space, and that of the one feature by which most is gained for its price: without a
        density and rules the nearest point often changes one feature alone.
        """
        normals, offsets = self.known_halfspaces()
        gradient = self.values(near[None])[1][0]
        ways = [gradient]
        if reach.space.coordinates.norm == 1:
            gain = np.abs(gradient @ reach.space.matrix) / reach.space.coordinates.stretch
            ways.append(reach.space.matrix[:, int(gain.argmax())])
        for way in ways:
            offset, normal = self._tangent(near, way)
            normals, offsets = np.vstack([normals, normal]), np.append(offsets, offset)
        kept = normals.any(axis=1)
        return Halfspaces(normals[kept], offsets[kept])

    def divide(self, part: int, near: FloatArray, reach: Reach) -> Sequence[int]:
        """Nothing has to be divided: tangents cut off what is not accepted."""
        return ()

    def cover(self, space: Space) -> Cover:
        """Cover the region; how deep points lie in it is known, too."""
        return TangentCover(self, space)

    def _tangent(self, near: FloatArray, way: FloatArray) -> tuple[float, FloatArray]:
        """Offset and normal of the tangent next to where a way from a point meets the boundary, by Newton's steps.

        It cuts the point off, if that is not accepted: as long as it goes down, the way back to the point goes up.
        """
        offset, normal, point, first_slope = 0.0, way, near, 0.0
        for _ in range(NEWTON_STEPS):
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # where the way misses the boundary, steps may be endless
                values, gradients = self.values(point[None])
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


class TangentCover(DividingCover):
    """Cover of a :class:`TangentRegion`: points that lie on its boundary up to rounding are known to do so.

    Tangents approach the boundary from outside: without this, the last of them would miss it by rounding for ever.

    Parameters
    ----------
    region : TangentRegion
    space : Space
    """

    finest_cut = FINEST_TANGENT

    def __init__(self, region: TangentRegion, space: Space) -> None:
        super().__init__(region, space)
        self.convex = region

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Return the distance to the boundary along the gradient, positive inside."""
        assert points is not None
        values, gradients = self.convex.values(self.space.in_model_space(points))
        normals, _ = self.space.coordinates.pull_back(*self.space.pulled_back(gradients, np.zeros(len(gradients))))
        is_sum = self.space.coordinates.norm == 1
        size = np.abs(normals).max(axis=1, initial=0.0) if is_sum else np.sqrt((normals**2).sum(axis=1))
        room = self.convex.limit - values
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.where(size > 0, room / size, np.where(room >= 0, np.inf, -np.inf))
        unit = np.abs(self.space.coordinates.points(points)).max(axis=1, initial=0.0)
        depth[depth < -2.0 * FINEST_TANGENT * (1.0 + unit)] = -np.inf  # a tangent cuts it off
        return np.repeat(depth[:, None], self.n_parts, axis=1)

    def relative_depth(self, points: FloatArray, plain: FloatArray) -> FloatArray:
        """Compare the room that is left with the sizes of the terms that the model adds up."""
        region, space = self.convex, self.space
        magnitudes = row_product(np.abs(points), np.abs(space.matrix).T) + np.abs(space.offset)
        size = region.sizes(magnitudes) + abs(region.limit)
        room = region.limit - region.values(space.in_model_space(points))[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(size > 0, room / size, np.where(room >= 0, np.inf, -np.inf))
        is_cut_off = np.isneginf(self.depth(points))
        return np.where(is_cut_off, -np.inf, share[:, None])
