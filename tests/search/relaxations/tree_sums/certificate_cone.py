"""What a checker of certificates knows of a cone: bounds of distances of dense points, the model left out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from search.relaxations.tree_sums.certificate_view import require

# Halvings of intervals of log multipliers, and sweeps over coordinates.
HALVINGS, SWEEPS = 80, 200


def level_cost(certificate: Any, features: list[int], k: int) -> float:
    """What the level of a cell costs: half of the price of the indicator that comes, and half of that which goes.

    Parameters
    ----------
    certificate : BoxCertificate
    features : list of int
        Indicators of the category.
    k : int
    """
    own = next(f for f in features if certificate.row[f] == 1)
    f = int(certificate.feature[k])
    return 0.0 if f == own else (float(certificate.price[f]) + float(certificate.price[own])) / 2


class ConeBounds:
    """Points that move numbers by ``v`` and are dense: ``y'Py + penalties of levels <= r^2`` with ``y = v - centre``.

    Parameters
    ----------
    certificate : BoxCertificate
    numbers : list of int
        Features that are numbers.
    categories : list of list of int
        Cells of each category.
    cone : tuple of (precision, mean, squared radius, penalties of features)
    bound : float
        What is to be shown.
    """

    def __init__(
        self, certificate: Any, numbers: list[int], categories: list[list[int]], cone: Any, bound: float
    ) -> None:
        c = self.given = certificate
        self.numbers, self.bound = numbers, bound
        precision, mean, self.squared_radius, penalties = cone
        self.penalty = [0.0 if c.is_number[k] else float(penalties[f]) for k, f in enumerate(c.feature.tolist())]
        self.level_cost: dict[int, float] = {}
        for cells in categories:
            smallest = min(self.penalty[k] for k in cells)  # the likeliest level has none
            self.squared_radius -= smallest
            for k in cells:
                self.penalty[k] -= smallest
                self.level_cost[k] = level_cost(c, c.feature[cells].tolist(), k)
        row, price = np.asarray(c.row)[numbers], np.asarray(c.price)[numbers]
        self.P = np.asarray(precision) / np.outer(price, price)
        self.centre = (np.asarray(mean) - row) * price
        # of the cone's own box, a little wider
        self.reach = np.sqrt(self.squared_radius * np.diag(np.linalg.inv(self.P))) * (1 + 1e-8)

    def contains(self, point: Any) -> bool:
        """Whether a point is dense."""
        c = self.given
        y = ((np.asarray(point) - c.row) * c.price)[self.numbers] - self.centre
        used = sum(self.penalty[k] for k in self.level_cost if point[c.feature[k]] == 1)
        return float(y @ self.P @ y) + used <= self.squared_radius * (1 + 1e-9)

    def has(self, i: int, low: float, high: float) -> bool:
        """Whether a number may move to between these in the cone's own box."""
        return low <= self.centre[i] + self.reach[i] and high >= self.centre[i] - self.reach[i]

    def multiplied(self, dual: Any) -> tuple[float, list[float], list[float]]:
        """Constant, and slope and bend of the price of each number, that multipliers of the cone give."""
        n = len(self.numbers)
        require(dual.kappa >= 0 and len(dual.z) == n, "multipliers of the cone")
        require(len(dual.diagonal) == n, "a diagonal of another cone")
        S = self.P - np.diag(dual.diagonal)
        size = np.sqrt(np.diag(self.P) + np.abs(dual.diagonal))
        require(np.linalg.eigvalsh(S / np.outer(size, size))[0] > -1e-10, "the diagonal is too large")
        Sz = [math.fsum(float(S[i, j]) * float(dual.z[j]) for j in range(n)) for i in range(n)]
        constant = -dual.kappa * (self.squared_radius + math.fsum(Sz[i] * float(dual.z[i]) for i in range(n)))
        return constant, [2 * dual.kappa * each for each in Sz], [dual.kappa * float(d) for d in dual.diagonal]

    def whole_moves(self, i: int, low: float, high: float) -> list[float]:
        """Moves of a whole number between two moves, its own included."""
        x, price = float(self.given.row[self.numbers[i]]), float(self.given.price[self.numbers[i]])
        first, last = math.ceil(x + low / price - 1e-9), math.floor(x + high / price + 1e-9)
        return [(n - x) * price for n in range(first, last + 1)] + [0.0] * (low <= 0 <= high)

    def least_of(self, i: int, low: float, high: float, a: float, b: float) -> float:
        """Least value of ``|v| + a (v - m)^2 + b (v - m)`` over dense v from low to high: at an end, 0, or flat.

        Of whole numbers, all are tried.
        """
        m, reach = float(self.centre[i]), float(self.reach[i])
        low, high = max(low, m - reach), min(high, m + reach)
        if self.given.integer[self.numbers[i]]:
            places = self.whole_moves(i, low, high)
        else:
            flat = [m - (b + 1) / (2 * a), m - (b - 1) / (2 * a)] if a > 0 else []
            places = [v for v in (low, high, 0.0, *flat) if low <= v <= high]
        return min((abs(v) + a * (v - m) ** 2 + b * (v - m) for v in places), default=math.inf)

    def bound_of(self, limits: list, levels: list[list[int]]) -> float:
        """A bound of the distance of dense points within limits of moves, and with levels among some cells.

        For any kappa and z it is ``sum min (|v| + 2 kappa (Pz) y) - kappa (r^2 + z'Pz)``: z comes from coordinate
        descent on ``|v| + kappa y'Py``, kappa from halving; whatever comes of that, the bound holds.
        """
        best = math.fsum(max(a, -b, 0.0) for a, b in limits)  # kappa = 0
        best += math.fsum(min(self.level_cost[k] for k in cells) for cells in levels)
        low, high = -14.0, 14.0
        z = np.array([min(max(float(m), a), b) for m, (a, b) in zip(self.centre, limits)]) - self.centre
        for _ in range(HALVINGS):
            kappa = math.exp((low + high) / 2)
            z = self._descend(limits, kappa, z)
            Pz = self.P @ z
            value = -kappa * (self.squared_radius + float(z @ Pz))
            for i, ((a, b), slope) in enumerate(zip(limits, Pz)):
                value += self.least_of(i, a, b, 0.0, 2 * kappa * float(slope))
            chosen = [min(cells, key=lambda k: self.level_cost[k] + kappa * self.penalty[k]) for cells in levels]
            value += math.fsum(self.level_cost[k] + kappa * self.penalty[k] for k in chosen)
            best = max(best, value)
            if best >= self.bound:
                break
            if float(z @ Pz) + sum(self.penalty[k] for k in chosen) > self.squared_radius:  # the derivative by kappa
                low = (low + high) / 2
            else:
                high = (low + high) / 2
        return best

    def _descend(self, limits: list, kappa: float, z: Any) -> Any:
        z = z.copy()
        for _ in range(SWEEPS):
            before = z.copy()
            for i, (a, b) in enumerate(limits):
                m, own = float(self.centre[i]), kappa * float(self.P[i, i])
                slope = 2 * kappa * (float(self.P[i] @ z) - float(self.P[i, i]) * z[i])
                v = m - (slope + 1) / (2 * own)
                if v < 0:
                    v = min(m - (slope - 1) / (2 * own), 0.0)
                z[i] = min(max(v, a), b) - m
            if np.abs(z - before).max() <= 1e-13 * (1 + np.abs(z).max()):
                break
        return z

    def is_too_far(self, limits: list, levels: list[list[int]]) -> bool:
        """Whether dense points are beyond the bound: levels and whole numbers are taken apart where that is needed."""
        waiting = [(limits, levels)]
        while waiting:
            limits, levels = waiting.pop()
            limits = [self.within_reach(i, *ends) for i, ends in enumerate(limits)]
            if any(a > b for a, b in limits) or self.bound_of(limits, levels) >= self.bound:
                continue
            parts = self.halves(limits, levels)
            if not parts:
                return False
            waiting += parts
        return True

    def within_reach(self, i: int, low: float, high: float) -> tuple[float, float]:
        """Limits of the moves of a number within the cone's own box, and from one whole number to another."""
        m, reach = float(self.centre[i]), float(self.reach[i])
        low, high = max(low, m - reach), min(high, m + reach)
        if low > high or not self.given.integer[self.numbers[i]]:
            return low, high
        places = self.whole_moves(i, low, high)
        return (min(places), max(places)) if places else (0.0, -1.0)

    def halves(self, limits: list, levels: list[list[int]]) -> list[tuple[list, list]]:
        """Two parts of limits of moves and levels; none where there are no two levels or whole numbers apart."""
        for c, cells in enumerate(levels):
            if len(cells) > 1:
                return [(limits, [[k] if j == c else of for j, of in enumerate(levels)]) for k in cells]
        widest, parts = 1, []
        for i, (a, b) in enumerate(limits):
            places = sorted(set(self.whole_moves(i, a, b))) if self.given.integer[self.numbers[i]] else [0.0]
            if len(places) > widest:
                widest, half = len(places), len(places) // 2
                ends = [(places[0], places[half - 1]), (places[half], places[-1])]
                parts = [([end if j == i else of for j, of in enumerate(limits)], levels) for end in ends]
        return parts
