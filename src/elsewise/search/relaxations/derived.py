r"""Regions of models that see columns derived from others: products, ratios, and what is rounded.

A model sees columns :math:`z`, of which some are features of model space :math:`y` and others
:math:`z_j = s\,r + t`, with :math:`r = \rho(f g)` or :math:`r = \rho(f / g)` for two features :math:`f, g` of model
space, :math:`g > 0`, and :math:`\rho` rounding to multiples of :math:`u` or nothing. Within a part, :math:`r` lies in
an interval :math:`[l, h]`: of a ratio this is :math:`l g \le f \le h g`, of a product McCormick's inequalities follow
from it. What a half-space takes of :math:`r` is bounded by the tightest line: for the ratio, those of
:math:`f = r g`. Parts are divided at values of ratios, and at values of the first factor of products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import BoolArray, Estimator, FloatArray, IntArray
from .. import Exactness, Halfspaces, Reach, Region
from .polyhedra import PolyhedronUnion
from .tree_sums.region import CellBox, EnsembleRegion

# Leaves of a sum of trees up to which nearly all rows are proven within seconds.
USUALLY_PROVEN_LEAVES = 500
# Where to divide an interval, at least this share of it from either end.
SHARE_OF_INTERVAL = 0.15
# Intervals narrower than this, relative to their ends, are not divided.
NARROWEST = 1e-13
# Rounding to 32 bits, relative to what is rounded.
SHORT_ROUNDING = 2.0**-24 * 1.01
# Intervals are empty where their ends have crossed by more than this, relative to the ends.
EMPTY = 1e-9
# How far intervals keep from ties that belong to their neighbours, relative to the tie.
OFF_TIES = 1e-12
# What sums that ends of intervals are computed by may be off, relative to the ends.
INTERVAL_ROUNDING = 1e-14
# Values that rounding of doubles may put on either side of a limit, in units of what they are rounded to.
ON_GRID = 1e-6


@dataclass(frozen=True, slots=True)
class DerivedForm:
    """A column of the model that is derived.

    Attributes
    ----------
    column : int
    first, second : int
        Features of model space; the second is positive where it divides.
    divides : bool
    decimals : int or None
        What it is rounded to.
    scale, shift : float
        What the model sees is ``scale r + shift``.
    is_short : bool
        It is rounded to 32 bits.
    """

    column: int
    first: int
    second: int
    divides: bool
    decimals: int | None
    scale: float
    shift: float
    is_short: bool = False

    @property
    def unit(self) -> float:
        """What values are multiples of; zero for any."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals

    def on_grid(self, low: float, high: float) -> tuple[float, float]:
        """Smallest and largest value between two ends that it may be rounded to; the ends themselves for any."""
        if not self.unit:
            return low, high
        first, last = np.ceil(low / self.unit - ON_GRID), np.floor(high / self.unit + ON_GRID)
        return float(first * self.unit), float(last * self.unit)

    def before_rounding(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of what is rounded to values between two of the grid, off ties that go elsewhere."""
        if self.is_short:
            return low - SHORT_ROUNDING * abs(low), high + SHORT_ROUNDING * abs(high)
        if self.decimals is None:
            return low, high
        ends = []
        for end, sign in ((low, -1), (high, 1)):
            # the double that a ratio of exactly this decimal is
            tie = round(end + sign * self.unit / 2, self.decimals + 1) if np.isfinite(end) else end
            goes_on = np.isfinite(end) and sign * (np.round(tie, self.decimals) - end) > self.unit / 4
            ends.append(tie - sign * OFF_TIES * max(abs(tie), self.unit) if goes_on else tie)
        return ends[0], ends[1]

    def values(self, Y: FloatArray) -> FloatArray:
        """Values before scale and shift at points of model space, shape (n_samples,)."""
        f, g = Y[:, self.first], Y[:, self.second]
        with np.errstate(all="ignore"):
            raw = f / g if self.divides else f * g
            if self.is_short:
                return raw.astype(np.float32).astype(np.float64)
        return raw if self.decimals is None else np.round(raw, self.decimals)

    def rounding(self, low: float, high: float) -> float:
        """Return how far rounding may move values between two ends; infinite where these are."""
        return SHORT_ROUNDING * max(abs(low), abs(high)) if self.is_short else self.unit / 2


@dataclass(frozen=True, slots=True, eq=False)
class DerivedColumns:
    """Columns of a model as functions of model space.

    Attributes
    ----------
    plain : int array of shape (n_columns,)
        The feature of model space that each column is, -1 for derived ones.
    forms : tuple of DerivedForm
    n_features : int
        Of model space.
    """

    plain: IntArray
    forms: tuple[DerivedForm, ...]
    n_features: int

    def __call__(self, Y: FloatArray) -> FloatArray:
        """Columns of the model at points of model space, array of shape (n_samples, n_columns)."""
        Z = Y[:, np.maximum(self.plain, 0)]
        for form in self.forms:
            Z[:, form.column] = form.scale * form.values(Y) + form.shift
        return Z


@dataclass(frozen=True, slots=True, eq=False)
class DerivedPart:
    """A part of the inner region, and an interval of each form: of its value if it divides, else of its first factor.

    Attributes
    ----------
    inner : part of the inner region
    low, high : arrays of shape (n_forms,)
    """

    inner: Estimator
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True)
class _Node:
    """Intervals of a form: of its two features of model space, and of its value."""

    first: tuple[float, float]
    second: tuple[float, float]
    value: tuple[float, float]


class DerivedRegion(Region):
    """Where a model of derived columns decides for an outcome.

    Parameters
    ----------
    inner : PolyhedronUnion or EnsembleRegion
        Over the model's columns.
    columns : DerivedColumns
    """

    def __init__(self, inner: PolyhedronUnion | EnsembleRegion, columns: DerivedColumns) -> None:
        self.inner, self.columns = inner, columns
        self.exactness: Exactness = inner.exactness
        if isinstance(inner, EnsembleRegion) and (inner.trees.feature < 0).sum() > USUALLY_PROVEN_LEAVES:
            self.exactness = "bounded"

    def parts(self) -> Sequence[DerivedPart]:
        """Those of the model, with every value."""
        inner = range(self.inner.n_polyhedra) if isinstance(self.inner, PolyhedronUnion) else self.inner.parts()
        n = len(self.columns.forms)
        return [DerivedPart(part, np.full(n, -np.inf), np.full(n, np.inf)) for part in inner]

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the model decides so, seeing derived columns as they are written; never where one divides by zero."""
        Z = self.columns(points)
        accepted = np.asarray(np.isfinite(Z).all(axis=1))
        if accepted.any():
            accepted[accepted] = self.inner.accepts(Z[accepted])
        return accepted

    def halfspaces(self, part: DerivedPart, near: FloatArray, reach: Reach) -> Halfspaces:
        """Intervals of the forms, and what the part of the model says, relaxed over these."""
        nodes = [self._node(k, part, reach) for k in range(len(self.columns.forms))]
        is_empty = any(node.value[0] > node.value[1] + EMPTY * (1.0 + abs(node.value[0])) for node in nodes)
        if is_empty or (isinstance(part.inner, CellBox) and part.inner.is_empty):
            side = np.eye(self.columns.n_features)[:1]
            return Halfspaces(np.vstack([side, -side]), np.array([0.0, -1.0]))
        rows = [*self._of_model(part, near, nodes)]
        rows += [row for k, node in enumerate(nodes) for row in self._of_form(k, part, node)]
        normals = np.array([normal for normal, _ in rows]).reshape(len(rows), self.columns.n_features)
        return Halfspaces(normals, np.array([offset for _, offset in rows]))

    def divide(self, part: DerivedPart, near: FloatArray, reach: Reach) -> Sequence[DerivedPart]:
        """Divide where relaxing costs most; else as the model says."""
        if isinstance(self.inner, EnsembleRegion):
            z = self.columns(near[None])[0]
            outside = [self._outside(k, part, z) for k in range(len(self.columns.forms))]
            for k in np.argsort([-amount for amount in outside], kind="stable").tolist():
                halves = self._halves(k, part, near, reach) if outside[k] > 0 else []
                if halves:
                    return halves
            return [replace(part, inner=inner) for inner in self.inner.divide(part.inner, z, reach)]
        gaps = self._gaps(part, near, reach)
        for k in np.argsort(-gaps, kind="stable").tolist():
            halves = self._halves(k, part, near, reach) if gaps[k] > 0 else []
            if halves:
                return halves
        return []

    def _halves(self, k: int, part: DerivedPart, near: FloatArray, reach: Reach) -> list[DerivedPart]:
        """Divide the interval of a form near a point; none if it is too narrow for that."""
        form, node = self.columns.forms[k], self._node(k, part, reach)
        low, high = node.value if form.divides else node.first
        at = float(form.values(near[None])[0] if form.divides else near[form.first])
        step = form.unit if form.divides else 0.0
        width = high - low
        if not np.isfinite(at) or not width > max(NARROWEST * max(abs(low), abs(high), 1e-300), step / 2):
            return []
        if np.isfinite(width):
            at = float(np.clip(at, low + SHARE_OF_INTERVAL * width, high - SHARE_OF_INTERVAL * width))
        at = round(at / step) * step if step else at
        at = min(at, high - step) if step else at
        ends = [(low, at), (at + step, high)]
        return [self._with(part, k, *end) for end in ends if end[0] <= end[1] + step / 2]

    def _with(self, part: DerivedPart, k: int, low: float, high: float) -> DerivedPart:
        lows, highs = part.low.copy(), part.high.copy()
        lows[k], highs[k] = low, high
        return replace(part, low=lows, high=highs)

    def _sides(self, k: int, part: DerivedPart) -> tuple[float, float]:
        """Smallest and largest value of a form that a box of cells has."""
        form, low, high = self.columns.forms[k], -np.inf, np.inf
        if isinstance(part.inner, CellBox):
            assert isinstance(self.inner, EnsembleRegion)
            cuts, j = self.inner.cuts[form.column], form.column
            below = cuts[part.inner.low[j] - 1] if part.inner.low[j] > 0 else -np.inf
            above = cuts[part.inner.high[j]] if part.inner.high[j] < len(cuts) else np.inf
            low, high = (below - form.shift) / form.scale, (above - form.shift) / form.scale
            if np.isfinite(low):  # what is equal to a cut is before it
                low += np.sign(form.scale) * OFF_TIES * abs(low)
            low, high = min(low, high), max(low, high)
            low, high = form.on_grid(low, high)
        return (max(low, part.low[k]), min(high, part.high[k])) if form.divides else (low, high)

    def _outside(self, k: int, part: DerivedPart, z: FloatArray) -> float:
        """How far the value at a point is from the values that the part has, where only relaxing lets it in."""
        form, (low, high) = self.columns.forms[k], self._sides(k, part)
        if form.divides:
            return 0.0
        value = (z[form.column] - form.shift) / form.scale
        amount = max(low - value, value - high, 0.0)
        return amount if amount > NARROWEST * (1.0 + abs(value)) else 0.0

    def _node(self, k: int, part: DerivedPart, reach: Reach) -> _Node:
        """Intervals of a form within reach."""
        form = self.columns.forms[k]
        first, second = (_interval(place, reach) for place in (form.first, form.second))
        low, high = self._sides(k, part)
        if form.divides:
            second = max(second[0], 0.0), second[1]
            least, most = _quotients(first, second)
        else:
            first = max(first[0], part.low[k]), min(first[1], part.high[k])
            least, most = _products(first, second)
        half = form.rounding(least, most)
        within = form.on_grid(max(low, least - half), min(high, most + half)) if np.isfinite(half) else (low, high)
        return _Node(first, second, within)

    def _of_form(self, k: int, part: DerivedPart, node: _Node) -> Iterator[tuple[FloatArray, float]]:
        """Half-spaces of model space that hold where a form has the values of a part."""
        form = self.columns.forms[k]
        low, high = form.before_rounding(*self._sides(k, part))
        f, g = np.eye(self.columns.n_features)[[form.first, form.second]]
        if form.divides:
            if np.isfinite(high):
                yield f - high * g, 0.0
            if np.isfinite(low):
                yield low * g - f, 0.0
            return
        if np.isfinite(part.low[k]):
            yield -f, -part.low[k]
        if np.isfinite(part.high[k]):
            yield f, part.high[k]
        for sign, end in ((1.0, high), (-1.0, -low)):
            for a, b, c in _lines(form, node, above=sign < 0) if np.isfinite(end) else ():
                yield sign * (a * f + b * g), end - sign * c

    def _of_model(
        self, part: DerivedPart, near: FloatArray, nodes: Sequence[_Node]
    ) -> Iterator[tuple[FloatArray, float]]:
        """Half-spaces of model space that hold where the part of the model does, relaxed over intervals of forms."""
        plain, eye = self.columns.plain, np.eye(self.columns.n_features)
        if isinstance(part.inner, CellBox):
            assert isinstance(self.inner, EnsembleRegion)
            for j in np.flatnonzero(plain >= 0).tolist():
                cuts, low, high = self.inner.cuts[j], part.inner.low[j], part.inner.high[j]
                if low > 0:
                    yield -eye[plain[j]], -cuts[low - 1]
                if high < len(cuts):
                    yield eye[plain[j]], cuts[high]
            return
        assert isinstance(self.inner, PolyhedronUnion)
        for weights, limit in zip(*self.inner.polyhedron(part.inner)):
            normal = weights[plain >= 0] @ eye[plain[plain >= 0]]
            offset = float(limit)
            for form, node in zip(self.columns.forms, nodes):
                factor = float(weights[form.column] * form.scale)
                offset -= float(weights[form.column]) * form.shift
                a, b, c = _tightest(form, node, near, above=factor < 0) if factor else (0.0, 0.0, 0.0)
                normal = normal + factor * (a * eye[form.first] + b * eye[form.second])
                offset -= factor * c
            if np.isfinite(offset) and np.isfinite(normal).all():
                yield normal, offset

    def _gaps(self, part: DerivedPart, near: FloatArray, reach: Reach) -> FloatArray:
        """Return what relaxing each form costs at a point, in margins of the polyhedron; shape (n_forms,)."""
        assert isinstance(self.inner, PolyhedronUnion)
        gaps = np.zeros(len(self.columns.forms))
        A, _ = self.inner.polyhedron(part.inner)
        for k, form in enumerate(self.columns.forms):
            node, value = self._node(k, part, reach), float(form.values(near[None])[0])
            for weight in A[:, form.column].tolist():
                if weight:
                    a, b, c = _tightest(form, node, near, above=weight * form.scale < 0)
                    relaxed = a * near[form.first] + b * near[form.second] + c
                    gap = abs(weight * form.scale * (value - relaxed))
                    gaps[k] = max(gaps[k], gap if np.isfinite(gap) else np.finfo(np.float64).max)
        return gaps


def _interval(place: int, reach: Reach) -> tuple[float, float]:
    """Smallest and largest value of a feature of model space within reach."""
    space = reach.space
    form, lower, upper = space.matrix[place], reach.lower, reach.upper
    if space.coordinates.norm == 1 and np.isfinite(reach.limit):  # nothing beyond the incumbent is of interest
        farthest = reach.limit * (1.0 + NARROWEST) / space.coordinates.stretch
        lower, upper = np.maximum(lower, reach.row - farthest), np.minimum(upper, reach.row + farthest)
    with np.errstate(invalid="ignore"):
        low = np.where(form > 0, form * lower, form * upper)[form != 0].sum() + space.offset[place]
        high = np.where(form > 0, form * upper, form * lower)[form != 0].sum() + space.offset[place]
    if (form != 0).sum() == 1 and space.offset[place] == 0.0 and form.max() == 1.0:  # the feature itself
        return float(low), float(high)
    size = INTERVAL_ROUNDING * max(abs(end) for end in (low, high, 0.0) if np.isfinite(end))
    return float(low - size), float(high + size)


def _products(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    corners = [0.0 if 0.0 in (f, g) else f * g for f in first for g in second]
    return min(corners), max(corners)


def _quotients(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Interval of ``f / g`` for ``g >= 0``."""
    if second[0] > 0 and np.isfinite([*first, *second]).all():
        corners = [f / g for f in first for g in second]
        return min(corners), max(corners)
    return 0.0 if first[0] >= 0 else -np.inf, 0.0 if first[1] <= 0 else np.inf


def _lines(form: DerivedForm, node: _Node, *, above: bool) -> Iterator[tuple[float, float, float]]:
    """Lines ``a f + b g + c`` above or below the value before rounding, where its intervals are finite."""
    if not form.divides:
        (fl, fh), (gl, gh) = node.first, node.second
        pairs = ((fh, gl), (fl, gh)) if above else ((fl, gl), (fh, gh))
        for f, g in pairs:  # f g <= f' g + g' f - f' g'
            if np.isfinite(f) and np.isfinite(g):
                yield g, f, -f * g
        return
    (gl, gh), (low, high) = node.second, node.value
    half = form.rounding(low, high)
    if not np.isfinite(half):
        return
    low, high = low - half, high + half
    pairs = ((low, gl), (high, gh)) if above else ((high, gl), (low, gh))
    for r, g in pairs:  # f = r g lies above r' g + g' r - r' g' of the first pairs, below that of the second
        if np.isfinite(r) and np.isfinite(g) and g > 0:
            yield 1.0 / g, -r / g, r


def _tightest(form: DerivedForm, node: _Node, near: FloatArray, *, above: bool) -> tuple[float, float, float]:
    """Return the line above or below the rounded value that is tightest at a point; it may be infinitely far."""
    half = form.rounding(*node.value) * (1 if above else -1)
    lines = [(a, b, c + half) for a, b, c in _lines(form, node, above=above)] if np.isfinite(half) else []
    lines.append((0.0, 0.0, node.value[1] if above else node.value[0]))
    at = [a * near[form.first] + b * near[form.second] + c for a, b, c in lines]
    return lines[int(np.argmin(at) if above else np.argmax(at))]
