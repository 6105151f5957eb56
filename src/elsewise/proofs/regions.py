"""Regions and densities as certificates state them: plain numbers, over what a model sees of features."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..search.cones import Cones
from ..search.relaxations.polyhedra import PolyhedronUnion
from ..search.relaxations.unit_sums.functions import IDENTITY, LOGISTIC, RELU, SQUARE, TANH, Function, Mixed
from ..search.relaxations.unit_sums.units import Layer, Sums

# Half-spaces that a point misses by more than this, relative to their terms, do not hold it for sure.
SURELY_OUTSIDE = 1e-9


class NotCertifiedError(Exception):
    """Why there is no certificate of an answer; the answer itself is none the worse."""


@dataclass(frozen=True, slots=True, eq=False)
class AffineView:
    """What a model or a density sees of features, ``z = matrix x + offset``.

    Attributes
    ----------
    matrix, offset : arrays of shape (n_out, n_features), (n_out,)
    """

    matrix: FloatArray
    offset: FloatArray

    @property
    def as_json(self) -> dict[str, Any]:
        """The map by rows, zeros left out."""
        rows = [[[int(j), float(row[j])] for j in np.flatnonzero(row)] for row in self.matrix]
        return {"rows": rows, "offset": self.offset.tolist()}


def _exact_dot(factors: FloatArray, values: list[Fraction]) -> Fraction:
    return sum((Fraction(factors[j]) * values[j] for j in np.flatnonzero(factors)), Fraction(0))


def as_text(value: Any) -> str:
    """Write a value as a certificate does."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


class Stated:
    """A region as text, which all certificates of a model share."""

    @property
    def as_json(self) -> dict[str, Any]:
        """What a header says of it."""
        raise NotImplementedError

    @cached_property
    def text(self) -> str:
        """The same as text."""
        return as_text(self.as_json)


@dataclass(frozen=True, eq=False)
class StatedPolyhedra(Stated):
    """A region that is a union of listed polyhedra.

    Attributes
    ----------
    region : PolyhedronUnion
        In model space.
    view : AffineView
    """

    region: PolyhedronUnion
    view: AffineView

    @property
    def n_parts(self) -> int:
        """Number of polyhedra."""
        return self.region.n_polyhedra

    def halfspaces(self, part: int) -> tuple[FloatArray, FloatArray]:
        """Half-spaces ``(A, b)`` of features, ``A x <= b``, of a part."""
        A, b = self.region.polyhedron(part)
        return A @ self.view.matrix, b - A @ self.view.offset

    @cached_property
    def limits(self) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray] | None:
        """Half-spaces ``slope x_f <= slope end`` of one feature: their parts, places there, f, slopes and ends.

        None if parts are shifted.
        """
        region = self.region
        if region.shifts.any() or region.shift_offsets.any():
            return None
        A = region.normals @ self.view.matrix
        b = region.offsets - region.normals @ self.view.offset
        single = np.flatnonzero((A != 0).sum(axis=1) == 1)
        f = np.argmax(A[single] != 0, axis=1)
        slope = A[single, f]
        listed = [
            (k, r, r - start) for k, (start, stop) in enumerate(region.spans.tolist()) for r in range(start, stop)
        ]
        part, row, place = np.array(listed, dtype=np.int64).reshape(-1, 3).T
        where = np.full(len(A), -1)
        where[single] = np.arange(len(single))
        kept = where[row] >= 0
        at = where[row[kept]]
        return part[kept], place[kept], f[at], slope[at], b[single][at] / slope[at]

    @property
    def n_operations(self) -> int:
        """How many roundings the checker allows for in a half-space."""
        return 2 * len(self.view.matrix) + 16

    def sizes(self, part: int, most: FloatArray) -> FloatArray:
        """Sizes of the terms of half-spaces of a part where ``|x| <= most``, array of shape (n_halfspaces,)."""
        region = self.region
        start, stop = region.spans[part]
        seen = np.abs(self.view.matrix) @ most + np.abs(self.view.offset)
        normals = np.abs(region.normals[start:stop]) + np.abs(region.shifts[part])
        return np.asarray(normals @ seen + np.abs(region.offsets[start:stop]) + abs(region.shift_offsets[part]))

    def holds(self, point: FloatArray) -> bool:
        """Whether a part holds a point in exact arithmetic, not by the rounding of a model at a tie."""
        region, view = self.region, self.view
        seen = [_exact_dot(row, list(map(Fraction, point))) + Fraction(o) for row, o in zip(view.matrix, view.offset)]
        for part, (start, stop) in enumerate(region.spans.tolist()):
            A, b = self.halfspaces(part)
            if (A @ point - b > SURELY_OUTSIDE * self.sizes(part, np.abs(point))).any():
                continue
            shift = _exact_dot(region.shifts[part], seen) - Fraction(region.shift_offsets[part])
            pairs = zip(region.normals[start:stop], region.offsets[start:stop])
            if all(_exact_dot(normal, seen) - shift <= Fraction(offset) for normal, offset in pairs):
                return True
        return False

    @property
    def as_json(self) -> dict[str, Any]:
        """The polyhedra over one table of half-spaces."""
        region, parts = self.region, []
        for (start, stop), shift, offset in zip(region.spans.tolist(), region.shifts, region.shift_offsets.tolist()):
            part: dict[str, Any] = {"start": start, "stop": stop}
            if shift.any() or offset:
                part |= {"shift": shift.tolist(), "shift_offset": offset}
            parts.append(part)
        return {
            "kind": "polyhedra",
            "map": self.view.as_json,
            "normals": region.normals.tolist(),
            "offsets": region.offsets.tolist(),
            "parts": parts,
        }


# Functions of units that the checker knows.
_FUNCTIONS: dict[Function, str] = {
    RELU: "relu",
    IDENTITY: "identity",
    SQUARE: "square",
    TANH: "tanh",
    LOGISTIC: "logistic",
}


def _function_names(function: Function, n_units: int) -> list[str]:
    if isinstance(function, Mixed):
        return [name for part, n in function.parts for name in _function_names(part, n)]
    if type(function) not in {type(known) for known in _FUNCTIONS} or function not in _FUNCTIONS:
        raise NotCertifiedError("curves of columns have no certificates yet")
    return [_FUNCTIONS[function]] * n_units


@dataclass(frozen=True, eq=False)
class StatedSums(Stated):
    """A region where sums of units, functions of linear forms, are not negative.

    Attributes
    ----------
    sums : Sums
        In model space.
    view : AffineView
    is_empty : bool
        The model never decides so.
    """

    sums: Sums
    view: AffineView
    is_empty: bool
    functions: tuple[list[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(_function_names(layer.function, len(layer.b)) for layer in self.sums.layers)
        object.__setattr__(self, "functions", names)

    @property
    def n_parts(self) -> int:
        """One, or none."""
        return 0 if self.is_empty else 1

    def of_features(self) -> Sums:
        """Return the sums as functions of features."""
        first, *others = self.sums.layers
        M, m = self.view.matrix, self.view.offset
        moved = Layer(first.W @ M, first.b + first.W @ m, first.function)
        return Sums((moved, *others), self.sums.C, self.sums.D @ M, self.sums.d + self.sums.D @ m, self.sums.log_odds)

    @property
    def as_json(self) -> dict[str, Any]:
        """One part of half-spaces, whose terms are features and units."""
        sums = self.sums
        said: dict[str, Any] = {
            "kind": "polyhedra",
            "map": self.view.as_json,
            "normals": (-sums.D).tolist(),
            "offsets": sums.d.tolist(),
            "parts": [] if self.is_empty else [{"start": 0, "stop": len(sums.d)}],
            "layers": [
                {"weights": layer.W.tolist(), "offsets": layer.b.tolist(), "functions": names}
                for layer, names in zip(sums.layers, self.functions)
            ],
            "units": (-sums.C).tolist(),
        }
        return said if sums.log_odds is None else {**said, "log_odds": sums.log_odds}


@dataclass(frozen=True, slots=True, eq=False)
class StatedEllipsoids:
    """Ellipsoids ``|F (M x + m - c)|^2 + p.x <= r``.

    Attributes
    ----------
    cones : Cones
    view : AffineView
        From features to the numbers that the cones are about.
    indicators : int array
        Features that penalties are about, in their order.
    """

    cones: Cones
    view: AffineView
    indicators: Any

    @property
    def n_ellipsoids(self) -> int:
        """Number of ellipsoids."""
        return len(self.cones.radii)

    def ellipsoid(self, number: int) -> tuple[FloatArray, FloatArray, float, FloatArray]:
        """``(F M, F (c - m), r, p)`` of an ellipsoid, with p over all features."""
        cones, view = self.cones, self.view
        factor = cones.factors[cones.shape[number]]
        penalties = np.zeros(view.matrix.shape[1])
        if cones.penalties.size:
            penalties[self.indicators] = cones.penalties[number]
        centre = factor @ (cones.centres[number] - view.offset)
        return factor @ view.matrix, centre, float(cones.radii[number] ** 2), penalties

    @property
    def as_json(self) -> dict[str, Any]:
        """Shapes, and the ellipsoids that have them."""
        cones, listed = self.cones, []
        for number in range(self.n_ellipsoids):
            each: dict[str, Any] = {
                "shape": int(cones.shape[number]),
                "centre": cones.centres[number].tolist(),
                "squared_radius": float(cones.radii[number] ** 2),
            }
            if cones.penalties.size:
                pairs = zip(self.indicators.tolist(), cones.penalties[number].tolist())
                each["penalties"] = [[feature, value] for feature, value in pairs if value]
            listed.append(each)
        return {"map": self.view.as_json, "shapes": cones.factors.tolist(), "ellipsoids": listed}
