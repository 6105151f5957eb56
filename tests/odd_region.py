"""A deliberately odd model: it accepts what lies in a ring, which is no polyhedron, and no union of a few.

Its region knows the contract alone: sectors of the ring, tangents of the outer circle, chords of the inner one, and
halves of sectors. Nothing in the library knows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from elsewise.arrays import BoolArray, FloatArray
from elsewise.models import Halfspaces, Label, Outcome, Reach, Region, register

FULL = 2.0 * np.pi
SMALLEST_SECTOR = 1e-7


class Ring(ClassifierMixin, BaseEstimator):
    """Accepts ("in") rows whose image ``map z - centre`` has a length between two radii."""

    def __init__(self, inner: float = 1.0, outer: float = 2.0, centre: Any = (0.0, 0.0), map: Any = None) -> None:
        self.inner, self.outer, self.centre, self.map = inner, outer, centre, map

    def fit(self, X: Any, y: Any = None) -> Ring:
        X = np.asarray(X)
        self.n_features_in_ = X.shape[1]
        self.map_ = np.eye(2, X.shape[1]) if self.map is None else np.asarray(self.map, dtype=float)
        self.classes_ = np.array(["in", "out"])
        return self

    def length(self, X: Any) -> FloatArray:
        return np.hypot(*((np.asarray(X, dtype=float) @ self.map_.T) - np.asarray(self.centre)).T)

    def predict(self, X: Any) -> Any:
        length = self.length(X)
        return np.where((length >= self.inner) & (length <= self.outer), "in", "out")


@dataclass(frozen=True)
class Sector:
    """Directions from ``start`` to ``start + width`` of one of the rings."""

    ring: tuple[float, float]
    start: float
    width: float


@dataclass(frozen=True, eq=False)
class Rings(Region):
    """Points whose image has a length within one of several ranges."""

    model: Ring
    ranges: tuple[tuple[float, float], ...]

    def parts(self) -> Sequence[Sector]:
        return [Sector(ring, k * FULL / 3, FULL / 3) for ring in self.ranges for k in range(3)]

    def image(self, Z: FloatArray) -> FloatArray:
        return Z @ self.model.map_.T - np.asarray(self.model.centre)

    def halfspaces(self, part: Sector, near: FloatArray, reach: Reach) -> Halfspaces:
        inner, outer = part.ring
        angles = np.array([part.start, part.start + part.width, part.start + part.width / 2])
        u = np.column_stack([np.cos(angles), np.sin(angles)])
        # counter-clockwise of the start, clockwise of the end, beyond the chord of the inner circle
        normals = [np.array([u[0, 1], -u[0, 0]]), np.array([-u[1, 1], u[1, 0]]), -u[2]]
        offsets = [0.0, 0.0, -inner * np.cos(part.width / 2)]
        if np.isfinite(outer):
            y = self.image(near[None])[0]
            towards = y / max(np.hypot(*y), 1e-300)
            normals += [towards, u[2], u[0], u[1]]
            offsets += [outer] * 4
        A, b = np.array(normals), np.array(offsets)
        return Halfspaces(A @ self.model.map_, b + A @ np.asarray(self.model.centre))

    def divide(self, part: Sector, near: FloatArray, reach: Reach) -> Sequence[Sector]:
        if part.width < SMALLEST_SECTOR:
            return ()
        half = part.width / 2
        return [Sector(part.ring, part.start, half), Sector(part.ring, part.start + half, half)]

    def accepts(self, points: FloatArray) -> BoolArray:
        length = np.hypot(*self.image(points).T)
        return np.any([(length >= low) & (length <= high) for low, high in self.ranges], axis=0)


@register(Ring)
def ring_region(model: Ring, outcome: Outcome) -> Rings:
    assert isinstance(outcome, Label)
    if outcome.index == 0:
        return Rings(model, ((model.inner, model.outer),))
    return Rings(model, ((0.0, model.inner), (model.outer, np.inf)))
