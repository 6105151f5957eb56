"""Multipliers that bound a node: those of its convex relaxation, projected onto by the library's own projector.

Any multipliers prove something; these prove the most that a relaxation can. Indicators of a category move from the
row's own level, whose share is what the others leave.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..projection import Projection, project
from ..projection.distance import ResolvedManhattan
from .nodes import NodeCosts, ProofNode
from .regions import StatedPolyhedra
from .statement import Statement

# Factors on multipliers that prove a set empty: the bound grows with them until rounding does.
FARKAS_FACTORS = tuple(4.0**k for k in range(-6, 30))
# What the checker allows for: roundings of sums, a little more than it does, of densities, and of distances to points.
ROUNDING, DENSITY_ROUNDING, DISTANCE_ROUNDING = 1.01 * 2.0**-52, 1.01e-9, 1.01e-9
# Rounding of a bound in doubles, relative to the sizes of its terms.
DOUBLES = 2.0**-51
# Larger multipliers are what is left of a projection that diverged.
MOST = 1e60
# Projections go on until what is proven exceeds the bound by this factor.
BEYOND = 1.001


@dataclass(slots=True, eq=False)
class NodeMultipliers:
    """Multipliers of a node; see ``docs/proofs.md``.

    Attributes
    ----------
    parts, rules, apart : arrays of shape (n_halfspaces,), (n_rules,), (n_apart,)
    kappa : float
        Of the ellipsoid; 0 without one.
    image : array of shape (q,)
    """

    parts: FloatArray = field(default_factory=lambda: np.empty(0))
    rules: FloatArray = field(default_factory=lambda: np.empty(0))
    apart: FloatArray = field(default_factory=lambda: np.empty(0))
    kappa: float = 0.0
    image: FloatArray = field(default_factory=lambda: np.empty(0))

    def scaled(self, factor: float) -> NodeMultipliers:
        """Return a multiple."""
        return NodeMultipliers(*(factor * getattr(self, each.name) for each in fields(self)))

    @property
    def as_json(self) -> dict[str, Any]:
        """Multipliers that are not zero."""
        said: dict[str, Any] = {}
        for name, values in (("parts", self.parts), ("rules", self.rules), ("apart", self.apart)):
            pairs = [[int(place), float(values[place])] for place in np.flatnonzero(values > 0)]
            if pairs:
                said[name] = pairs
        if self.kappa > 0:
            said["ellipsoid"] = {"kappa": self.kappa, "image": self.image.tolist()}
        return said


@dataclass(frozen=True, slots=True, eq=False)
class BoundedNode:
    """What a node's relaxation says.

    Attributes
    ----------
    multipliers : NodeMultipliers
    bound : float
        What they prove, in doubles.
    point : array of shape (n_features,), or None
        The relaxed optimum.
    """

    multipliers: NodeMultipliers
    bound: float
    point: FloatArray | None


class _Weighted:
    """Weights that are resolved already, as a distance."""

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights

    def resolve(self, X: Any, /) -> ResolvedManhattan:
        return ResolvedManhattan(self.weights)


class NodeRelaxation:
    """Solves nodes of one statement."""

    def __init__(self, statement: Statement, costs: NodeCosts) -> None:
        self.statement, self.costs = statement, costs
        self.most = np.abs(statement.row) + costs.reach

    def solve(self, box: ProofNode) -> BoundedNode | None:
        """Project the row onto what is convex in a node; None if the row's own level of a category is out of it.

        A category of which one level is left is moved there beforehand.
        """
        low, high = self.costs.limits(box)
        row = self.statement.row.copy()
        moving, replaced = np.ones(len(row), dtype=np.bool_), np.full(len(row), -1)
        for number, features in enumerate(self.costs.categories):
            left = self.costs.levels(box, number)
            own = int(features[row[features] == 1][0])
            moving[features] = False
            if len(left) == 1:
                row[features] = 0.0
                row[left[0]] = 1.0
            elif own not in left:
                return None
            else:
                others = [f for f in left if f != own]
                moving[others], replaced[others] = True, own
        numeric = self.costs.numeric
        if (low[numeric] > high[numeric]).any():
            return BoundedNode(NodeMultipliers(), np.inf, None)
        fixed = numeric[low[numeric] == high[numeric]]
        row[fixed], moving[fixed] = low[fixed], False
        return self._solve(box, row, low, high, moving, replaced)

    def _solve(
        self, box: ProofNode, row: FloatArray, low: FloatArray, high: FloatArray, moving: Any, replaced: Any
    ) -> BoundedNode:
        """Solve in the moves of the features that move, from a row with its decided levels."""
        A, b, F, g, h0, h1 = self._constraints(box, row)
        kept, own = np.flatnonzero(moving), replaced[moving]
        prices = self.statement.prices[kept] + np.where(own >= 0, self.statement.prices[own], 0.0)

        def reduced(matrix: FloatArray) -> FloatArray:
            return np.asarray(matrix[..., kept] - np.where(own >= 0, matrix[..., own], 0.0))

        indicator = own >= 0
        plain = reduced(A)
        binding = np.flatnonzero(plain.any(axis=1))
        normals, offsets = [plain[binding]], [b[binding]]
        for category in np.unique(own[indicator]).tolist():
            normals.append((own == category).astype(float)[None])
            offsets.append(np.ones(1))
        fixed = np.flatnonzero(~plain.any(axis=1) & (b < 0))
        if len(kept) == 0 or len(fixed):
            broken = self._broken(box, row, len(b), fixed)
            if len(kept) == 0 or broken.bound >= self.costs.bound:
                return replace(broken, point=row)
        cone = {} if F is None else {"F": reduced(F), "g": g, "h0": h0, "h1": reduced(h1)}
        asked: dict[str, Any] = {
            "distance": _Weighted(prices),
            "A": np.concatenate(normals),
            "b": np.concatenate(offsets),
            "lower": np.where(indicator, 0.0, (low - row)[kept]),
            "upper": np.where(indicator, 1.0, (high - row)[kept]),
            **cone,
        }
        for cutoff in (self.costs.bound * BEYOND, None):
            found = project(np.zeros((1, len(kept))), cutoff=cutoff, **asked)
            best = self._best(box, found, binding, len(b))
            if best.bound >= self.costs.bound or np.isfinite(found.distance[0]):
                break
        point = row.copy()
        moves = found.x[0]
        point[kept] += moves
        np.subtract.at(point, own[indicator], moves[indicator])
        return replace(best, point=point if np.isfinite(point).all() else None)

    def _best(self, box: ProofNode, found: Projection, binding: Any, n_given: int) -> BoundedNode:
        """Evaluate the multipliers of a projection; where they prove a set empty, multiples of them, too."""
        rows, cone = np.zeros(n_given), found.cone_multipliers[0]
        rows[binding] = found.row_multipliers[0, : len(binding)]
        if np.isfinite(found.distance[0]):
            return self.bounded(box, self._multipliers(box, rows, cone))
        largest = max(np.abs(rows).max(initial=0.0), np.abs(cone).max(initial=0.0))
        if largest == 0 or not np.isfinite(largest):
            return self.bounded(box, NodeMultipliers())
        whole = self.bounded(box, self._multipliers(box, rows, cone) if largest < MOST else NodeMultipliers())
        if whole.bound >= self.costs.bound * BEYOND:
            return whole
        multiple = self._best_multiple(box, self._multipliers(box, rows / largest, cone / largest))
        return multiple if multiple.bound > whole.bound else whole

    def _best_multiple(self, box: ProofNode, one: NodeMultipliers) -> BoundedNode:
        """Find how many times some multipliers prove enough: what they prove is concave in that, 0 for none of them."""
        slopes, constant = self.linear(box, one)
        constant += float(slopes @ self.statement.row) - self._doubtful(box, one)
        best, chosen = -np.inf, 0.0
        for factor in FARKAS_FACTORS:
            bound = self.costs.least(box, factor * slopes) + factor * constant
            if bound < best or best >= self.costs.bound * BEYOND:
                break
            best, chosen = bound, factor
        return BoundedNode(one.scaled(chosen), best, None)

    def _broken(self, box: ProofNode, row: FloatArray, n_given: int, places: Any) -> BoundedNode:
        """Bound a node by the constraints, one at a time, that no move changes and the row with its levels breaks."""
        pushed = []
        for place in places.tolist():
            one = np.zeros(n_given)
            one[place] = 1.0
            pushed.append(self._best_multiple(box, NodeMultipliers(*self._sorted(one))))
        if box.ellipsoid >= 0:
            density = self.statement.goals[box.goal].density
            assert density is not None
            F, g, _, _ = density.ellipsoid(box.ellipsoid)
            pushed.append(self._best_multiple(box, NodeMultipliers(kappa=1.0, image=2.0 * (F @ row - g))))
        return max((self.bounded(box, NodeMultipliers()), *pushed), key=lambda each: each.bound)

    def _constraints(self, box: ProofNode, row: FloatArray) -> tuple[Any, ...]:
        """Half-spaces and cone of a node, for moves from a row."""
        domain, n = self.statement.domain, len(row)
        A, b, _ = self._halfspaces(box)
        of_apart, far = self._kept_apart(box)
        A, b = np.concatenate([A, domain.normals, of_apart]), np.concatenate([b, domain.offsets, far])
        if box.ellipsoid < 0:
            return A, b - A @ row, None, None, 0.0, None
        density = self.statement.goals[box.goal].density
        assert density is not None
        F, g, squared, penalties = density.ellipsoid(box.ellipsoid)
        if not penalties.any():
            return A, b - A @ row, F, g - F @ row, float(np.sqrt(max(squared, 0.0))), np.zeros(n)
        # |u|^2 <= s, s = squared - p.x, is |(u, (s - k^2) / 2k)| <= (s + k^2) / 2k
        k = float(np.sqrt(squared)) if squared > 1e-6 else 1.0
        s0 = squared - float(penalties @ row)
        F = np.vstack([F, -penalties / (2 * k)])
        g = np.append(g - F[:-1] @ row, -(s0 - k * k) / (2 * k))
        return A, b - A @ row, F, g, (s0 + k * k) / (2 * k), -penalties / (2 * k)

    def _halfspaces(self, box: ProofNode) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Half-spaces ``A x <= b`` of the region in a node, and what the checker allows for rounding."""
        if box.part < 0:
            return np.empty((0, len(self.most))), np.empty(0), np.empty(0)
        if box.cuts is not None:
            return box.cuts.A, box.cuts.b, np.zeros(len(box.cuts.b))
        region = self.statement.goals[box.goal].region
        assert isinstance(region, StatedPolyhedra)
        rounding = ROUNDING * (2 * region.view.matrix.shape[0] + 16) * region.sizes(box.part, self.most)
        return *region.halfspaces(box.part), rounding

    def _multipliers(self, box: ProofNode, rows: FloatArray, cone: FloatArray) -> NodeMultipliers:
        """Read the projector's multipliers as those of the certificate."""
        found = NodeMultipliers(*self._sorted(np.maximum(rows, 0.0)))
        if box.ellipsoid < 0 or len(cone) < 2:
            return found
        density = self.statement.goals[box.goal].density
        assert density is not None
        _, _, squared, penalties = density.ellipsoid(box.ellipsoid)
        if penalties.any():
            k = float(np.sqrt(squared)) if squared > 1e-6 else 1.0
            found.image, found.kappa = -cone[1:-1], float(cone[0] + cone[-1]) / (2 * k)
        else:
            found.image = -cone[1:]
            found.kappa = float(np.linalg.norm(found.image)) / (2 * float(np.sqrt(squared))) if squared > 0 else 0.0
        if found.kappa <= 0:
            found.kappa, found.image = 0.0, np.empty(0)
        return found

    def _sorted(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Take numbers of half-spaces, rules and distances that are kept apart."""
        last = len(rows) - len(self.statement.apart)
        first = last - len(self.statement.domain.offsets)
        return rows[:first], rows[first:last], rows[last:]

    def _kept_apart(self, box: ProofNode) -> tuple[FloatArray, FloatArray]:
        """Half-spaces by which rows of a node keep away from points: chords above the distances of numbers."""
        n, prices, (low, high) = len(self.most), self.statement.prices, self.costs.limits(box)
        A, b = np.zeros((len(self.statement.apart), n)), np.zeros(len(self.statement.apart))
        low, high = np.minimum(low, high), np.maximum(low, high)
        for k, (point, distance) in enumerate(self.statement.apart):
            ends = np.abs(low - point), np.abs(high - point)
            with np.errstate(invalid="ignore", divide="ignore"):
                slope = np.where(high > low, (ends[1] - ends[0]) / (high - low), 0.0)
            constant = np.where(high > low, ends[0] - slope * low, ends[0])
            is_indicator = self.statement.domain.layout.group >= 0
            slope = np.where(is_indicator, 1.0 - 2.0 * point, slope)
            constant = np.where(is_indicator, point, constant)
            A[k], b[k] = -prices * slope, float(prices @ constant) - distance * (1.0 - DISTANCE_ROUNDING)
        return A, b

    def bounded(self, box: ProofNode, multipliers: NodeMultipliers) -> BoundedNode:
        """Evaluate what multipliers prove of a node."""
        slopes, constant = self.linear(box, multipliers)
        least = self.costs.least(box, slopes)
        with np.errstate(invalid="ignore"):
            bound = least + constant + float(slopes @ self.statement.row) - self._doubtful(box, multipliers)
        return BoundedNode(multipliers, -np.inf if np.isnan(bound) else bound, None)

    def _doubtful(self, box: ProofNode, multipliers: NodeMultipliers) -> float:
        """Bound what the bound may owe to the rounding of doubles: multipliers that prove a set empty are large."""
        size = np.zeros(len(self.most))
        if len(multipliers.parts):
            size += multipliers.parts @ np.abs(self._halfspaces(box)[0])
        if len(multipliers.rules):
            size += multipliers.rules @ np.abs(self.statement.domain.normals)
        if len(multipliers.apart):
            size += multipliers.apart @ np.abs(self._kept_apart(box)[0])
        if multipliers.kappa > 0:
            density = self.statement.goals[box.goal].density
            assert density is not None
            size += np.abs(multipliers.image) @ np.abs(density.ellipsoid(box.ellipsoid)[0])
        return DOUBLES * float(size @ self.most)

    def linear(self, box: ProofNode, multipliers: NodeMultipliers) -> tuple[FloatArray, float]:
        """Slopes of features, and the constant, of all that multipliers add to the distance."""
        statement, domain = self.statement, self.statement.domain
        slopes, constant = np.zeros(len(statement.row)), 0.0
        if box.part >= 0 and len(multipliers.parts):
            A, b, rounding = self._halfspaces(box)
            slopes, constant = slopes + multipliers.parts @ A, constant - float(multipliers.parts @ (b + rounding))
        if len(multipliers.rules):
            slopes = slopes + multipliers.rules @ domain.normals
            sizes = np.abs(domain.normals) @ self.most + np.abs(domain.offsets)
            constant -= float(multipliers.rules @ (domain.offsets + ROUNDING * (len(self.most) + 16) * sizes))
        if len(multipliers.apart):
            A, b = self._kept_apart(box)
            slopes, constant = slopes + multipliers.apart @ A, constant - float(multipliers.apart @ b)
        if multipliers.kappa > 0:
            density = statement.goals[box.goal].density
            assert density is not None
            F, g, squared, penalties = density.ellipsoid(box.ellipsoid)
            y, k = multipliers.image, multipliers.kappa
            slopes = slopes + y @ F + k * penalties
            allowed = squared + DENSITY_ROUNDING * (1 + abs(squared))
            with np.errstate(over="ignore"):
                constant += -float(y @ g) - float(y @ y / (4 * k)) - k * allowed
        return slopes, constant
