"""A fixed price for every change: what points pay, what nodes pay at least, and where to divide.

The distance of a point is ``sum_i |v_i| + p k``, where ``k`` counts what differs from the row (columns, or groups of
columns that count as one). The kernel solves nodes without the price. A node pays it for what it is known to change;
the rest follows from the kernel's dual: with slopes ``s`` every point of the node has ``-s.v >= bound``, so for every
``a >= 0``

    distance >= a bound + sum over what may change of min(0, p + min over its moves of |v| + a s v),

in which no move is longer than what is left below the incumbent. The best ``a`` is one at which a term becomes
negative. What changes and is not known to is divided: it stays, or it is known to change from then on.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..branch_and_bound.nodes import Nodes
from ..constants import STILL
from .domain import Domain

# Share by which bounds with a price per change are lowered: rounding of some hundred products. Largest factor on the
# kernel's multipliers: beyond it their rounding would count.
PRICE_ROUNDING, LARGEST_DUAL_FACTOR = 1e-11, 1e2


class ChangePrice:
    """The price of changes of the rows of a batch.

    Parameters
    ----------
    domain : Domain
    rows : array of shape (n_samples, n_features)
    prices : array of shape (n_features,)
        Of a unit of each feature, of a level for its indicator.
    """

    def __init__(self, domain: Domain, rows: FloatArray, prices: FloatArray) -> None:
        self.price, self.layout, self.rows, self.prices = domain.per_change, domain.layout, rows, prices

    def of(self, rows: IntArray, points: FloatArray) -> FloatArray:
        """Sum up what points of shape (n, n_features) pay for their changes, shape (n,)."""
        return np.asarray(self.price * self.layout.changed_units(self.rows[rows], points).sum(axis=1))

    def known(self, nodes: Nodes) -> BoolArray:
        """Return what is known to change in nodes, array of shape (n, n_units)."""
        return np.asarray(nodes.counted | nodes.leaves(self.rows[nodes.rows], self.layout))

    def unpaid(self, nodes: Nodes, points: FloatArray) -> BoolArray:
        """Return what points of nodes change that the nodes do not pay for, by more than rounding; (n, n_units)."""
        moved = np.abs(points - self.rows[nodes.rows]) * self.prices > STILL
        return np.asarray(self.layout.by_unit(np.logical_or.reduceat(moved, self.layout.starts, axis=1))
                          & ~self.known(nodes))  # fmt: skip

    def bounds(
        self,
        nodes: Nodes,
        known: BoolArray,
        kernel: FloatArray,
        slopes: FloatArray,
        low: FloatArray,
        high: FloatArray,
        room: FloatArray,
    ) -> FloatArray:
        """Bound what nodes cost beyond what is fixed in them, for points that cost less than ``room``; shape (n,).

        Parameters
        ----------
        nodes : Nodes
        known : bool array of shape (n, n_units)
            What is known to change: its price is fixed.
        kernel : array of shape (n,)
            Bounds without prices.
        slopes, low, high : arrays of shape (n, n_features)
            Of moves in units of the distance; indicators move by 0 or by their price.
        room : array of shape (n,)
        """
        unit, indicator = self.layout.unit_of_feature, self.layout.group >= 0
        extra = np.where(known[:, unit], 0.0, self.price)
        steep = np.abs(slopes)
        farthest = np.where(indicator, np.where(high > 0, self.prices, 0.0), np.where(slopes < 0, high, -low))
        farthest = np.where(indicator & (slopes >= 0), 0.0, farthest)  # moving there is never a gain
        farthest = np.clip(farthest, 0.0, np.maximum(room[:, None] - extra, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where((farthest > 0) & (steep > 0), (1.0 + extra / farthest) / steep, 1.0)
        factors = np.clip(np.nan_to_num(factors, nan=1.0), 1.0, LARGEST_DUAL_FACTOR)  # (n, n_features)
        best = kernel.copy()
        for k in np.flatnonzero(kernel > 0).tolist():
            tried = np.unique(factors[k])
            excess = np.maximum(np.outer(tried, steep[k]) - 1.0, 0.0)
            gain = np.where(excess > 0, excess * np.where(excess > 0, farthest[k], 0.0), 0.0)
            best[k] = max(best[k], float((tried * kernel[k] - self._gains(gain, known[k])).max()))
        return np.minimum(best * (1 - PRICE_ROUNDING), np.maximum(room, kernel))

    def _gains(self, gain: FloatArray, known: BoolArray) -> FloatArray:
        """Sum up what all that may change gains after its price, from gains of features; a category has one level."""
        layout = self.layout
        per_column = np.maximum.reduceat(gain, layout.starts, axis=1)  # a number is its column's only feature
        per_unit = np.zeros((len(gain), layout.n_units))
        np.add.at(per_unit.T, layout.unit, per_column.T)
        return np.asarray(np.maximum(per_unit - np.where(known, 0.0, self.price), 0.0).sum(axis=1))

    def stays_or_changes(self, nodes: Nodes, points: FloatArray, unpaid: BoolArray) -> list[Nodes]:
        """Divide nodes by the most costly change that they do not pay for."""
        own, unit = self.rows[nodes.rows], self.layout.unit_of_feature
        cost = np.zeros(unpaid.shape)
        np.add.at(cost.T, unit, (np.abs(points - own) * self.prices).T)
        chosen = np.where(unpaid, cost, -1.0).argmax(axis=1)
        stays = nodes.without_change(unit == chosen[:, None], own)
        changes = nodes.children()
        changes.counted[np.arange(len(nodes)), chosen] = True
        return [stays, changes]

    def all_others_stay(self, nodes: Nodes) -> Nodes:
        """Keep all that nodes are not known to change: there is no room for another price."""
        other = ~self.known(nodes)[:, self.layout.unit_of_feature]
        return nodes.without_change(other, self.rows[nodes.rows])
